"""What the demo does, stop by stop: record, check, alter one byte of a copy, check that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

from turnledger.capture.ledger import Ledger
from turnledger.clock import SYSTEM
from turnledger.engine.demo.alteration import Alteration, alter_one_byte, copy_ledger
from turnledger.engine.demo.replay import Replay
from turnledger.engine.demo.scenes import Scenes
from turnledger.engine.demo.script import conversations
from turnledger.engine.reading import open_reading
from turnledger.engine.recorder import open_ledger
from turnledger.errors import NotFoundError
from turnledger.ids import NIL
from turnledger.model.draft import AliasKind
from turnledger.query.findings import Finding
from turnledger.query.verify import verify_ledger

__all__ = ["AIRLINE", "DESK", "Recorded", "alter_copy", "check", "record"]

AIRLINE: Final = "airline (replay)"
DESK: Final = "service desk (scenes)"

_LIE: Final = ("validated=0", "validated=1")


@dataclass(frozen=True, slots=True)
class Recorded:
    """What one run recorded; ``seconds`` is how long that took, waiting for the disk included."""

    conversations: tuple[UUID, ...]
    turns: int
    events: int
    seconds: float
    refund: UUID
    broken_arguments: UUID


def record(ledger: Path, number: int) -> Recorded:
    """Replay the first ``number`` recorded conversations and play the scenes, into the ledger at that path.

    Run again it records them again, as other conversations.  Raises LedgerError where the ledger cannot be
    used.
    """
    with open_ledger(ledger) as opened:
        run = _next_run(ledger)
        started = SYSTEM.monotonic_us()
        replays = list(_replays(opened, run, number))
        scenes = Scenes(opened.agent(DESK, environment="scripted"), run)
        scenes.play()
        seconds = (SYSTEM.monotonic_us() - started) / 1_000_000
        ids = tuple(
            [replay.conversation.id for replay in replays] + [talk.id for talk in scenes.conversations]
        )
    with open_reading(ledger) as reading:
        rows = [row for one in ids if (row := reading.reader.conversation(one)) is not None]
    return Recorded(
        conversations=ids,
        turns=sum(row.turns for row in rows),
        events=sum(row.events for row in rows),
        seconds=seconds,
        refund=scenes.refund,
        broken_arguments=scenes.broken_arguments,
    )


def _replays(opened: Ledger, run: int, number: int) -> Iterator[Replay]:
    agent = opened.agent(AIRLINE, environment="replay")
    for told in islice(conversations(), number):
        replay = Replay(agent, told, run)
        replay.run()
        yield replay


def _next_run(ledger: Path) -> int:
    """1 where the ledger holds no run of the demo yet."""
    run = 1
    with open_reading(ledger) as reading:
        desk = reading.reader.alias(AliasKind.AGENT, NIL, DESK)
        while desk is not None and reading.reader.alias(AliasKind.CONVERSATION, desk, Scenes.first_key(run)):
            run += 1
    return run


def check(ledger: Path) -> list[Finding]:
    """What is found in every journal of the ledger, bodies hashed."""
    with open_reading(ledger) as reading:
        return [Finding.of_journal(found) for found in verify_ledger(reading.reader)]


def alter_copy(ledger: Path, copy: Path, turn: UUID) -> Alteration:
    """Copy the ledger, and in the copy pretend that arguments which were refused had been validated."""
    copy_ledger(ledger, copy)
    with open_reading(copy) as reading:
        rows = [entry.row for entry in reading.events(turn)]
    refused = next((row for row in rows if row.type == "TOOL_CALL" and _LIE[0] in row.summary), None)
    if refused is None:
        msg = f"Turn {turn} has no call whose arguments were refused."
        raise NotFoundError(msg, next_step="Run the demo again.")
    return alter_one_byte(copy, refused, *_LIE)
