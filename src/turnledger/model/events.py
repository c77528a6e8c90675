"""Every event type as one immutable class: its fields are its summary tokens, in order.

``prompt``, ``call``, ``from_``, ``subject``, ``message``, ``into`` and ``reply_to`` are seqs of earlier
events of the same journal.  Durations are milliseconds, ``chars`` code points, ``bytes`` stored bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar
from uuid import UUID

from turnledger.model.tokens import TokenValue, join_tokens
from turnledger.model.vocabulary import (
    ApprovalDecision,
    Assurance,
    BudgetOutcome,
    DeliveryStatus,
    Direction,
    Form,
    GuardDecision,
    InboundVerdict,
    JournalKind,
    MemoryOp,
    ModelStatus,
    ShedReason,
    ToolStatus,
    TurnStatus,
    VerifyVerdict,
)

TURN = frozenset({JournalKind.TURN})
CONVERSATION = frozenset({JournalKind.CONVERSATION})
BOTH = TURN | CONVERSATION
LEDGER = frozenset({JournalKind.LEDGER})

_RENAMED = {"from_": "from", "in_": "in", "error_class": "class"}


def token_name(field: str) -> str:
    """The summary key of a class's field: camelCase, with the names that Python reserves put right."""
    if field in _RENAMED:
        return _RENAMED[field]
    head, *rest = field.split("_")
    return head + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What an event says about itself in its summary."""

    TYPE: ClassVar[str] = ""
    JOURNALS: ClassVar[frozenset[JournalKind]] = frozenset()

    def tokens(self) -> list[tuple[str, TokenValue]]:
        """Tokens in the order of the contract, unknown ones as None."""
        return [(token, getattr(self, field)) for field, token in _token_fields(type(self))]

    def summary(self, assurance: Assurance) -> str:
        """The summary without its last token ``detail=``, which the store adds from the detail's bytes."""
        return join_tokens([*self.tokens(), ("assurance", assurance)])


_FIELDS: dict[type[Event], tuple[tuple[str, str], ...]] = {}


