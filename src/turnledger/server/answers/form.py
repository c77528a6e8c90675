"""What all answers have in common: names in camelCase, times as RFC 3339, lists in pages."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from uuid import UUID

import msgspec

from turnledger.clock import to_iso

__all__ = [
    "Amount",
    "Answer",
    "Cost",
    "Cursor",
    "DamagedRow",
    "Hash",
    "LeftOut",
    "Moment",
    "Money",
    "Tokens",
    "instant",
    "moment",
]

Moment: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        description="RFC 3339, UTC, milliseconds: 2026-11-30T12:00:00.000Z",
        extra_json_schema={"format": "date-time"},
    ),
]
Hash: TypeAlias = Annotated[str, msgspec.Meta(description="64 hex digits", pattern="^[0-9a-f]{64}$")]
Cursor: TypeAlias = Annotated[
    str, msgspec.Meta(description="Opaque: hand it back as it is, it means nothing else.")
]


Amount: TypeAlias = Annotated[
    str,
    msgspec.Meta(
        description="Exact decimal, never rounded: 0.000057",
        pattern="^-?[0-9]+[.][0-9]{2,9}$",
    ),
]


class Answer(msgspec.Struct, rename="camel"):
    """A JSON object of the API."""


class DamagedRow(Answer):
    """A row with a cell that holds what its column cannot; ``id`` of what it is about, where readable."""

    table: str
    column: str
    id: UUID | None


class LeftOut(Answer):
    """Rows that belong here and are left out, because the database is damaged; null where there are none."""

    count: int
    rows: Annotated[
        list[DamagedRow],
        msgspec.Meta(description="The first of them, at most 20, for callers who may see all agents."),
    ]
    next_step: str


class Tokens(Answer):
    """Token counts in disjoint buckets; null where no exchange reported any."""

    in_: Annotated[int | None, msgspec.Meta(description="Input that was not cached.")] = msgspec.field(
        name="in"
    )
    out: Annotated[int | None, msgspec.Meta(description="Visible output.")]
    cache_read: int | None
    cache_write: int | None
    reasoning: int | None


class Money(Answer):
    """An amount of one currency."""

    currency: Annotated[str, msgspec.Meta(description="ISO 4217 code.", pattern="^[A-Z]{3}$")]
    amount: Amount


class Cost(Answer):
    """What model calls cost, summed over those that have a cost record; calls without one are in no count.

    Unknown is never 0: ``unpriced`` counts the calls whose price is not known, ``reasons`` says why.
    """

    amounts: Annotated[list[Money], msgspec.Meta(description="One for each currency.")]
    priced: int
    unpriced: int
    unbilled: Annotated[int, msgspec.Meta(description="Calls that nobody bills, such as refused ones.")]
    reasons: Annotated[dict[str, int], msgspec.Meta(description="Calls without an amount, by why.")]


def moment(epoch_ms: int | None) -> str | None:
    """Epoch milliseconds as the API writes them; None stays None."""
    return None if epoch_ms is None else instant(epoch_ms)


def instant(epoch_ms: int) -> str:
    """The same; a time that no calendar has, which nobody but a forger writes, is told as its number."""
    try:
        return to_iso(epoch_ms)
    except OverflowError:
        return str(epoch_ms)
