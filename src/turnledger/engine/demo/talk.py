"""A few agents that talk on at a person's pace, so that whoever watches sees the ledger move."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from itertools import count, cycle, islice
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from turnledger.engine.demo import scenes
from turnledger.engine.demo.pace import Pace
from turnledger.engine.demo.replay import Replay
from turnledger.engine.demo.script import conversations
from turnledger.engine.demo.tour import FLIGHTS, NIGHT_FLIGHTS, play_scenes, stage
from turnledger.engine.recorder import open_ledger
from turnledger.errors import LedgerError

__all__ = ["LIMIT_MB", "Talk"]

LIMIT_MB: Final = 200
"""Size of the ledger's file beyond which the agents fall silent."""

_MB: Final = 1_000_000
_BETWEEN_S: Final = 3.0
_FIRST_ROUND: Final = 2
_SKIPPED: Final = 4


class Talk:
    """Two agents that replay the recorded conversations and one that plays the scenes, again and again.

    They record into the ledger at ``path`` from ``__enter__`` to ``__exit__``, each on a thread of its own;
    ``tell`` takes a line for people.
    """

    def __init__(self, path: Path, speed: float, tell: Callable[[str], None]) -> None:
        self._path = path
        self._tell = tell
        self._pace = Pace(speed)
        self._ledger = open_ledger(path)
        rounds = (self._replays(FLIGHTS, 0), self._replays(NIGHT_FLIGHTS, _SKIPPED), self._desk())
        self._threads = [
            threading.Thread(target=self._run, args=(one,), name="turnledger-demo", daemon=True)
            for one in rounds
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Turns that are under way end as cancelled."""
        self._pace.stop()
        for thread in self._threads:
            thread.join()
        self._ledger.close()

    def _run(self, rounds: Iterator[None]) -> None:
        try:
            for _ in rounds:
                self._pace.wait(_BETWEEN_S)
                if self._path.stat().st_size > LIMIT_MB * _MB:
                    self._tell(f"The ledger holds {LIMIT_MB} MB, so an agent has fallen silent.")
                    return
        except KeyboardInterrupt:
            return
        except (LedgerError, OSError) as error:
            self._tell(f"An agent has stopped: {error}")

    def _replays(self, name: str, skipped: int) -> Iterator[None]:
        agent = self._ledger.agent(name, environment="replay")
        told = islice(cycle(conversations()), skipped, None)
        for number, transcript in enumerate(told, _FIRST_ROUND):
            Replay(agent, transcript, number, self._pace).run()
            yield

    def _desk(self) -> Iterator[None]:
        for number in count(_FIRST_ROUND):
            desk = stage(self._ledger, self._pace, number)
            waiting = play_scenes(desk).waiting
            yield
            scenes.settle(desk.agent, waiting)
