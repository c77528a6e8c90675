"""What model calls cost: records beside the chain, which holds the usage that they follow from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, NamedTuple

__all__ = ["UNBILLED", "CallCost", "CallToPrice", "CostReason", "CostState", "CostSums", "NewCost"]


class CostState(StrEnum):
    """What is known of a call's cost."""

    PRICED = "priced"
    UNPRICED = "unpriced"
    UNBILLED = "unbilled"


class CostReason(StrEnum):
    """Why a call has no amount: the last four are unbilled (nothing to pay), the others unpriced."""

    NO_MODEL = "no-model"
    NO_USAGE = "no-usage"
    UNCLEAR_USAGE = "unclear-usage"
    PARTIAL_USAGE = "partial-usage"
    UNKNOWN_PROVIDER = "unknown-provider"
    UNKNOWN_MODEL = "unknown-model"
    UNKNOWN_TIER = "unknown-tier"
    NO_PRICE_LIBRARY = "no-price-library"
    NOT_STARTED = "not-started"
    ERROR_ANSWER = "error-answer"
    FETCHED = "fetched"
    SEEN_BEFORE = "seen-before"


UNBILLED: Final = frozenset(
    {CostReason.NOT_STARTED, CostReason.ERROR_ANSWER, CostReason.FETCHED, CostReason.SEEN_BEFORE}
)
"""Why nobody bills a call; all other reasons are why its price is not known."""


@dataclass(frozen=True, slots=True)
class CallCost:
    """One record of one call's cost; of several the one with the highest ``edition`` counts.

    ``seq`` is that of the MODEL_RESULT in its journal, ``nano`` the amount in billionths of ``currency``,
    ``provider`` and ``model`` what it was priced as, ``prices`` the version of the tables that were asked.
    """

    seq: int
    edition: int
    state: CostState
    nano: int | None
    currency: str | None
    reason: str | None
    provider: str | None
    model: str | None
    prices: str
    priced_ms: int


@dataclass(slots=True)
class CostSums:
    """Sums over calls by the record that counts; calls without any record are not in them.

    ``nano`` is the amount by currency: currencies are never added up.
    """

    nano: Counter[str] = field(default_factory=Counter[str])
    priced: int = 0
    unpriced: int = 0
    unbilled: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: CostSums) -> None:
        """Take the sums of other calls in."""
        self.nano.update(other.nano)
        self.reasons.update(other.reasons)
        self.priced += other.priced
        self.unpriced += other.unpriced
        self.unbilled += other.unbilled

    def reasons_of(self, state: CostState) -> dict[str, int]:
        """Why calls are unpriced, or unbilled; the most frequent reason first."""
        wanted = state is CostState.UNBILLED
        return {
            reason: count for reason, count in self.reasons.most_common() if (reason in UNBILLED) == wanted
        }

    @property
    def calls(self) -> int:
        """How many calls have a record."""
        return self.priced + self.unpriced + self.unbilled


class CallToPrice(NamedTuple):
    """A MODEL_RESULT as the store has it, with its cost record that counts so far.

    ``tokens`` is the summary without ``detail=``; ``edition`` to ``model`` are None where nothing was priced.
    """

    aid: int
    called_ms: int
    jid: int
    seq: int
    cid: int
    tokens: str
    detail: bytes
    edition: int | None
    state: str | None
    nano: int | None
    currency: str | None
    reason: str | None
    provider: str | None
    model: str | None


class NewCost(NamedTuple):
    """A row of ``costs``; ``answer`` is a 16-byte digest of the provider's answer, where it can be named."""

    aid: int
    called_ms: int
    jid: int
    seq: int
    edition: int
    cid: int
    state: str
    nano: int | None
    currency: str | None
    reason: str | None
    provider: str | None
    model: str | None
    prices: str
    answer: bytes | None
    priced_ms: int
