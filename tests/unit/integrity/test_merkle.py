from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from turnledger.integrity.merkle import (
    EMPTY_ROOT,
    leaf_hash,
    node_hash,
    tree_root,
    verify_consistency,
    verify_inclusion,
)

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "merkle.json").read_text("utf-8"))
PUBLISHED = VECTORS["published"]
LEAVES = [leaf_hash(bytes.fromhex(leaf)) for leaf in PUBLISHED["leavesHex"]]


def digests(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def inclusion(row: Mapping[str, Any]) -> bool:
    leaf, root = digests([row["leafHash"], row["root"]])
    return verify_inclusion(row["index"], row["size"], leaf, digests(row["proof"]), root)


def consistency(row: Mapping[str, Any]) -> bool:
    old, new = digests([row["root1"], row["root2"]])
    return verify_consistency(row["size1"], row["size2"], old, new, digests(row["proof"]))


def test_published_roots() -> None:
    assert tree_root([]).hex() == EMPTY_ROOT.hex() == PUBLISHED["emptyRoot"]
    assert [tree_root(LEAVES[:size]).hex() for size in range(1, 9)] == PUBLISHED["rootsForSize1to8"]


def test_published_proofs() -> None:
    for row in PUBLISHED["inclusion"]:
        root = PUBLISHED["rootsForSize1to8"][row["size"] - 1]
        assert inclusion({**row, "leafHash": LEAVES[row["index"]].hex(), "root": root})
    for row in PUBLISHED["consistency"]:
        roots = PUBLISHED["rootsForSize1to8"]
        assert consistency({**row, "root1": roots[row["size1"] - 1], "root2": roots[row["size2"] - 1]})


def test_proofs_of_the_vectors() -> None:
    for row in VECTORS["inclusion"]:
        assert inclusion(row) == row["ok"]
    for row in VECTORS["consistency"]:
        assert consistency(row) == row["ok"]


@pytest.mark.parametrize("row", VECTORS["mustFail"], ids=lambda row: f"{row['kind']}: {row['about']}")
def test_proofs_that_must_fail(row: Mapping[str, Any]) -> None:
    assert not (inclusion(row) if row["kind"] == "inclusion" else consistency(row))


def test_large_roots() -> None:
    rows = VECTORS["largeRoots"]["roots"]
    leaves = [leaf_hash(b"leaf %d" % index) for index in range(rows[-1]["size"])]
    assert [tree_root(leaves[: row["size"]]).hex() for row in rows] == [row["root"] for row in rows]


def test_a_node_is_no_leaf() -> None:
    left, right = LEAVES[:2]
    assert node_hash(left, right) != leaf_hash(left + right)


@pytest.mark.parametrize(("index", "size"), [(-1, 8), (8, 8), (0, 0)])
def test_no_leaf_stands_outside_the_tree(index: int, size: int) -> None:
    assert not verify_inclusion(index, size, LEAVES[0], [], LEAVES[0])


def test_a_shrinking_tree_is_not_consistent() -> None:
    old, new = tree_root(LEAVES[:4]), tree_root(LEAVES[:2])
    assert not verify_consistency(4, 2, old, new, [])


def test_hashes_of_another_length_fail() -> None:
    assert not verify_inclusion(0, 1, b"short", [], b"short")
    assert not verify_consistency(1, 1, b"short", b"short", [])
