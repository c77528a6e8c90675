"""Closed vocabularies of the contract: every word that may stand in a summary as a status or kind."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "FINAL_STATUSES",
    "ApprovalDecision",
    "Assurance",
    "BudgetOutcome",
    "DeliveryStatus",
    "Direction",
    "Form",
    "GuardDecision",
    "InboundVerdict",
    "JournalKind",
    "MemoryOp",
    "ModelStatus",
    "Shape",
    "ShedReason",
    "ToolStatus",
    "TurnStatus",
    "VerifyVerdict",
]


class JournalKind(StrEnum):
    """The three kinds of journal."""

    TURN = "turn"
    CONVERSATION = "conversation"
    LEDGER = "ledger"


class Assurance(StrEnum):
    """How an event came on record, as its letter in the summary; never shown as a higher one."""

    WRITE_AHEAD = "w"
    SPOOLED = "s"
    OBSERVED = "o"
    IMPORTED = "i"

    @property
    def word(self) -> str:
        """The name that people read."""
        return self.name.lower()


class TurnStatus(StrEnum):
    """State of a turn; all but the first two are final."""

    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    SUPERSEDED = "superseded"
    EXHAUSTED = "exhausted"
    CANCELLED = "cancelled"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"


FINAL_STATUSES = frozenset(TurnStatus) - {TurnStatus.RUNNING, TurnStatus.WAITING}


class Shape(StrEnum):
    """Form of a conversation."""

    DM = "dm"
    CHANNEL = "channel"
    THREAD = "thread"
    SESSION = "session"


class Direction(StrEnum):
    """Which way a message went."""

    INBOUND = "inbound"
    OUTBOUND = "outbound"


class InboundVerdict(StrEnum):
    """What the agent decided about an inbound message; silence is a decision."""

    ENGAGE = "engage"
    OBSERVE = "observe"
    IGNORE = "ignore"
    DEFER = "defer"


class GuardDecision(StrEnum):
    """What a guard said."""

    ALLOW = "allow"
    DENY = "deny"
    FLAG = "flag"


class Form(StrEnum):
    """Whether a request body is the bytes on the wire or our encoding of the caller's object."""

    WIRE = "wire"
    ENCODED = "encoded"


class ModelStatus(StrEnum):
    """End of a model call."""

    OK = "ok"
    ERROR = "error"
    CUT = "cut"
    ABORTED = "aborted"
    NOT_STARTED = "not_started"
    UNKNOWN = "unknown"


class ToolStatus(StrEnum):
    """End of a tool call."""

    OK = "ok"
    ERROR = "error"
    INVALID = "invalid"
    DENIED = "denied"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    NOT_STARTED = "not_started"
    UNKNOWN = "unknown"


class ApprovalDecision(StrEnum):
    """State of an approval."""

    REQUESTED = "requested"
    GRANTED = "granted"
    DENIED = "denied"
    EXPIRED = "expired"


class MemoryOp(StrEnum):
    """What happened to a memory entry."""

    CREATE = "create"
    UPDATE = "update"
    DELETE = "delete"


class VerifyVerdict(StrEnum):
    """Finding of an agent's own check."""

    PASS = "pass"  # noqa: S105  a verdict, no password
    FAIL = "fail"
    WARN = "warn"


class BudgetOutcome(StrEnum):
    """What crossing a budget did."""

    WARN = "warn"
    EXHAUSTED = "exhausted"


class ShedReason(StrEnum):
    """Why a trigger was dropped without a turn."""

    QUEUE_FULL = "queue_full"
    SHUTTING_DOWN = "shutting_down"
    STALE = "stale"
    LEASED_ELSEWHERE = "leased_elsewhere"
    LEASE_UNAVAILABLE = "lease_unavailable"


class DeliveryStatus(StrEnum):
    """State of an outbound message's delivery."""

    SENDING = "sending"
    DELIVERED = "delivered"
    FAILED = "failed"
