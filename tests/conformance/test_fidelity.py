"""What was hashed is what is stored: byte for byte, whatever the bytes look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.conformance.handwriting import tamper
from turnledger.errors import LedgerCorruptError
from turnledger.model.rows import BodyRow
from turnledger.store.contract import RecordedBody
from turnledger.wire.commitment import payload_hash

if TYPE_CHECKING:
    from uuid import UUID

    from tests.conformance.handwriting import Hand

# A text or jsonb column would refuse the first two, and reorder, merge or respell the third.
BODIES = {
    "d06-nul": b"page\x00one\x00end",
    "d07-surrogate": b'"half an emoji: \xed\xa0\xbd"',
    "e02-json": b'{"zeta": 1, "a": {"inner": 1e5, "b": [1.10, -0]}, "a": {"x": null}, "u": "\\u0000"}',
    "latin-1": "naïve".encode("latin-1"),
    "long": b'{"text":"' + b"\x00 1e5 " * 20_000 + b'"}',
}


def _kept(hand: Hand, data: bytes) -> tuple[UUID, UUID]:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        event = change.event(turn, "TOOL_RESULT", "call=1 tool=read_pdf status=ok", {"payload": data})
    return turn, event


def _read(hand: Hand, event: UUID) -> tuple[bytes, bytes]:
    """The body's bytes and salt, as another program reads them."""
    content = hand.reader.body(event, "payload")
    assert content is not None
    assert not isinstance(content, BodyRow)
    return b"".join(content.read()), content.salt


@pytest.mark.parametrize("data", BODIES.values(), ids=BODIES.keys())
def test_a_body_and_its_hash_come_back_exactly(hand: Hand, other: Hand, data: bytes) -> None:
    turn, event = _kept(hand, data)
    stored, salt = _read(other, event)
    assert stored == data
    [row] = [row for row in other.reader.events(turn, 0, 10) if row.event_id == event]
    assert row.payload_hash == payload_hash(stored, salt)
    [[row_of_body]] = other.reader.recorded_bodies(turn)
    [(_, pieces)] = other.reader.rebuilder().read_all([RecordedBody(*row_of_body).recipe or b""])
    assert b"".join(pieces) == data


def test_e02_an_edited_part_does_not_pass_for_the_body(hand: Hand) -> None:
    _, event = _kept(hand, BODIES["long"])
    tamper(hand.url, "UPDATE parts SET data = (SELECT recipe FROM bodies LIMIT 1)")
    with pytest.raises(LedgerCorruptError):
        _read(hand, event)
