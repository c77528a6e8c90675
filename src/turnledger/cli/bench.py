"""``turnledger bench``: how fast this machine makes turns durable."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from turnledger.cli.options import json_option
from turnledger.cli.screen import Screen, write_json
from turnledger.engine.location import default_file
from turnledger.engine.self_test import BYTES, Measured, measure

__all__ = ["command"]


@click.command("bench")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Measure the disk that this folder is on.  [default: your data folder, else this one]",
)
@json_option
def command(folder: Path | None, *, as_json: bool) -> None:
    """Measure how fast this machine makes turns durable, in a few seconds.

    Writes a ledger of its own into FOLDER and removes it again.
    """
    where = folder or _usual_folder()
    measured = measure(where)
    if as_json:
        write_json({"folder": str(where), **asdict(measured)})
    else:
        _show(where, measured)


def _usual_folder() -> Path:
    usual = default_file().parent
    return usual if usual.is_dir() else Path.cwd()


def _show(where: Path, measured: Measured) -> None:
    screen = Screen()
    above = measured.append_ms - measured.flush_ms
    rows = [
        (f"{measured.flush_ms:.2f} ms", f"the disk itself: {BYTES:,} bytes written and flushed"),
        (f"{measured.append_ms:.2f} ms", f"a message of as many bytes on record, {above:+.2f} ms"),
        (f"{measured.turns_per_second:,.0f} /s", "turns of 8 conversations at once"),
        (f"{measured.events_per_second:,.0f} /s", "their events, each durable before the next step"),
        (f"{measured.bytes_per_turn / 1000:,.1f} kB", "a turn takes, everything included"),
    ]
    screen.line((f"On the disk of {where}, medians:", "bold"))
    for value, what in rows:
        screen.line((f"{value:>12}", "bold"), (f"  {what}", ""))
