"""What the rows of events promise of those beside them: whose detail it is, and which bodies there are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

from turnledger.errors import GrammarError, LedgerCorruptError
from turnledger.store.contract import Rebuilder
from turnledger.wire.commitment import NO_PAYLOAD, payload_hash
from turnledger.wire.details import decode_detail

__all__ = ["Commitments", "Slots", "are_named", "bodies_hold", "promised"]

Commitments: TypeAlias = dict[tuple[Any, str], bytes]
"""By seq and slot."""

_Row: TypeAlias = tuple[Any, ...]
_ID_BYTES = 16
_SEQ = itemgetter(0)


class Slots:
    """Body rows in their order, handed out along with the events."""

    def __init__(self, portions: Iterator[list[_Row]]) -> None:
        self._portions = portions
        self._rows = next(portions, [])

    def until(self, seq: object) -> list[_Row]:
        """The rows up to those of the event ``seq`` (all that are left where it is no number)."""
        found: list[_Row] = []
        while self._rows and not (isinstance(seq, int) and self._rows[-1][0] > seq):
            found += self._rows
            self._rows = next(self._portions, [])
        if self._rows and isinstance(seq, int):
            end = bisect_right(self._rows, seq, key=_SEQ)
            found += self._rows[:end]
            self._rows = self._rows[end:]
        return found


def are_named(ids: Sequence[Any], details: Sequence[Any]) -> bool:
    """Whether each of these event ids is the one in its detail, which the chain covers."""
    try:
        for event_id, detail in zip(ids, details, strict=True):
            name = event_id.hex()
            at = detail.find(f'"id":"{name}"'.encode())
            if at < 0 or len(event_id) != _ID_BYTES:
                return False
            # With one brace before it, it is a member of the record itself: in a text quotes are escaped.
            if detail.rfind(b"{", 0, at) != 0 and decode_detail(detail).get("id") != name:
                return False
    except (AttributeError, TypeError, GrammarError):
        return False
    return True


def promised(
    seqs: Sequence[object], payloads: Sequence[Any], details: Sequence[object]
) -> Commitments | None:
    """The commitments to these events' bodies; None where a detail is malformed.

    The payload's is the event's own, those of other slots stand in the detail.
    """
    found: Commitments = {
        (seq, "payload"): payload
        for seq, payload in zip(seqs, payloads, strict=True)
        if payload != NO_PAYLOAD
    }
    try:
        with_slots = [
            (seq, decode_detail(detail).get("slots", {}))
            for seq, detail in zip(seqs, details, strict=True)
            if type(detail) is bytes and b'"slots"' in detail
        ]
        for seq, slots in with_slots:
            if isinstance(slots, dict):
                for slot, one in slots.items():
                    found[seq, slot] = bytes.fromhex(one["commitment"])
    except (GrammarError, KeyError, TypeError, ValueError):
        return None
    return found


def bodies_hold(rebuilder: Rebuilder, rows: Sequence[_Row], commitments: Sequence[bytes]) -> bool:
    """Whether each of these body rows that has a body has the one that was committed."""
    present = [(row, digest) for row, digest in zip(rows, commitments, strict=True) if None not in row]
    rebuilt = rebuilder.read_all([row[4] for row, _ in present])
    try:
        for ((_, _, size, salt, _), digest), (length, pieces) in zip(present, rebuilt, strict=True):
            if length != size or payload_hash(pieces, salt) != digest:
                return False
    except (LedgerCorruptError, ValueError):
        return False
    return True
