"""Turns: lists, one turn taken apart, two turns compared."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.events import Entry
from turnledger.server.answers.form import Amount, Answer, Cost, Cursor, LeftOut, Moment, Tokens

__all__ = [
    "CallCost",
    "DiffRow",
    "EarlierCost",
    "Step",
    "SubTurn",
    "Turn",
    "TurnDiff",
    "TurnJournalIndex",
    "TurnList",
    "TurnReport",
    "TurnTotals",
    "UnrunTool",
]

Status = Literal[
    "running",
    "waiting",
    "completed",
    "failed",
    "superseded",
    "exhausted",
    "cancelled",
    "refused",
    "interrupted",
]


class Turn(Answer):
    """One run of the agent; ``ms`` by the writer's steady clock."""

    id: UUID
    agent_id: UUID
    agent_name: str
    conversation_id: UUID
    ordinal: Annotated[int, msgspec.Meta(description="Gap-free count of the agent's turns.")]
    status: Status
    error_class: str | None
    trigger: Annotated[str | None, msgspec.Meta(description="Seq of the message, or a word such as api.")]
    opened_at: Moment
    closed_at: Moment | None
    ms: int | None
    events: int
    model_calls: int
    tool_calls: int
    open_steps: int
    errors: int
    tokens: Tokens
    cost: Annotated[Cost, msgspec.Meta(description="Of its own calls, without those of sub-agents.")]
    parent_turn_id: UUID | None


class TurnList(Answer):
    """Latest opening first."""

    items: list[Turn]
    has_more: bool
    next: Cursor | None
    live_cursor: Annotated[Cursor, msgspec.Meta(description="Where to begin the stream without a gap.")]
    damaged: LeftOut | None


class TurnJournalIndex(Answer):
    """The turns of one conversation, latest opening first."""

    agent_id: UUID
    session_id: Annotated[str, msgspec.Meta(description="As it was asked for.")]
    conversation_id: UUID
    turns: list[Turn]
    has_more: bool
    next: Cursor | None
    damaged: LeftOut | None


CostState = Literal["priced", "unpriced", "unbilled"]


class EarlierCost(Answer):
    """A cost record that another one has taken the place of."""

    state: CostState
    amount: Amount | None
    currency: str | None
    reason: str | None
    prices: str
    priced_at: Moment


class CallCost(Answer):
    """What one model call cost; ``reason`` says why there is no amount.

    ``provider`` and ``model`` are what it was priced as, ``prices`` names the prices that were asked.
    """

    state: CostState
    amount: Amount | None
    currency: str | None
    reason: str | None
    provider: str | None
    model: str | None
    prices: str
    priced_at: Moment
    earlier: Annotated[list[EarlierCost], msgspec.Meta(description="Oldest first.")]


class Step(Answer):
    """A model or tool call with its outcome; ``doubt`` says what is known where there is none."""

    kind: Literal["model", "tool"]
    intent_seq: int
    outcome_seq: int | None
    name: Annotated[str | None, msgspec.Meta(description="The tool, or the model that served or was asked.")]
    role: str | None
    status: str | None
    ms: int | None
    cost: Annotated[CallCost | None, msgspec.Meta(description="Null for tools and before it is priced.")]
    doubt: Literal["running", "no sign of life", "in doubt: may have happened", "not started"] | None


class UnrunTool(Answer):
    """A tool call that the model asked for and nobody ran."""

    result_seq: int
    ordinal: int
    tool: str


class SubTurn(Answer):
    """A turn that this one started."""

    turn_id: UUID
    agent_id: UUID
    agent_name: str
    conversation_id: UUID
    status: Status


class TurnTotals(Answer):
    """Sums over a turn; null where nothing was recorded."""

    wall_ms: int | None
    model_ms: int | None
    tool_ms: int | None
    model_calls: int
    tool_calls: int
    tokens: Tokens
    cost_minor: Annotated[int | None, msgspec.Meta(description="Where the writer of the events noted costs.")]


_STEPS = "Those that begin or end in these entries."


class TurnReport(Answer):
    """One turn, what it took and what it left open; ``entries`` and their ``steps`` come in pages."""

    turn: Turn
    totals: TurnTotals
    no_sign_of_life: Annotated[bool, msgspec.Meta(description="It is open and its writer's lease ran out.")]
    unfinished_steps: Annotated[
        list[Step],
        msgspec.Meta(description="Of the whole turn, those without an outcome: the first 200."),
    ]
    unrun_tools: Annotated[list[UnrunTool], msgspec.Meta(description="Of the whole turn: the first 200.")]
    unrun_count: Annotated[int, msgspec.Meta(description="How many tool calls nobody ran.")]
    children: list[SubTurn]
    entries: list[Entry]
    steps: Annotated[list[Step], msgspec.Meta(description=_STEPS)]
    has_more: bool
    next: Cursor | None
    live_cursor: Annotated[Cursor, msgspec.Meta(description="For the stream of the turn's conversation.")]
    names: Annotated[dict[str, str], msgspec.Meta(description="Outside names of the ids in tokens.")]
    damaged: LeftOut | None


class TurnEntries(Answer):
    """Events of a turn, from a place on."""

    entries: list[Entry]
    steps: Annotated[list[Step], msgspec.Meta(description=_STEPS)]
    has_more: bool
    names: Annotated[dict[str, str], msgspec.Meta(description="Outside names of the ids in tokens.")]


class DiffRow(Answer):
    """One step of either turn, or of both; ``differences`` names what is not the same."""

    op: Literal["same", "changed", "only_left", "only_right"]
    type: str
    name: str | None
    left_seq: int | None
    right_seq: int | None
    differences: list[str]


class TurnDiff(Answer):
    """Two turns step by step.

    ``sameBehaviour`` is null where bodies would have to be compared and the caller may not read them, or
    they are not there any more.
    """

    left: Turn
    right: Turn
    same_behaviour: bool | None
    first_difference: Annotated[int | None, msgspec.Meta(description="Index of the row.")]
    rows: list[DiffRow]
    has_more: bool
