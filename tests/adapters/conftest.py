"""A provider, a ledger and what was recorded in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import pytest

import turnledger
import turnledger.errors
from tests.adapters.stub import Provider, running

__all__ = ["Recorder", "Step"]


class Step(NamedTuple):
    """An event: its type, its tokens and its payload."""

    type: str
    tokens: dict[str, str]
    payload: bytes | None


class Recorder:
    """A conversation to record in, and a look at what came of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ledger = turnledger.open(str(path))
        self.conversation = self.ledger.agent("support").conversation("chat:1")

    def steps(self, turn: turnledger.Turn, *types: str) -> list[Step]:
        """The turn's events of these types, in order; all but its first and last where none is named."""
        with turnledger.read(str(self.path)) as reading:
            return [
                Step(entry.row.type, dict(entry.tokens), _payload(reading, entry.row.event_id))
                for entry in reading.events(turn.id)
                if (entry.row.type in types if types else entry.row.type not in {"INTAKE", "COMMIT", "ABORT"})
            ]

    def body(self, turn: turnledger.Turn, seq: int, slot: str) -> bytes | None:
        """One body of the turn's event at ``seq``."""
        with turnledger.read(str(self.path)) as reading:
            return reading.body(reading.events(turn.id)[seq].row.event_id, slot)


def _payload(reading: turnledger.Reading, event: UUID) -> bytes | None:
    try:
        return reading.body(event)
    except turnledger.errors.NotFoundError:
        return None


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running() as provider:
        yield provider


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    recorder = Recorder(tmp_path / "agent.ledger")
    yield recorder
    recorder.ledger.close()
