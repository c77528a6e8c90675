"""What is read beside the rows of events agrees with the readers that look at everything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.model.tokens import parse_summary, read_token
from turnledger.query import row_facts
from turnledger.query.row_facts import Slots, are_named
from turnledger.wire.details import encode_detail

ID = bytes(range(16))


@given(st.lists(st.sampled_from(["turn=1", "turn=2", "turns=3", "turn=", "turn", "head=%41", "=x", ""])))
def test_one_token_is_the_one_that_all_of_them_have(words: list[str]) -> None:
    summary = " ".join(words)
    for key in ("turn", "head", "missing"):
        assert read_token(summary, key) == parse_summary(summary).get(key, "")


def test_an_id_is_looked_for_as_a_member_of_the_record_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f'{{"id":"{ID.hex()}"}}'
    inner: list[dict[str, object]] = [
        {"a": {"id": ID.hex()}},
        {"a": text},
        {"a": [{"id": ID.hex()}], "id": "7"},
        {"id": ID.hex() + "0"},
    ]
    assert not any(are_named([ID], [encode_detail(record)]) for record in inner)
    assert are_named([ID, ID], [encode_detail(record | {"id": ID.hex()}) for record in inner[:2]])
    assert not are_named([ID], [encode_detail({"id": ID.hex() + "0"})])
    assert not are_named([ID[:15]], [encode_detail({"id": ID.hex()})])
    assert not are_named([ID], [b"{" + text.encode()])
    monkeypatch.delattr(row_facts, "decode_detail")
    assert are_named([ID], [encode_detail({"connector": "x", "id": ID.hex(), "z": {"id": "7"}})])


def test_body_rows_go_with_their_events_however_they_are_portioned() -> None:
    rows = [(seq, slot) for seq in (0, 2, 2, 3, 7) for slot in ("payload",)]
    for size in range(1, 6):
        slots = Slots(iter([rows[start : start + size] for start in range(0, len(rows), size)]))
        assert [slots.until(seq) for seq in (0, 1, 2, 5)] == [rows[:1], [], rows[1:3], rows[3:4]]
        assert slots.until(None) == rows[4:]
        assert slots.until(None) == []
