"""``turnledger demo``: record, prove, alter one byte, see the proof break; then look at it in the console."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from turnledger.cli.demo_tour import Tour
from turnledger.cli.options import json_option
from turnledger.cli.screen import write_json
from turnledger.engine.demo.ledger_file import fresh_ledger
from turnledger.engine.demo.script import MODEL
from turnledger.engine.demo.tour import AGENTS, Recorded, alter, check, record
from turnledger.errors import UsageError
from turnledger.query.findings import Finding, overall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from turnledger.engine.demo.alteration import Alteration

__all__ = ["command"]

_DEFAULT: Final = ".demo/ledger.db"
_BUNDLED: Final = 8


@click.command("demo")
@click.option("--ledger", default=_DEFAULT, show_default=True, metavar="FILE", help="Where to record.")
@click.option(
    "--conversations",
    "number",
    type=click.IntRange(1, _BUNDLED),
    default=_BUNDLED,
    show_default=True,
    help="How many recorded conversations to replay at the beginning.",
)
@click.option("--once", is_flag=True, help="Show everything here, serve nothing, and end.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Port of the server.  [default: 8321, or any if taken]"
)
@click.option("--no-browser", is_flag=True, help="Open no browser.")
@click.option(
    "--speed",
    type=click.FloatRange(0.1, 100),
    default=1.0,
    show_default=True,
    help="How fast the agents talk on; 1 is a person's pace.",
)
@json_option
def command(
    ledger: str, number: int, port: int | None, speed: float, *, once: bool, no_browser: bool, as_json: bool
) -> None:
    """Record real conversations, prove them, alter one byte, see the proof break; then serve the console.

    A scripted model and scripted tools say again what was said in recorded conversations, through the same
    recorder as a live agent.  A few agents go on until Ctrl-C.  FILE is made anew each time; one that holds
    anything but a demo is left alone.  With --json a summary is all there is, as with --once.
    """
    if "://" in ledger or ledger == "memory:":
        msg = "The demo alters a byte of its ledger's file, so it needs a file."
        raise UsageError(msg, next_step="Give a path with --ledger.")
    path = Path(ledger)
    if ledger == _DEFAULT:
        path.parent.mkdir(exist_ok=True)
    with fresh_ledger(path, AGENTS):
        recorded = record(path, number)
        proof = check(path)
        if as_json:
            altered = alter(path, recorded.highlights.broken_arguments)
            write_json(_summary(path, recorded, proof, altered, check(path)))
            return
        tour = Tour(path, recorded)
        serves = not once and _has_server()
        altered = tour.brief(proof) if serves else tour.walk(proof)
        if serves:
            from turnledger.cli.demo_live import serve_live  # noqa: PLC0415  needs what an extra installs

            serve_live(path, recorded, altered, port=port, speed=speed, may_open=not no_browser)
        elif not once:
            tour.say_how_to_serve()


def _has_server() -> bool:
    return all(importlib.util.find_spec(name) is not None for name in ("fastapi", "uvicorn"))


def _summary(
    path: Path, recorded: Recorded, proof: Sequence[Finding], altered: Alteration, after: Sequence[Finding]
) -> dict[str, object]:
    event = altered.event
    return {
        "ledger": str(path),
        "note": f"A replay by {MODEL!r}: no model was asked.",
        "conversations": [str(one) for one in recorded.conversations],
        "turns": recorded.turns,
        "events": recorded.events,
        "seconds": round(recorded.seconds, 3),
        "interrupted": str(recorded.interrupted),
        "verdict": overall(proof).value,
        "altered": {
            "byte": altered.offset,
            "turn": str(event.journal.id),
            "seq": event.seq,
            "eventId": str(event.event_id),
            "before": altered.before,
            "after": altered.after,
            "verdict": overall(after).value,
            "faults": [found.as_json() for found in after if not found.verdict.green],
        },
    }
