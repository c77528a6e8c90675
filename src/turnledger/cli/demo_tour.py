"""The demo's stops for people: what was recorded, the proof, one byte altered, the proof broken."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from turnledger.cli.line import BAD, QUIET
from turnledger.cli.list import Asked, conversation_page
from turnledger.cli.moments import Zone
from turnledger.cli.names import short
from turnledger.cli.screen import Screen
from turnledger.cli.show_text import ShowText
from turnledger.engine.demo.dialogue import SCENE_MODEL
from turnledger.engine.demo.script import MODEL
from turnledger.engine.demo.tour import DESK, FLIGHTS, Recorded, alter, check
from turnledger.engine.reading import open_reading
from turnledger.query.findings import Finding, overall

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from turnledger.engine.demo.alteration import Alteration

__all__ = ["Tour"]

_LINE: Final = 100
_LISTED: Final = 50
_BOLD: Final = "bold"


class Tour:
    """One run of the demo, shown on stdout."""

    def __init__(self, path: Path, recorded: Recorded) -> None:
        self._path = path
        self._recorded = recorded
        self._screen = Screen()

    def brief(self, proof: Sequence[Finding]) -> Alteration:
        """The stops that a person wants to have seen before the console; alters the ledger."""
        self._recording()
        return self._prove(2, proof)

    def walk(self, proof: Sequence[Finding]) -> Alteration:
        """All stops; alters the ledger."""
        self._recording()
        refund = self._recorded.highlights.refund
        with open_reading(self._path) as reading, reading.reader.snapshot():
            self._head("2. What is on record", f"turnledger list --ledger {self._path}")
            zone = Zone.named("local")
            conversation_page(reading.reader, Asked(zone=zone, limit=_LISTED)).show(zone)
            self._head("3. One turn, step by step", self._show(refund))
            ShowText(reading.reader, zone, bodies=False).turn(refund)
        altered = self._prove(4, proof)
        self._next()
        return altered

    def say_how_to_serve(self) -> None:
        """For an install without the server."""
        self._head("In a browser")
        self._say("The server is not installed. With it, this demo shows all of that live in a console:")
        self._say("pip install 'turnledger[server]'", style=_BOLD)

    def _prove(self, stop: int, proof: Sequence[Finding]) -> Alteration:
        self._head(f"{stop}. The proof", f"turnledger verify --all --ledger {self._path}")
        self._say_proof(proof)
        uncovered = dict.fromkeys(words for found in proof for words in found.not_covered)
        self._say(f"Not checked without a checkpoint kept elsewhere: {', '.join(uncovered)}.", style=QUIET)
        altered = alter(self._path, self._recorded.highlights.broken_arguments)
        self._head(f"{stop + 1}. One byte altered", f"turnledger verify --all --ledger {self._path}")
        self._altered(altered)
        self._say_proof(check(self._path))
        return altered

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

    def _recording(self) -> None:
        recorded = self._recorded
        self._head("1. Recording")
        self._say(
            f"{len(recorded.conversations)} conversations: {recorded.turns} turns, {recorded.events:,} "
            f"events, each durable before the next step, in {recorded.seconds:.1f} s, into {self._path}",
            style=_BOLD,
        )
        self._say(
            f"Agent {FLIGHTS!r} replays conversations of tau-bench's airline data (MIT, © 2024 Sierra). "
            f"Agent {DESK!r} plays short scenes written for this demo; in one of them its process was "
            "killed in the middle of a refund."
        )
        self._say(
            f"No model was asked: {MODEL!r} says again what was said, {SCENE_MODEL!r} what was written for "
            "it. That every step was write_ahead is true of this replay; the recorded conversations took "
            "place elsewhere, and their tokens are not known.",
            style=QUIET,
        )

    def _say_proof(self, findings: Sequence[Finding]) -> None:
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

    def _altered(self, done: Alteration) -> None:
        event = done.event
        self._say(
            f"Behind the ledger's back, byte {done.offset:,} of {done.path} was changed: event #{event.seq} "
            f"({event.type}) of turn {event.journal.id} said {done.before} and now says {done.after}, as if "
            "the arguments had been fine."
        )

    def _next(self) -> None:
        turns = self._recorded.highlights
        self._head("What to type next")
        for command in (
            self._show(self._recorded.conversations[0]),
            f"{self._show(turns.refund)} --bodies",
            self._show(self._recorded.interrupted),
            f"turnledger verify {short(turns.broken_arguments)} --ledger {self._path}",
            f"turnledger export {short(turns.refund)} --ledger {self._path}",
        ):
            self._say(command)
