from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from turnledger.errors import GrammarError
from turnledger.ids import NIL
from turnledger.integrity.leaf import Leaf, LeafKind, leaf_bytes, parse_leaf
from turnledger.integrity.merkle import leaf_hash
from turnledger.model.vocabulary import JournalKind

SEAL = json.loads((Path(__file__).parents[3] / "vectors" / "seal.json").read_text("utf-8"))
FIRST: bytes = SEAL["leaves"][0]["bytesUtf8"].encode()
LEAF = Leaf(
    kind=LeafKind.OPEN,
    journal_kind=JournalKind.TURN,
    journal_id=UUID("8cbd8a9f-33c5-4d09-8c12-d9640b09339d"),
    agent_id=UUID("dc63c5c4-ce67-4d7d-aaca-66283a3e46f1"),
    ordinal=0,
    events=1,
    head="2cf7e16cc764ff5504fa3a667f45446e2700fc31a23b3351d25ea56745e39d74",
    status="running",
    time_ms=1_792_058_400_000,
)


def test_leaves_of_the_vectors_come_back_byte_for_byte() -> None:
    for row in SEAL["leaves"]:
        data = row["bytesUtf8"].encode()
        assert leaf_bytes(parse_leaf(data)) == data
        assert len(data) == row["length"]
        assert leaf_hash(data).hex() == row["leafHash"]
    for case in SEAL["monitor"]:
        for text in case["leavesUtf8"]:
            assert leaf_bytes(parse_leaf(text.encode())) == text.encode()


def test_a_built_leaf_is_the_vectors() -> None:
    assert leaf_bytes(LEAF) == FIRST
    assert parse_leaf(FIRST) == LEAF


def test_the_ledger_journal_and_times_before_1970() -> None:
    leaf = replace(LEAF, journal_kind=JournalKind.LEDGER, agent_id=NIL, time_ms=-1, head="0" * 64, events=0)
    assert parse_leaf(leaf_bytes(leaf)) == leaf


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"leaf/v1", b"leaf/v2"),
        (b"kind open", b"kind opened"),
        (b"kind open", b"kind  open"),
        (b"journal turn ", b"journal place "),
        (b"8cbd8a9f", b"8CBD8A9F"),
        (b"ordinal 0", b"ordinal 00"),
        (b"ordinal 0", b"ordinal -1"),
        (b"ordinal 0", b"ordinal 0 "),
        (b"events 1", b"events +1"),
        (b"events 1", "events \uff11".encode()),
        (b"head 2", b"head 22"),
        (b"status running", b"status waiting"),
        (b"time 1", b"time -0"),
        (b"detail 0", b"detail 0\n"),
        (b"\n", b"\r\n"),
    ],
)
def test_bytes_that_no_leaf_has_are_refused(old: bytes, new: bytes) -> None:
    assert old in FIRST
    with pytest.raises(GrammarError):
        parse_leaf(FIRST.replace(old, new))


@pytest.mark.parametrize("data", [b"", FIRST[:-1], FIRST + b"\n", b"\xff" + FIRST])
def test_a_leaf_is_the_whole_text(data: bytes) -> None:
    with pytest.raises(GrammarError):
        parse_leaf(data)


@pytest.mark.parametrize(
    "leaf",
    [
        replace(LEAF, ordinal=-1),
        replace(LEAF, events=True),
        replace(LEAF, head="F" * 64),
        replace(LEAF, status="waiting"),
        replace(LEAF, detail="0" * 63),
        replace(LEAF, status="running\ntime 1"),
    ],
)
def test_a_leaf_outside_the_grammar_is_not_built(leaf: Leaf) -> None:
    with pytest.raises(GrammarError):
        leaf_bytes(leaf)
