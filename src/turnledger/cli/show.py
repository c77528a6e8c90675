"""``turnledger show``: one turn or conversation, step by step."""

from __future__ import annotations

import click

from turnledger.cli import complete
from turnledger.cli.damage_note import note_damage
from turnledger.cli.ledger import reading
from turnledger.cli.moments import Zone
from turnledger.cli.options import json_option, ledger_option, zone_option
from turnledger.cli.show_json import conversation_json, turn_json
from turnledger.cli.show_text import ShowText
from turnledger.model.rows import DamagedRow
from turnledger.query.lookup import resolve

__all__ = ["command"]


@click.command("show")
@click.argument("target", shell_complete=complete.ids)
@click.option("--bodies", is_flag=True, help="Print every body whole under its event.")
@click.option(
    "--last", type=click.IntRange(min=1), metavar="N", help="Of a conversation, the last N events only."
)
@zone_option
@json_option
@ledger_option
def command(
    target: str, last: int | None, zone: Zone, ledger: str | None, *, bodies: bool, as_json: bool
) -> None:
    """Show a turn or a conversation, step by step.

    TARGET is its id as `turnledger list` (for turns: `list --turns`) prints it; its beginning is enough.

    A line is an event, or an intent with the outcome that followed it: time, time since the line before,
    number in its journal, then what happened.  `→` leads to what came of it, `≠ supplied` says that a tool
    ran with something else than the model wrote, `of #3` names the intent of an outcome.  A letter behind a
    number says that the event was not on record before it happened: o observed, s spooled, i imported.
    Recorded text stands in quotation marks, recorded JSON without.

    Events that are damaged in the database are left out and named; the exit status is then 1.
    """
    left_out: list[DamagedRow] = []
    with reading(ledger) as reader, reader.snapshot():
        named = resolve(reader, target)
        if named.kind == "turn":
            if as_json:
                turn_json(reader, named.id, bodies=bodies)
            else:
                ShowText(reader, zone, bodies=bodies).turn(named.id)
        elif as_json:
            left_out = conversation_json(reader, named.id, last, bodies=bodies)
        else:
            left_out = ShowText(reader, zone, bodies=bodies).conversation(named.id, last)
    click.get_current_context().exit(note_damage(left_out))
