"""The leaf of the seal: ten ASCII lines that name one journal's length and head (contract, section 7).

The grammar is closed and no field can hold a line feed, so one text has one reading.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from turnledger.errors import GrammarError
from turnledger.model.vocabulary import FINAL_STATUSES, JournalKind, TurnStatus

__all__ = ["LEAF_STATUSES", "NO_DETAIL", "Leaf", "LeafKind", "leaf_bytes", "parse_leaf"]

NO_DETAIL: Final = "0" * 64
LEAF_STATUSES: Final = frozenset({*FINAL_STATUSES, TurnStatus.RUNNING, "none"})


class LeafKind(StrEnum):
    """Why the leaf was made: a journal began, went on, ended, or lost bodies on purpose."""

    OPEN = "open"
    HEAD = "head"
    CLOSE = "close"
    ERASE = "erase"


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One leaf.

    ``ordinal`` is the gap-free count of this kind of journal within the agent (nil UUID for the ledger
    journal); ``events`` and ``head`` (hex, 64 zeros if none) describe the journal at that moment;
    ``time_ms`` is the ledger's epoch milliseconds; ``detail`` the hex SHA-256 of a record carried beside
    the leaf or ``NO_DETAIL``; ``status`` one of ``LEAF_STATUSES``.
    """

    kind: LeafKind
    journal_kind: JournalKind
    journal_id: UUID
    agent_id: UUID
    ordinal: int
    events: int
    head: str
    status: str
    time_ms: int
    detail: str = NO_DETAIL


_NUMBER = r"(0|[1-9][0-9]{0,18})"
_UUID = r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"
_LEAF = re.compile(
    "turnledger/leaf/v1\n"
    f"kind ({'|'.join(LeafKind)})\n"
    f"journal ({'|'.join(JournalKind)}) {_UUID}\n"
    f"agent {_UUID}\n"
    f"ordinal {_NUMBER}\n"
    f"events {_NUMBER}\n"
    "head ([0-9a-f]{64})\n"
    f"status ({'|'.join(sorted(LEAF_STATUSES))})\n"
    "time (0|-?[1-9][0-9]{0,18})\n"
    "detail ([0-9a-f]{64})\n"
)


def leaf_bytes(leaf: Leaf) -> bytes:
    """The exact bytes of a leaf; raises GrammarError where a field is outside its grammar."""
    text = (
        "turnledger/leaf/v1\n"
        f"kind {leaf.kind}\n"
        f"journal {leaf.journal_kind} {leaf.journal_id}\n"
        f"agent {leaf.agent_id}\n"
        f"ordinal {leaf.ordinal}\n"
        f"events {leaf.events}\n"
        f"head {leaf.head}\n"
        f"status {leaf.status}\n"
        f"time {leaf.time_ms}\n"
        f"detail {leaf.detail}\n"
    )
    if _LEAF.fullmatch(text) is None:
        msg = f"A seal leaf of journal {leaf.journal_id} holds a value outside its grammar."
        raise GrammarError(msg, next_step="Numbers count from 0, digests are 64 lower-case hex digits.")
    return text.encode("ascii")


def parse_leaf(data: bytes) -> Leaf:
    """The leaf that ``data`` is; raises GrammarError for every byte sequence ``leaf_bytes`` cannot make."""
    match = _LEAF.fullmatch(data.decode("ascii", "replace"))
    if match is None:
        msg = f"These {len(data)} bytes are no turnledger/leaf/v1."
        raise GrammarError(msg, next_step="Take the leaf as the log holds it, byte for byte.")
    kind, journal_kind, journal_id, agent_id, ordinal, events, head, status, time_ms, detail = match.groups()
    return Leaf(
        kind=LeafKind(kind),
        journal_kind=JournalKind(journal_kind),
        journal_id=UUID(journal_id),
        agent_id=UUID(agent_id),
        ordinal=int(ordinal),
        events=int(events),
        head=head,
        status=status,
        time_ms=int(time_ms),
        detail=detail,
    )
