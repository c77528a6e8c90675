"""Several programs on one file: nobody meets a lock error, nothing is lost, a dead one holds nobody up."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conformance.handwriting import Hand
from tests.patience import PROGRAM_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

ROOT = Path(__file__).parents[3]
EVENTS = 60

_WRITE = """
import sys
from uuid import UUID
from tests.conformance.handwriting import Hand
from tests.patience import PROGRAM_S
hand = Hand(sys.argv[1])
ids = [UUID(one) for one in sys.argv[3:]]
for number in range(int(sys.argv[2])):
    with hand.change(*ids) as change:
        change.event(ids[2], "PROGRESS", f"kind=ack chars={number}", {"payload": b"x" * 1500})
hand.close()
"""

_READ = """
import sys
from uuid import UUID
from tests.conformance.handwriting import Hand
from tests.patience import PROGRAM_S
reader = Hand(sys.argv[1]).reader
turn, seen, cursor = UUID(sys.argv[5]), 0, 0
while seen < int(sys.argv[2]):
    rows, cursor = reader.since(cursor, 50, None)
    seen += sum(row.journal.id == turn for row in rows)
    with reader.snapshot():
        row = reader.turn(turn)
        assert len(reader.events(turn, 0, 10_000)) == row.events
"""

_DIE = """
import sys, os, signal
from uuid import UUID
from tests.conformance.handwriting import Hand
from tests.patience import PROGRAM_S
hand = Hand(sys.argv[1])
ids = [UUID(one) for one in sys.argv[3:]]
with hand.change(*ids) as change:
    change.event(ids[2], "PROGRESS", "kind=ack chars=1")
    hand.engine.save(change.changes, [], change.projection)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def hand(ledger_path: Path) -> Iterator[Hand]:
    writer = Hand(str(ledger_path))
    yield writer
    writer.close()


def _program(script: str, hand: Hand, count: int, ids: tuple[UUID, ...]) -> subprocess.Popen[bytes]:
    arguments = [hand.url, str(count), *map(str, ids)]
    return subprocess.Popen([sys.executable, "-c", script, *arguments], cwd=ROOT)


@pytest.mark.slow
def test_i04_four_writers_and_two_readers(hand: Hand) -> None:
    ids = hand.opened()
    writers = [_program(_WRITE, hand, EVENTS, ids) for _ in range(4)]
    readers = [_program(_READ, hand, 4 * EVENTS + 1, ids) for _ in range(2)]
    assert [program.wait(PROGRAM_S) for program in (*writers, *readers)] == [0] * 6
    events = hand.reader.events(ids[2], 0, 10_000)
    assert [row.seq for row in events] == list(range(4 * EVENTS + 1))
    flow = hand.reader.flow(ids[1], after=None, before=None, limit=10_000)
    assert [row.position for row in flow] == list(range(4 * EVENTS + 3))
    assert hand.reader.faults() == []


def test_a_writer_that_dies_leaves_no_trace_and_no_lock(hand: Hand) -> None:
    ids = hand.opened()
    assert _program(_DIE, hand, 1, ids).wait(PROGRAM_S) == -signal.SIGKILL
    assert len(hand.reader.events(ids[2], 0, 10)) == 1
    with hand.change(*ids) as change:
        change.event(ids[2], "PROGRESS", "kind=ack chars=2")
    assert [row.seq for row in hand.reader.events(ids[2], 0, 10)] == [0, 1]
    assert hand.reader.faults() == []
