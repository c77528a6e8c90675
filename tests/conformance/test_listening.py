"""Waiting for news: told of every program's appends, let go at once when closed."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.patience import NEVER_S, PATIENCE_S, eventually
from turnledger.broadcast.watcher import Watcher
from turnledger.errors import LedgerUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    from tests.conformance.handwriting import Hand
    from turnledger.model.rows import EventRow


def test_news_of_another_program_wake(hand: Hand, other: Hand) -> None:
    listener = hand.database.listener()
    while listener.wait(0.1):
        continue  # a first look may come back at once

    def append() -> None:
        other.opened()
        other.engine.notify()

    timer = threading.Timer(0.1, append)
    timer.start()
    assert listener.wait(NEVER_S)
    timer.join()
    listener.close()


def test_closing_ends_a_wait(hand: Hand) -> None:
    listener = hand.database.listener()
    threading.Timer(0.1, listener.close).start()
    while listener.wait(NEVER_S):
        continue
    listener.close()
    assert not listener.wait(NEVER_S)


def test_a_watcher_hands_on_what_comes_while_it_is_awake(hand: Hand, other: Hand) -> None:
    met: list[EventRow] = []
    arrived = threading.Event()

    def hand_on(rows: Sequence[EventRow]) -> None:
        met.extend(rows)
        arrived.set()

    watcher = Watcher(lambda: hand.reader, hand.database.listener, hand_on)
    watcher.start()
    other.opened("before anybody watched")
    watcher.wake()
    other.opened("watched")
    other.engine.notify()
    assert arrived.wait(PATIENCE_S)
    watcher.sleep()
    other.opened("while it slept")
    watcher.wake()
    arrived.clear()
    agent, *_ = other.opened("watched again")
    other.engine.notify()
    assert arrived.wait(PATIENCE_S)
    watcher.stop()
    watcher.stop()
    names = {row.id: row.name for row in hand.reader.agents()}
    assert {names[row.agent] for row in met} == {"watched", "watched again"}
    assert [row.cursor for row in met] == sorted({row.cursor for row in met})
    assert names[agent] == "watched again"


def test_a_watcher_goes_on_where_it_was_after_a_failure(
    hand: Hand, other: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.broadcast.watcher.LOOK_ANYWAY_S", 0.05)
    met: list[EventRow] = []
    is_broken = threading.Event()
    has_failed = threading.Event()
    real = hand.reader.since

    def since(cursor: int, limit: int, agent: UUID | None) -> tuple[list[EventRow], int]:
        if is_broken.is_set():
            has_failed.set()
            msg = "gone"
            raise LedgerUnavailableError(msg)
        return real(cursor, limit, agent)

    monkeypatch.setattr(hand.reader, "since", since)
    watcher = Watcher(lambda: hand.reader, hand.database.listener, met.extend)
    watcher.start()
    watcher.wake()
    is_broken.set()
    other.opened("meanwhile")
    assert has_failed.wait(PATIENCE_S)
    is_broken.clear()
    eventually(lambda: len(met) >= 3)
    watcher.stop()
    assert [row.type for row in met] == ["OPENED", "TURN_OPENED", "INTAKE"]
