"""Fixtures of the conformance suite: the same tests for every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.handwriting import Hand

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def hand(engine: str) -> Iterator[Hand]:
    """A new store, once for each engine."""
    writer = Hand(engine)
    yield writer
    writer.close()


@pytest.fixture
def other(hand: Hand) -> Iterator[Hand]:
    """A second program on the same store."""
    writer = Hand(hand.url)
    yield writer
    writer.close()