def _token_fields(kind: type[Event]) -> tuple[tuple[str, str], ...]:
    known = _FIELDS.get(kind)
    if known is None:
        known = _FIELDS[kind] = tuple((field.name, token_name(field.name)) for field in fields(kind))
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake(Event):
    """The trigger of the turn."""

    TYPE: ClassVar[str] = "INTAKE"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    message_chars: int | None = None
    attachments: int = 0
    tools: int | None = None
    collapsed: int | None = None
    parent_turn: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Event):
    """A prompt snapshot (instructions and tool definitions), written when new in the turn."""

    TYPE: ClassVar[str] = "PROMPT"
    JOURNALS: ClassVar[frozenset[JournalKind]] = BOTH
    role: str | None = None
    chars: int
    tools: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard(Event):
    """A guard looked at something."""

    TYPE: ClassVar[str] = "GUARD"
    JOURNALS: ClassVar[frozenset[JournalKind]] = BOTH
    guard: str
    stage: str | None = None
    decision: GuardDecision


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall(Event):
    """Intent of one model request; ``bytes`` is the size of its body."""

    TYPE: ClassVar[str] = "MODEL_CALL"
    JOURNALS: ClassVar[frozenset[JournalKind]] = BOTH
    role: str | None = None
    model: str | None = None
    attempt: int = 1
    bytes: int
    stream: bool = False
    prompt: int | None = None
    form: Form


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResult(Event):
    """Outcome of a model call; token counts are the disjoint buckets."""

    TYPE: ClassVar[str] = "MODEL_RESULT"
    JOURNALS: ClassVar[frozenset[JournalKind]] = BOTH
    call: int
    status: ModelStatus
    model: str | None = None
    in_: int | None = None
    out: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    finish: str | None = None
    ms: int | None = None
    ttft_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Event):
    """Intent of one tool run; ``from_`` is the MODEL_RESULT that asked."""

    TYPE: ClassVar[str] = "TOOL_CALL"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    tool: str
    from_: int | None = None
    ordinal: int | None = None
    validated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Event):
    """Outcome of a tool call; ``bytes`` is the size of the observation."""

    TYPE: ClassVar[str] = "TOOL_RESULT"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    call: int
    tool: str
    status: ToolStatus
    ms: int | None = None
    bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(Event):
    """An approval asked for or decided."""

    TYPE: ClassVar[str] = "APPROVAL"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    subject: int | None = None
    decision: ApprovalDecision
    by: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryWrite(Event):
    """A new revision of a memory entry."""

    TYPE: ClassVar[str] = "MEMORY_WRITE"
    JOURNALS: ClassVar[frozenset[JournalKind]] = BOTH
    entry: UUID
    revision: int
    op: MemoryOp


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(Event):
    """Text shown before the answer."""

    TYPE: ClassVar[str] = "PROGRESS"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    kind: str
    chars: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Verify(Event):
    """Finding of the agent's own check."""

    TYPE: ClassVar[str] = "VERIFY"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    check: str
    verdict: VerifyVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Superseded(Event):
    """A newer turn takes this one's place."""

    TYPE: ClassVar[str] = "SUPERSEDED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    by: UUID | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget(Event):
    """A budget was neared or used up."""

    TYPE: ClassVar[str] = "BUDGET"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    budget: str
    limit: int
    used: int
    outcome: BudgetOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Error(Event):
    """Something raised."""

    TYPE: ClassVar[str] = "ERROR"
    JOURNALS: ClassVar[frozenset[JournalKind]] = BOTH
    stage: str
    error_class: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit(Event):
    """The final answer; ``open`` counts the steps that have no result."""

    TYPE: ClassVar[str] = "COMMIT"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    status: TurnStatus
    chars: int | None = None
    open: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Abort(Event):
    """The turn ended without an answer."""

    TYPE: ClassVar[str] = "ABORT"
    JOURNALS: ClassVar[frozenset[JournalKind]] = TURN
    status: TurnStatus
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Event):
    """First event of a conversation."""

    TYPE: ClassVar[str] = "OPENED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Message(Event):
    """A message in either direction."""

    TYPE: ClassVar[str] = "MESSAGE"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    direction: Direction
    actor: UUID | None = None
    chars: int
    turn: UUID | None = None
    reply_to: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Event):
    """What the agent decided about an inbound message."""

    TYPE: ClassVar[str] = "VERDICT"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    message: int
    verdict: InboundVerdict
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Collapsed(Event):
    """An inbound message was folded into another trigger."""

    TYPE: ClassVar[str] = "COLLAPSED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    message: int
    into: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shed(Event):
    """A trigger was dropped without a turn."""

    TYPE: ClassVar[str] = "SHED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    message: int | None = None
    reason: ShedReason
    age_ms: int | None = None
    stale_ms: int | None = None
    depth: int | None = None
    collapsed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOpened(Event):
    """A turn began; ``trigger`` is the message's seq or a word such as ``api``."""

    TYPE: ClassVar[str] = "TURN_OPENED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    turn: UUID
    trigger: int | str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnClosed(Event):
    """A turn ended; binds its length and head into the conversation."""

    TYPE: ClassVar[str] = "TURN_CLOSED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    turn: UUID
    status: TurnStatus
    error_class: str | None = None
    events: int
    head: str
    ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery(Event):
    """State of an outbound message's delivery."""

    TYPE: ClassVar[str] = "DELIVERY"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    message: int
    status: DeliveryStatus
    attempt: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Late(Event):
    """True outcome that came after its turn had ended or was lost; without a turn, after its call was."""

    TYPE: ClassVar[str] = "LATE"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    turn: UUID | None = None
    type: str
    call: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap(Event):
    """Events that could not be kept."""

    TYPE: ClassVar[str] = "GAP"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureError(Event):
    """Something could not be captured faithfully."""

    TYPE: ClassVar[str] = "CAPTURE_ERROR"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    stage: str
    error_class: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pruned(Event):
    """Retention removed bodies."""

    TYPE: ClassVar[str] = "PRUNED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    bodies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased(Event):
    """Bodies and outside names were erased on request."""

    TYPE: ClassVar[str] = "ERASED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = CONVERSATION
    bodies: int
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Event):
    """A setting of the ledger changed."""

    TYPE: ClassVar[str] = "SETTING"
    JOURNALS: ClassVar[frozenset[JournalKind]] = LEDGER
    setting: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Access(Event):
    """Somebody read bodies."""

    TYPE: ClassVar[str] = "ACCESS"
    JOURNALS: ClassVar[frozenset[JournalKind]] = LEDGER
    by: UUID | None = None
    bodies: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repriced(Event):
    """Costs were added under another price table."""

    TYPE: ClassVar[str] = "REPRICED"
    JOURNALS: ClassVar[frozenset[JournalKind]] = LEDGER
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch(Event):
    """A new epoch of the log began."""

    TYPE: ClassVar[str] = "EPOCH"
    JOURNALS: ClassVar[frozenset[JournalKind]] = LEDGER
    epoch: int
