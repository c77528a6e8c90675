"""Bodies come back byte for byte, whole and in ranges, or say that they are gone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.conformance.handwriting import Hand, tamper
from turnledger.errors import LedgerCorruptError
from turnledger.model.rows import BodyRow
from turnledger.store.body_heads import BodyHead, body_heads
from turnledger.store.contract import RecordedBody
from turnledger.wire.commitment import payload_hash
from turnledger.wire.recipe import Kind, reference

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.store.contract import BodyContent

EVERY_BYTE = bytes(range(256)) * 40
HISTORY = [
    json.dumps(
        {
            "messages": [
                {"role": "user", "content": f"{number} " + "Wörter — 名前 \n" * 90}
                for number in range(length)
            ]
        },
        ensure_ascii=False,
    ).encode()
    for length in range(1, 9)
]
SAMPLES = {
    "empty": b"",
    "byte": b"\x00",
    "every byte": EVERY_BYTE,
    "no utf-8": b"\xff\xfe\xed\xa0\x80" * 500,
    "history": HISTORY[-1],
}


def _body(hand: Hand, event: UUID, slot: str = "payload") -> BodyContent:
    body = hand.reader.body(event, slot)
    assert body is not None
    assert not isinstance(body, BodyRow)
    return body


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())
def test_a_body_is_exactly_what_was_given(hand: Hand, sample: bytes) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent, talk, turn) as change:
        event = change.event(turn, "MODEL_CALL", "form=wire", {"payload": sample, "supplied": sample + b"!"})
        commitment = change.changes.events[-1].payload_hash
    body = _body(hand, event)
    assert b"".join(body.read()) == sample
    assert body.size == len(sample)
    assert payload_hash(sample, body.salt) == commitment
    assert b"".join(_body(hand, event, "supplied").read()) == sample + b"!"
    assert hand.reader.body(event, "attachment-0") is None
    for start, stop in ((0, 1), (1, None), (100, 300), (len(sample) - 1, len(sample)), (0, len(sample) + 5)):
        if 0 <= start <= len(sample):
            assert b"".join(body.read(start, stop)) == sample[start:stop]


def test_a_growing_history_comes_back(hand: Hand, other: Hand) -> None:
    agent, talk, turn = hand.opened()
    events: list[UUID] = []
    for number, request in enumerate(HISTORY):
        with (hand, other)[number % 2].change(agent, talk, turn) as change:
            events.append(change.event(turn, "MODEL_CALL", "form=wire", {"payload": request}))
    with hand.reader.snapshot():
        for event, request in zip(events, HISTORY, strict=True):
            assert b"".join(_body(hand, event).read()) == request
        recipes = [row[4] for rows in hand.reader.recorded_bodies(turn) for row in rows]
        rebuilt = [b"".join(pieces) for _, pieces in hand.reader.rebuilder().read_all(recipes)]
    assert rebuilt == HISTORY


def test_heads_are_read_together_and_none_harms_another(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    samples = [*SAMPLES.values(), HISTORY[-1]]
    with hand.change(agent, talk, turn) as change:
        events = [change.event(turn, "MODEL_CALL", "form=wire", {"payload": one}) for one in samples]
        pruned = change.event(turn, "MODEL_CALL", "form=wire", {"supplied": b"secret"})
        damaged = change.event(turn, "MODEL_CALL", "form=wire", {"attachment-0": b"damaged"})
    tamper(
        hand.url,
        "UPDATE bodies SET salt = NULL, recipe = NULL WHERE slot = 'supplied'",
        "UPDATE bodies SET recipe = substr(salt, 1, 0) WHERE slot = 'attachment-0'",
    )
    salts = [_body(hand, event).salt for event in events]
    for limit in (0, 1, 100, 70_000, 1 << 30):
        wanted = [(event, "payload", limit) for event in events]
        wanted += [(pruned, "supplied", limit), (damaged, "attachment-0", limit), (damaged, "payload", limit)]
        *heads, gone, torn, none = body_heads(hand.reader, wanted)
        assert heads == [
            BodyHead(len(one), salt, one[:limit]) for one, salt in zip(samples, salts, strict=True)
        ]
        assert (gone, none) == (BodyHead(6, None, None), None)
        assert torn is not None
        assert (torn.present, torn.size, torn.data) == (True, 7, None)
    assert body_heads(hand.reader, []) == []


def test_a_pruned_body_says_so(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent, talk, turn) as change:
        event = change.event(turn, "MODEL_CALL", "form=wire", {"payload": b"secret", "supplied": b"kept"})
    tamper(hand.url, "UPDATE bodies SET salt = NULL, recipe = NULL WHERE slot = 'payload'")
    assert hand.reader.body(event, "payload") == BodyRow("payload", 6, present=False)
    assert b"".join(_body(hand, event, "supplied").read()) == b"kept"
    row = hand.reader.event(event)
    assert row is not None
    assert [body.present for body in row.bodies] == [False, True]
    [rows] = hand.reader.recorded_bodies(turn)
    assert [RecordedBody(*row).recipe is None for row in rows] == [True, False]


def test_a_missing_part_is_damage(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent, talk, turn) as change:
        event = change.event(turn, "MODEL_CALL", "form=wire", {"payload": HISTORY[-1]})
    tamper(hand.url, "DELETE FROM parts")
    with pytest.raises(LedgerCorruptError):
        b"".join(_body(hand, event).read())


@pytest.mark.parametrize("part", [2**63 - 1, 2**63, 2**65])
def test_a_recipe_that_names_what_cannot_be_is_damage(hand: Hand, part: int) -> None:
    recipe = b"\0" + reference(Kind.RAW, 5, part)
    with hand.reader.snapshot(), pytest.raises(LedgerCorruptError, match="missing"):
        list(hand.reader.rebuilder().read_all([recipe]))
