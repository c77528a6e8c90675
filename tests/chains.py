"""Journals made by hand, for tests of what reads and verifies them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from turnledger.clock import to_iso
from turnledger.integrity.chain import GENESIS, event_hash
from turnledger.model.draft import Journal
from turnledger.model.rows import EventRow
from turnledger.model.vocabulary import JournalKind
from turnledger.wire.commitment import payload_hash

TURN = UUID("8cbd8a9f-33c5-4d09-8c12-d9640b09339d")
AGENT = UUID("dc63c5c4-ce67-4d7d-aaca-66283a3e46f1")
CONVERSATION = UUID("0190a000-0000-7000-8000-000000000001")
START_MS = 1_792_058_400_000


def salt_of(seq: int) -> bytes:
    """The salt that the events made here use."""
    return sha256(b"salt %d" % seq).digest()


@dataclass(frozen=True)
class Step:
    """One event to be made: payload committed with ``salt_of(seq)``, detail (if any) named in the summary."""

    type: str
    summary: str = ""
    payload: bytes = b"x"
    detail: bytes = b""
    ms: int | None = None


def make_rows(steps: Sequence[Step], journal: Journal | None = None) -> list[EventRow]:
    """The steps as a sound chain, one millisecond apart unless told."""
    journal = journal or Journal(JournalKind.TURN, TURN)
    rows: list[EventRow] = []
    head = GENESIS
    for seq, step in enumerate(steps):
        digest = payload_hash(step.payload, salt_of(seq))
        created = START_MS + seq if step.ms is None else step.ms
        named = [f"detail={sha256(step.detail).hexdigest()}"] if step.detail else []
        summary = " ".join([step.summary, *named])
        head = event_hash(head, str(journal.id), str(AGENT), seq, step.type, digest.hex(), summary, created)
        rows.append(
            EventRow(
                journal=journal,
                agent=AGENT,
                conversation=CONVERSATION,
                seq=seq,
                type=step.type,
                payload_hash=digest,
                summary=summary,
                hash=bytes.fromhex(head),
                created_ms=created,
                event_id=UUID(int=seq),
                position=seq,
                detail=step.detail,
                cursor=seq,
                bodies=(),
            )
        )
    return rows


def make_events(steps: Sequence[Step]) -> list[dict[str, Any]]:
    """The same in the JSON form of journals and fixtures."""
    events: list[dict[str, Any]] = []
    head = GENESIS
    for row in make_rows(steps):
        events.append(
            {
                "seq": row.seq,
                "type": row.type,
                "payloadHash": row.payload_hash.hex(),
                "summary": row.summary,
                "prevHash": head,
                "hash": row.hash.hex(),
                "createdAt": to_iso(row.created_ms),
            }
        )
        head = row.hash.hex()
    return events


def plain_turn(count: int) -> list[Step]:
    """A turn of ``count`` events that ends with COMMIT."""
    return [
        Step("COMMIT" if seq == count - 1 else "MODEL_CALL", f"n={seq}", b"%d" % seq) for seq in range(count)
    ]
