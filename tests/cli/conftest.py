"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.kit import Recorded, open_ledger, record_support


@pytest.fixture
def made(ledger_path: Path) -> Iterator[Recorded]:
    """A new, empty ledger."""
    recorded = open_ledger(ledger_path)
    yield recorded
    recorded.ledger.close()


@pytest.fixture
def support(made: Recorded) -> Recorded:
    """A ledger with one conversation of every sort of event that agents meet."""
    return record_support(made)
