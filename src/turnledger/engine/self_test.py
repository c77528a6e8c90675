"""How fast this machine makes things durable: its disk alone, then the recorder on the same disk."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from turnledger.clock import SYSTEM
from turnledger.engine.demo.replay import Replay
from turnledger.engine.demo.script import conversations
from turnledger.engine.location import connect
from turnledger.engine.reading import open_reading
from turnledger.engine.recorder import open_ledger
from turnledger.errors import LedgerUnavailableError

__all__ = ["Measured", "measure"]

FLUSHES = 200
MESSAGES = 200
BYTES = 1000


@dataclass(frozen=True, slots=True)
class Measured:
    """Durations in milliseconds (medians), rates a second, size in bytes."""

    flush_ms: float
    append_ms: float
    turns_per_second: float
    events_per_second: float
    bytes_per_turn: float


def measure(folder: Path) -> Measured:
    """Measure on the disk that ``folder`` is on; everything written is removed again.

    Raises LedgerUnavailableError where nothing can be written there.
    """
    try:
        place = tempfile.TemporaryDirectory(prefix=".turnledger-bench-", dir=folder)
    except OSError as error:
        msg = f"Nothing can be written in {folder}: {error.strerror}."
        raise LedgerUnavailableError(msg, next_step="Name another folder.") from error
    with place as name:
        flush = _flush_ms(Path(name) / "flushed")
        append = _append_ms(Path(name) / "appended.db")
        turns, events, seconds, size = _turns(Path(name) / "turns.db")
    return Measured(flush, append, turns / seconds, events / seconds, size / turns)


def _median_ms(work: Callable[[int], object], number: int) -> float:
    times: list[int] = []
    for place in range(number):
        start = SYSTEM.monotonic_us()
        work(place)
        times.append(SYSTEM.monotonic_us() - start)
    return median(times) / 1000


def _flush_ms(path: Path) -> float:
    """Bytes written to the end of a file and flushed to the disk."""
    with path.open("ab", buffering=0) as file:

        def flush(_place: int) -> None:
            file.write(bytes(BYTES))
            os.fsync(file.fileno())

        return _median_ms(flush, FLUSHES)


def _append_ms(path: Path) -> float:
    """Messages of as many bytes, one after the other."""
    with open_ledger(path) as ledger:
        talk = ledger.agent("bench").conversation("bench")
        talk.inbound("Hello.")
        return _median_ms(lambda place: talk.inbound(f"{place:>{BYTES}}"), MESSAGES)


def _turns(path: Path) -> tuple[int, int, float, int]:
    """The demo's conversations, all at once: turns, events, seconds, bytes of the closed ledger."""
    with open_ledger(path) as ledger:
        agent = ledger.agent("bench")
        replays = [Replay(agent, told, 1) for told in conversations()]
        start = SYSTEM.monotonic_us()
        with ThreadPoolExecutor(len(replays)) as pool:
            for done in [pool.submit(replay.run) for replay in replays]:
                done.result()
        seconds = (SYSTEM.monotonic_us() - start) / 1_000_000
    with open_reading(path) as reading:
        rows = reading.conversations()
    connect(path).open().close()  # alone with the file, it writes the log back
    size = sum(part.stat().st_size for part in path.parent.glob(f"{path.name}*"))
    return sum(row.turns for row in rows), sum(row.events for row in rows), seconds, size
