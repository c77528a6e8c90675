"""The verification of a whole ledger: one at a time, in a thread of its own, to be looked at and stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from turnledger.clock import Clock
from turnledger.errors import LedgerError, NotFoundError
from turnledger.integrity.verdict import Verdict, worst
from turnledger.query.verify import Verification, verify_ledger
from turnledger.store.contract import Reader
from turnledger.store.figures import FiguresReader

__all__ = ["CheckState", "LedgerCheck"]

KEPT: Final = 1000
"""Findings that are kept of those that are not sound; the others are counted."""


@dataclass(frozen=True, slots=True)
class CheckState:
    """How far a verification is, or what it found."""

    started_ms: int
    journals: int = 0
    state: Literal["running", "finished", "cancelled", "failed"] = "running"
    finished_ms: int | None = None
    checked: int = 0
    events: int = 0
    verdict: Verdict | None = None
    faults: tuple[str, ...] = ()
    unsound: tuple[Verification, ...] = field(default=())
    unsound_count: int = 0
    error: str | None = None

    def with_finding(self, found: Verification) -> CheckState:
        """The state once this was found too."""
        return replace(
            self,
            checked=self.checked + 1,
            events=self.events + found.events,
            verdict=found.verdict if self.verdict is None else worst((self.verdict, found.verdict)),
            unsound=self.unsound if found.sound or len(self.unsound) >= KEPT else (*self.unsound, found),
            unsound_count=self.unsound_count + (not found.sound),
        )


class LedgerCheck:
    """Starts, shows and stops verifications.  Safe to use from many threads."""

    def __init__(self, reader: Callable[[], Reader], clock: Clock) -> None:
        self._reader = reader
        self._clock = clock
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.latest: CheckState | None = None
        """Of the verification that runs or ran last; None where none did."""

    def last(self) -> CheckState:
        """The verification that runs or ran last.  Raises NotFoundError where none did."""
        if self.latest is None:
            msg = "The ledger was not verified since this server started."
            raise NotFoundError(msg, next_step="Start it with POST /api/integrity/verification.")
        return self.latest

    def start(self) -> CheckState:
        """Begin a verification unless one runs."""
        with self._lock:
            if self.latest is None or self.latest.state != "running":
                self._stop = threading.Event()
                self.latest = CheckState(self._clock.epoch_ms())
                self._thread = threading.Thread(
                    target=self._run, args=(self._stop,), name="turnledger-check", daemon=True
                )
                self._thread.start()
            return self.latest

    def cancel(self) -> CheckState:
        """Stop what runs, and wait until it has stopped.  Raises NotFoundError where nothing ever ran."""
        self._stop.set()
        thread = self._thread
        if thread is not None:
            thread.join()
        return self.last()

    def _run(self, stop: threading.Event) -> None:
        state = self.latest or CheckState(self._clock.epoch_ms())
        try:
            reader = self._reader()
            state = replace(
                state, journals=FiguresReader(self._reader).count_journals(), faults=tuple(reader.faults())
            )
            for found in verify_ledger(reader):
                if stop.is_set():
                    break
                self.latest = state = state.with_finding(found)
            end: Literal["cancelled", "finished"] = "cancelled" if stop.is_set() else "finished"
            state = replace(state, state=end)
        except LedgerError as error:
            state = replace(state, state="failed", error=error.message)
        except Exception as error:  # noqa: BLE001  whoever looks is told, and its text may hold what was recorded
            state = replace(state, state="failed", error=f"A fault of the server ({type(error).__name__}).")
        self.latest = replace(state, finished_ms=self._clock.epoch_ms())
