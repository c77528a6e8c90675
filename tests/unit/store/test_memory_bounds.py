"""What the store remembers is bounded, and it remembers what was used last."""

from __future__ import annotations

import subprocess
import sys
from uuid import UUID

from turnledger.store import heads
from turnledger.store.heads import Heads
from turnledger.store.part_cache import PartCache
from turnledger.store.state import AgentState, Changes, Wants


def _keep(memory: Heads, *numbers: int) -> None:
    changes = Changes()
    for number in numbers:
        changes.agents[number] = AgentState(number, UUID(int=number), "", 0, new=True)
    memory.keep(changes)


def test_heads_that_were_not_used_for_longest_are_forgotten() -> None:
    memory = Heads()
    _keep(memory, *range(heads.REMEMBERED))
    _keep(memory, 0)
    _keep(memory, heads.REMEMBERED)
    assert len(memory.agents) == heads.REMEMBERED
    wanted = {UUID(int=number) for number in (0, 1, 2)}
    missing, found = memory.take(Wants(agents=wanted))
    assert missing.agents == {UUID(int=1)}
    assert {agent.aid for agent in found.agents.values()} == {0, 2}
    assert not any(agent.new for agent in found.agents.values())


def test_parts_are_kept_within_their_bytes() -> None:
    cache = PartCache(100_000)
    for part in range(50):
        cache.put(part, bytes(10_000))
        assert cache.get(0) is not None
    kept = [part for part in range(50) if cache.get(part) is not None]
    assert kept[0] == 0
    assert 5 <= len(kept) <= 10
    cache.put(0, bytes(200_000))
    assert [part for part in range(50) if cache.get(part) is not None] == []


def test_a_part_that_is_put_again_counts_once() -> None:
    cache = PartCache(30_000)
    for _ in range(100):
        cache.put(1, bytes(10_000))
        cache.put(2, bytes(10_000))
    assert cache.get(1) == cache.get(2) == bytes(10_000)


def test_recording_loads_no_event_loop() -> None:
    """Programs that have none of their own save 3 MB of memory."""
    code = "import sys, turnledger; turnledger.open('memory:').close(); sys.exit('asyncio' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
