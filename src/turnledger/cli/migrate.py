"""``turnledger migrate``: bring a ledger's schema up to date."""

from __future__ import annotations

import click

from turnledger.cli.ledger import existing
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.program import Status
from turnledger.cli.screen import Screen, note, write_json

__all__ = ["command"]


@click.command("migrate")
@click.option("--check", is_flag=True, help="Change nothing; exit status 1 where something is missing.")
@click.option("--new", "wants_new", is_flag=True, help="Make a ledger in a file that holds nothing.")
@json_option
@ledger_option
@click.pass_context
def command(
    context: click.Context, ledger: str | None, *, check: bool, wants_new: bool, as_json: bool
) -> None:
    """Apply the migrations that a ledger lacks.

    Recorders do this by themselves when they open a ledger; readers never do.  A file that holds nothing may
    be what is left of a ledger, so that nothing is made in it unasked.
    """
    database = existing(ledger)
    missing = [
        f"{migration.number:04d}_{migration.slug}" for migration in database.pending(may_be_empty=wants_new)
    ]
    applied: list[str] = []
    if missing and not check:
        database.engine().close()
        applied = missing
    if as_json:
        write_json({"ledger": database.label, "missing": [] if applied else missing, "applied": applied})
    else:
        word = "missing" if check else "applied"
        screen = Screen()
        for name in missing:
            screen.line((f"{word} {name}", ""))
        if applied:
            note("`turnledger doctor` says whether what lists are read from has to be rebuilt.")
        if not missing:
            screen.line((f"{database.label} is up to date", ""))
    if check and missing:
        context.exit(Status.FOUND)
