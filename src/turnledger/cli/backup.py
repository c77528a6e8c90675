"""``turnledger backup``: a ledger copied while it is recorded into."""

from __future__ import annotations

from pathlib import Path

import click

from turnledger.cli.ledger import existing, ledger_file
from turnledger.cli.line import size
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.progress import progress
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, note, write_json

__all__ = ["command"]


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
@ledger_option
def command(ledger: str | None, file: Path, *, as_json: bool) -> None:
    """Copy a ledger into the new FILE, while agents go on recording.

    FILE holds the ledger as it was at one moment, complete in itself, and is its owner's alone.  Nothing that
    is there is replaced, and a backup that is broken off leaves nothing.  A ledger in PostgreSQL is backed up
    with pg_dump.
    """
    database = existing(ledger)
    path = ledger_file(ledger)
    with progress("copying bytes", None if path is None else path.stat().st_size) as advance:
        size_bytes = database.back_up(file, advance)
    if as_json:
        write_json({"ledger": database.label, "file": str(file), "bytes": size_bytes})
        return
    Screen().line((f"{one_line(str(file))} holds {one_line(database.label)} ({size(size_bytes)})", ""))
    note(f"`turnledger verify --all --ledger {one_line(str(file))}` checks it.")
