"""Fixtures of the recorder's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.unit.capture.house import House, opened

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def house() -> Iterator[House]:
    with opened() as made:
        yield made
