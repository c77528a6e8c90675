"""Opening links again: patient once in an outage, quick for the rest of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from turnledger.errors import LedgerUnavailableError
from turnledger.store.postgres.redial import Redial

if TYPE_CHECKING:
    from turnledger.store.postgres.link import Link


class Server:
    """Answers from its ``back_at`` second on, and counts who asked."""

    def __init__(self, back_at: float) -> None:
        self.back_at = back_at
        self.asked = 0
        self.seconds = 0.0

    def open_link(self) -> Link:
        self.asked += 1
        if self.seconds < self.back_at:
            msg = "nobody there"
            raise LedgerUnavailableError(msg, next_step="look")
        return cast("Link", object())

    # The clock.

    def epoch_ms(self) -> int:
        return 0

    def monotonic_us(self) -> int:
        return int(self.seconds * 1_000_000)

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds


def test_a_restart_is_waited_for() -> None:
    server = Server(back_at=3)
    Redial(server.open_link, server).open(patient=True)
    assert 3 <= server.seconds < 5
    assert server.asked > 3


def test_an_impatient_caller_asks_once() -> None:
    server = Server(back_at=3)
    with pytest.raises(LedgerUnavailableError):
        Redial(server.open_link, server).open(patient=False)
    assert (server.asked, server.seconds) == (1, 0)


def test_an_outage_is_waited_for_once_and_asked_about_once_a_second() -> None:
    server = Server(back_at=60)
    redial = Redial(server.open_link, server)
    with pytest.raises(LedgerUnavailableError):
        redial.open(patient=True)
    waited, asked = server.seconds, server.asked
    assert 4 < waited < 6
    for _ in range(100):
        with pytest.raises(LedgerUnavailableError, match="nobody there") as caught:
            redial.open(patient=True)
        assert caught.value.next_step == "look"
    assert (server.seconds, server.asked) == (waited, asked)
    server.seconds += 2
    with pytest.raises(LedgerUnavailableError):
        redial.open(patient=True)
    assert (server.seconds, server.asked) == (waited + 2, asked + 1)
    server.seconds = 61
    redial.open(patient=True)
    server.back_at = 63
    redial.open(patient=True)  # another outage: waited for again
    assert server.seconds >= 63
