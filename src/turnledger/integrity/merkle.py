"""The Merkle tree of RFC 6962 section 2.1 with SHA-256: hashes, root, and both kinds of proof.

Verification follows RFC 9162 sections 2.1.3.2 and 2.1.4.2.  Hashes are 32 bytes; a proof holding
anything else fails, so that no input can be read in two ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

__all__ = [
    "EMPTY_ROOT",
    "HASH_BYTES",
    "leaf_hash",
    "node_hash",
    "tree_root",
    "verify_consistency",
    "verify_inclusion",
]

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """The hash of one log entry: SHA-256(0x00 || entry)."""
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an interior node: SHA-256(0x01 || left || right)."""
    return sha256(b"\x01" + left + right).digest()


def tree_root(leaf_hashes: Iterable[bytes]) -> bytes:
    """The root over leaf hashes in order; memory grows with the logarithm of their number."""
    peaks: list[tuple[int, bytes]] = []
    for leaf in leaf_hashes:
        size, node = 1, leaf
        while peaks and peaks[-1][0] == size:
            node = node_hash(peaks.pop()[1], node)
            size *= 2
        peaks.append((size, node))
    if not peaks:
        return EMPTY_ROOT
    root = peaks.pop()[1]
    while peaks:
        root = node_hash(peaks.pop()[1], root)
    return root


def verify_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether the leaf hash ``leaf`` stands at ``index`` of the tree with ``size`` leaves and ``root``."""
    if not (0 <= index < size and _are_hashes(leaf, root, *proof)):
        return False
    node, last, computed = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            computed = node_hash(sibling, computed)
            # A right edge without a partner is carried up unhashed: skip those levels.
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            computed = node_hash(computed, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and computed == root


def verify_consistency(size1: int, size2: int, root1: bytes, root2: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the tree (``size2``, ``root2``) extends (``size1``, ``root1``); no proof starts from size 0."""
    if not (1 <= size1 <= size2 and _are_hashes(root1, root2, *proof)):
        return False
    if size1 == size2:
        return not proof and root1 == root2
    # The old root is no part of the proof where the old tree is complete.
    path = [root1, *proof] if size1 & (size1 - 1) == 0 else list(proof)
    if not path:
        return False
    return _walk(size1 - 1, size2 - 1, path) == (root1, root2)


def _walk(node: int, last: int, path: list[bytes]) -> tuple[bytes, bytes] | None:
    """Old and new root that a consistency path leads to, None where its length does not fit."""
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return None
        if node & 1 or node == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            while not node & 1 and node:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, sibling)
        node, last = node >> 1, last >> 1
    return (old, new) if last == 0 else None


def _are_hashes(*values: bytes) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
