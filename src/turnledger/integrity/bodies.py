"""Bodies and detail records against the digests that the chain covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from turnledger.errors import ForeignFileError
from turnledger.wire.commitment import payload_hash, plain_hash
from turnledger.wire.details import detail_digest
from turnledger.wire.strict_json import loads

__all__ = ["DetailRecord", "body_matches", "detail_token", "read_detail"]


@dataclass(frozen=True, slots=True)
class DetailRecord:
    """What a verified detail record commits: slot → hex digest, and the id of its event."""

    slots: Mapping[str, str] = field(default_factory=dict)
    event_id: str | None = None


def body_matches(digest: str, data: bytes, salt: bytes | None) -> bool:
    """Whether ``digest`` (hex) is the commitment of ``data``; ``salt`` None means plain SHA-256.

    Raises GrammarError for a salt of another length than 32 bytes.
    """
    return (plain_hash(data) if salt is None else payload_hash(data, salt)).hex() == digest


def detail_token(summary: str) -> str | None:
    """The digest that a summary's last token names for its detail record, None where it has none."""
    last = summary.rpartition(" ")[2]
    return last.removeprefix("detail=") if last.startswith("detail=") else None


def read_detail(named: str, detail: bytes) -> DetailRecord | None:
    """The detail record with the hex digest ``named``; None where ``detail`` is another one or no record."""
    if detail_digest(detail) != named:
        return None
    try:
        record = loads(detail, "detail record")
    except ForeignFileError:
        return None
    if not isinstance(record, dict):
        return None
    slots, event_id = record.get("slots"), record.get("id")
    return DetailRecord(
        {
            slot: str(entry["commitment"])
            for slot, entry in (slots.items() if isinstance(slots, Mapping) else ())
            if isinstance(entry, Mapping) and "commitment" in entry
        },
        event_id if isinstance(event_id, str) else None,
    )
