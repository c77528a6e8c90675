"""A few agents that talk on at a person's pace, so that whoever watches sees the ledger move."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from turnledger.engine.demo import scenes
from turnledger.engine.demo.live_agent import LIVE, live_rounds
from turnledger.engine.demo.live_model import LiveModel
from turnledger.engine.demo.pace import Pace
from turnledger.engine.demo.replay import Replay
from turnledger.engine.demo.script import conversations
from turnledger.engine.demo.stage import Stage
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
_PATIENCE: Final = 3


class Talk:
    """Two agents that replay the recorded conversations and one that plays the scenes, again and again.

    With a ``model``, one more asks it a few questions.  They record into the ledger at ``path`` from
    ``__enter__`` to ``__exit__``, each on a thread of its own; ``tell`` takes a line for people.
    """

    def __init__(
        self, path: Path, speed: float, tell: Callable[[str], None], model: LiveModel | None = None
    ) -> None:
        self._path = path
        self._tell = tell
        self._pace = Pace(speed)
        self._ledger = open_ledger(path)
        rounds = [self._replays(FLIGHTS, 0), self._replays(NIGHT_FLIGHTS, _SKIPPED), self._desk()]
        if model is not None:
            rounds.append(live_rounds(self._ledger.agent(LIVE), model, tell))
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

    def _run(self, rounds: Iterator[Callable[[], None]]) -> None:
        failures = 0
        try:
            for play in rounds:
                failures = 0 if self._has_played(play) else failures + 1
                if failures == _PATIENCE:
                    self._tell("An agent has stopped: nothing that it does can be recorded.")
                    return
                if self._path.stat().st_size > LIMIT_MB * _MB:
                    self._tell(f"The ledger's file has {LIMIT_MB} MB, so an agent has fallen silent.")
                    return
                self._pace.wait(_BETWEEN_S)
        except KeyboardInterrupt:
            return

    def _has_played(self, play: Callable[[], None]) -> bool:
        try:
            play()
        except LedgerError as error:  # such as TurnLost, where the machine slept in the middle of a turn
            self._tell(f"A conversation broke off. {error}")
            return False
        return True

    def _replays(self, name: str, skipped: int) -> Iterator[Callable[[], None]]:
        agent = self._ledger.agent(name, environment="replay")
        told = islice(cycle(conversations()), skipped, None)
        for number, transcript in enumerate(told, _FIRST_ROUND):
            yield Replay(agent, transcript, number, self._pace).run

    def _desk(self) -> Iterator[Callable[[], None]]:
        for number in count(_FIRST_ROUND):
            yield partial(self._play_scenes, stage(self._ledger, self._pace, number))

    def _play_scenes(self, desk: Stage) -> None:
        waiting = play_scenes(desk).waiting
        self._pace.wait(_BETWEEN_S)
        scenes.settle(desk.agent, waiting)
