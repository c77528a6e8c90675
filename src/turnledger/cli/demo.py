"""``turnledger demo``: record, read back, prove, alter one byte, see the proof break."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from turnledger.cli.list import Asked, conversation_page
from turnledger.cli.moments import Zone
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

    from turnledger.engine.demo.alteration import Alteration

__all__ = ["command"]

_DEFAULT: Final = ".demo/ledger.db"
_BUNDLED: Final = 8
_BOLD, _QUIET, _GOOD, _BAD = "bold", "dim", "green", "bold red"


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
            self._head(
                "3. One turn, step by step", f"turnledger show {recorded.refund} --ledger {self._path}"
            )
            ShowText(reading.reader, zone, bodies=False).turn(recorded.refund)
        self._head("4. The proof", f"turnledger verify --all --ledger {self._path}")
        self._proof(proof)
        self._head("5. One byte altered", f"turnledger verify --all --ledger {self._copy}")
        altered = alter_copy(self._path, self._copy, recorded.broken_arguments)
        self._altered(altered)
        self._proof(check(self._copy))
        self._next(recorded)

    def _head(self, title: str, how: str = "") -> None:
        self._screen.line()
        self._screen.line((title, "bold cyan"), (f"   {how}" if how else "", _QUIET))

    def _say(self, *words: str, style: str = "") -> None:
        for line in words:
            self._screen.line((line, style), indent=2)

    def _recorded(self, recorded: Recorded) -> None:
        self._head("1. Recording")
        self._say(
            f"{len(recorded.conversations)} conversations: {recorded.turns} turns, {recorded.events:,} "
            f"events, each durable before the next step, in {recorded.seconds:.1f} s",
            style=_BOLD,
        )
        self._say(f"into {self._path}")
        self._say(
            f"Agent {AIRLINE!r}: conversations of tau-bench's airline data (MIT, © 2024 Sierra), replayed.",
            f"Agent {DESK!r}: short scenes written for this demo.",
            f"No model was asked: {MODEL!r} says again what was said. `write_ahead` is true of this replay;",
            "the original conversations took place elsewhere, and of their tokens nothing is known.",
            style=_QUIET,
        )

    def _proof(self, findings: Sequence[Finding]) -> None:
        verdict, kinds = overall(findings), Counter(found.kind for found in findings)
        events = sum(found.events for found in findings)
        bodies = sum(found.bodies.get("checked", 0) for found in findings)
        what = f"{kinds['conversation']} conversations and {kinds['turn']} turns"
        self._screen.line(
            (verdict.value, _BOLD if verdict.green else _BAD),
            (f"  {what}: {events:,} events, {bodies:,} bodies hashed again", ""),
            indent=2,
        )
        faults = [found for found in findings if not found.verdict.green]
        for found in faults:
            self._screen.line(("broken ", _BAD), (f"{found.kind} {found.id}", ""), indent=4)
            self._screen.line((found.explanation, _BAD), indent=11)
        if faults:
            self._say(f"The other {len(findings) - len(faults)} journals are intact.")
        uncovered = dict.fromkeys(words for found in findings for words in found.not_covered)
        self._say(f"Not checked without a checkpoint kept elsewhere: {', '.join(uncovered)}.", style=_QUIET)

    def _altered(self, done: Alteration) -> None:
        event = done.event
        self._say(
            f"{done.path} is a copy of the ledger. Behind the ledger's back, byte {done.offset:,} of the",
            f"file was changed: event #{event.seq} ({event.type}) of turn {event.journal.id}",
            f"said {done.before} and now says {done.after}, as if the arguments had been fine.",
        )

    def _next(self, recorded: Recorded) -> None:
        self._head("What to type next")
        broken, refund = recorded.broken_arguments, recorded.refund
        for line in (
            f"turnledger show {recorded.conversations[0]} --ledger {self._path}",
            f"turnledger show {refund} --bodies --ledger {self._path}",
            f"turnledger verify {broken} --ledger {self._copy}",
            f"turnledger export {refund} --ledger {self._path}",
        ):
            self._say(line)


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
