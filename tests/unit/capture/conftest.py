"""Fixtures of the recorder's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.capture.house import House, opened
from turnledger.capture.context import _entered

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _no_scope_left_behind() -> Iterator[None]:
    """Tests that leave a turn as a killed process does leave it open in this context too."""
    yield
    _entered.set(None)


@pytest.fixture
def house() -> Iterator[House]:
    with opened() as made:
        yield made
