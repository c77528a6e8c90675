"""What the demo does before anybody looks: record, check, alter one byte of the ledger, check again."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

from turnledger.capture.ledger import Ledger
from turnledger.clock import SYSTEM
from turnledger.engine.demo import scenes, trouble
from turnledger.engine.demo.alteration import Alteration, alter_one_byte
from turnledger.engine.demo.crash import doomed
from turnledger.engine.demo.pace import AT_ONCE, Pace
from turnledger.engine.demo.replay import Replay
from turnledger.engine.demo.script import conversations
from turnledger.engine.demo.stage import Stage
from turnledger.engine.reading import open_reading
from turnledger.engine.recorder import open_ledger
from turnledger.errors import NotFoundError
from turnledger.query.findings import Finding
from turnledger.query.verify import verify_ledger

__all__ = [
    "AGENTS",
    "DESK",
    "FLIGHTS",
    "NIGHT_FLIGHTS",
    "Highlights",
    "Recorded",
    "alter",
    "check",
    "play_scenes",
    "record",
    "stage",
]

FLIGHTS: Final = "flights (replay)"
NIGHT_FLIGHTS: Final = "flights at night (replay)"
DESK: Final = "desk (scenes)"
WAREHOUSE: Final = "warehouse (scenes)"
AGENTS: Final = frozenset({FLIGHTS, NIGHT_FLIGHTS, DESK, WAREHOUSE})
"""Names of all agents of the demo."""

_ALL: Final = 1000
_LIE: Final = ("validated=0", "validated=1")


@dataclass(frozen=True, slots=True)
class Highlights:
    """Turns worth a look: approved by a person, waiting for one, with refused arguments."""

    refund: UUID
    waiting: UUID
    broken_arguments: UUID


@dataclass(frozen=True, slots=True)
class Recorded:
    """What was recorded; ``seconds`` is how long that took, waiting for the disk included.

    ``conversations`` begins with the first one; ``interrupted`` is the turn whose process was killed.
    """

    conversations: tuple[UUID, ...]
    turns: int
    events: int
    seconds: float
    highlights: Highlights
    interrupted: UUID


def record(ledger: Path, number: int) -> Recorded:
    """Replay the first ``number`` recorded conversations and play the scenes, into the ledger at that path.

    Raises LedgerError where the ledger cannot be used.
    """
    with doomed(ledger, DESK, "demo:1/dm-jo") as process:
        with open_ledger(ledger) as opened:
            started = SYSTEM.monotonic_us()
            agent = opened.agent(FLIGHTS, environment="replay")
            for told in islice(conversations(), number):
                Replay(agent, told, 1).run()
            highlights = play_scenes(stage(opened, AT_ONCE, 1))
            seconds = (SYSTEM.monotonic_us() - started) / 1_000_000
        interrupted = process.kill()
    open_ledger(ledger).close()  # whoever opens a ledger ends the turns whose writer is gone
    with open_reading(ledger) as reading:
        rows = reading.conversations(limit=_ALL)
    return Recorded(
        conversations=tuple(row.id for row in reversed(rows)),
        turns=sum(row.turns for row in rows),
        events=sum(row.events for row in rows),
        seconds=seconds,
        highlights=highlights,
        interrupted=interrupted,
    )


def stage(opened: Ledger, pace: Pace, number: int) -> Stage:
    """Where the scenes play in a ledger, for one round of them."""
    desk, warehouse = (opened.agent(name, environment="scripted") for name in (DESK, WAREHOUSE))
    return Stage(desk, warehouse, pace, number)


def play_scenes(desk: Stage) -> Highlights:
    """All scenes, once."""
    scenes.listen_in_a_room(desk)
    refund = scenes.ask_for_refund(desk)
    broken_arguments = trouble.ask_to_hold(desk)
    trouble.change_ones_mind(desk)
    waiting = scenes.leave_waiting(desk)
    scenes.ask_a_colleague(desk)
    trouble.run_out_of_steps(desk)
    trouble.lose_the_provider(desk)
    return Highlights(refund, waiting, broken_arguments)


def check(ledger: Path) -> list[Finding]:
    """What is found in every journal of the ledger, bodies hashed."""
    with open_reading(ledger) as reading:
        return [Finding.of_journal(found) for found in verify_ledger(reading.reader)]


def alter(ledger: Path, turn: UUID) -> Alteration:
    """Pretend, behind the ledger's back, that arguments which were refused in a turn had been validated."""
    with open_reading(ledger) as reading:
        rows = [entry.row for entry in reading.events(turn)]
    refused = next((row for row in rows if row.type == "TOOL_CALL" and _LIE[0] in row.summary), None)
    if refused is None:
        msg = f"Turn {turn} has no call whose arguments were refused."
        raise NotFoundError(msg, next_step="Run the demo again.")
    return alter_one_byte(ledger, refused, *_LIE)
