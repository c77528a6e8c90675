"""``turnledger demo``: record, read back, prove, alter one byte, see the proof break."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from turnledger.cli.line import BAD, QUIET
from turnledger.cli.list import Asked, conversation_page
from turnledger.cli.moments import Zone
from turnledger.cli.names import short
from turnledger.cli.options import json_option
from turnledger.cli.screen import Screen, write_json
from turnledger.cli.show_text import ShowText
from turnledger.engine.demo.script import MODEL
from turnledger.engine.demo.tour import AIRLINE, DESK, Recorded, alter_copy, check, record
from turnledger.engine.reading import open_reading
from turnledger.errors import UsageError
from turnledger.query.findings import Finding, overall

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from turnledger.engine.demo.alteration import Alteration

__all__ = ["command"]

_DEFAULT: Final = ".demo/ledger.db"
_BUNDLED: Final = 8
_LINE: Final = 100
_BOLD: Final = "bold"


@click.command("demo")
@click.option("--ledger", default=_DEFAULT, show_default=True, metavar="FILE", help="Where to record.")
@click.option(
    "--conversations",
    "number",
    type=click.IntRange(1, _BUNDLED),
    default=_BUNDLED,
    show_default=True,
    help="How many recorded conversations to replay.",
)
@json_option
def command(ledger: str, number: int, *, as_json: bool) -> None:
    """Record real conversations, read one back, prove all of them, alter one byte, see the proof break.

    A scripted model and scripted tools say again what was said in recorded conversations, through the same
    recorder as a live agent.  Everything stays in FILE; the altered copy lies beside it.
    """
    if "://" in ledger or ledger == "memory:":
        msg = "The demo copies its ledger and alters the copy, so it needs a file."
        raise UsageError(msg, next_step="Give a path with --ledger.")
    path = Path(ledger)
    if ledger == _DEFAULT:
        path.parent.mkdir(exist_ok=True)
    copy = path.with_name(f"{path.stem}-altered{path.suffix}")
    recorded = record(path, number)
    proof = check(path)
    if as_json:
        altered = alter_copy(path, copy, recorded.broken_arguments)
        write_json(_summary(path, recorded, proof, altered, check(copy)))
        return
    _Tour(path, copy).walk(recorded, proof)


class _Tour:
    """The demo for people."""

    def __init__(self, path: Path, copy: Path) -> None:
        self._path = path
        self._copy = copy
        self._screen = Screen()

    def walk(self, recorded: Recorded, proof: Sequence[Finding]) -> None:
        """All stops."""
        self._recorded(recorded)
        with open_reading(self._path) as reading, reading.reader.snapshot():
            self._head("2. What is on record", f"turnledger list --ledger {self._path}")
            zone = Zone.named("local")
            conversation_page(reading.reader, Asked(zone=zone, limit=len(recorded.conversations))).show(zone)
            self._head("3. One turn, step by step", self._show(recorded.refund))
            ShowText(reading.reader, zone, bodies=False).turn(recorded.refund)
        self._head("4. The proof", f"turnledger verify --all --ledger {self._path}")
        self._proof(proof)
        altered = alter_copy(self._path, self._copy, recorded.broken_arguments)
        self._head("5. One byte altered", f"turnledger verify --all --ledger {self._copy}")
        self._altered(altered)
        self._proof(check(self._copy))
        self._next(recorded)

    def _head(self, title: str, command: str = "") -> None:
        self._screen.line()
        self._screen.line((title, "bold cyan"))
        if command:
            self._screen.line((f"$ {command}", QUIET))

    def _say(self, words: str, style: str = "", indent: int = 2) -> None:
        """A paragraph, on as many lines as it takes."""
        width = min(self._screen.width or _LINE, _LINE) - indent
        for line in textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False):
            self._screen.line((line, style), indent=indent)

    def _show(self, journal: UUID) -> str:
        return f"turnledger show {short(journal)} --ledger {self._path}"

    def _recorded(self, recorded: Recorded) -> None:
        self._head("1. Recording")
        self._say(
            f"{len(recorded.conversations)} conversations: {recorded.turns} turns, {recorded.events:,} "
            f"events, each durable before the next step, in {recorded.seconds:.1f} s, into {self._path}",
            style=_BOLD,
        )
        self._say(
            f"Agent {AIRLINE!r} replays conversations of tau-bench's airline data (MIT, © 2024 Sierra). "
            f"Agent {DESK!r} plays short scenes written for this demo."
        )
        self._say(
            f"No model was asked: {MODEL!r} says again what was said. That every step was write_ahead is "
            "true of this replay; the conversations took place elsewhere, and their tokens are not known.",
            style=QUIET,
        )

    def _proof(self, findings: Sequence[Finding]) -> None:
        verdict, kinds = overall(findings), Counter(found.kind for found in findings)
        events = sum(found.events for found in findings)
        bodies = sum(found.bodies.get("checked", 0) for found in findings)
        what = f"{kinds['conversation']} conversations and {kinds['turn']} turns"
        self._screen.line(
            (verdict.value, _BOLD if verdict.green else BAD),
            (f"  {what}: {events:,} events, {bodies:,} bodies hashed again", ""),
            indent=2,
        )
        faults = [found for found in findings if not found.verdict.green]
        for found in faults:
            self._screen.line((f"{found.kind} {found.id}", BAD), indent=4)
            self._say(found.explanation, style=BAD, indent=6)
        if faults:
            self._say(f"The other {len(findings) - len(faults)} journals are intact.")
        uncovered = dict.fromkeys(words for found in findings for words in found.not_covered)
        self._say(f"Not checked without a checkpoint kept elsewhere: {', '.join(uncovered)}.", style=QUIET)

    def _altered(self, done: Alteration) -> None:
        event = done.event
        self._say(
            f"{done.path} is a copy of the ledger. Behind the ledger's back, byte {done.offset:,} of that "
            f"file was changed: event #{event.seq} ({event.type}) of turn {event.journal.id} said "
            f"{done.before} and now says {done.after}, as if the arguments had been fine."
        )

    def _next(self, recorded: Recorded) -> None:
        self._head("What to type next")
        for command in (
            self._show(recorded.conversations[0]),
            f"{self._show(recorded.refund)} --bodies",
            f"turnledger verify {short(recorded.broken_arguments)} --ledger {self._copy}",
            f"turnledger export {short(recorded.refund)} --ledger {self._path}",
        ):
            self._say(command)


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
        "verdict": overall(proof).value,
        "altered": {
            "ledger": str(altered.path),
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
