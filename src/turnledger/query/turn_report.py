"""One turn, understood: which steps belong together, which are in doubt, and what nobody ran."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from turnledger.errors import NotFoundError
from turnledger.model.registry import INTENT_TYPES, OUTCOME_TYPES
from turnledger.model.rows import MessageRow, TurnRow
from turnledger.model.vocabulary import FINAL_STATUSES, ApprovalDecision, TurnStatus
from turnledger.query.silence import silent_since
from turnledger.query.timeline import Entry, journal_entries
from turnledger.store.contract import Reader

__all__ = [
    "Doubt",
    "Step",
    "TurnReport",
    "UnrunTool",
    "requested_names",
    "requested_tools",
    "steps_of",
    "trigger_message",
    "turn_report",
]


class Doubt(StrEnum):
    """What can be said of a step that has no outcome."""

    RUNNING = "running"
    NO_SIGN_OF_LIFE = "no sign of life"
    IN_DOUBT = "in doubt: may have happened"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True)
class Step:
    """A model or tool call with its outcome; ``doubt`` is set where there is none."""

    intent: Entry
    outcome: Entry | None
    doubt: Doubt | None


@dataclass(frozen=True, slots=True)
class UnrunTool:
    """A tool call that the model asked for and nobody ran; ``result_seq`` is the MODEL_RESULT that asked."""

    result_seq: int
    ordinal: int
    tool: str


@dataclass(frozen=True, slots=True)
class TurnReport:
    """A turn with all its events in order and what follows from them.

    ``silent_since_ms`` is when its writer's lease ran out though it has not ended; None where it did not.
    """

    turn: TurnRow
    entries: tuple[Entry, ...]
    steps: tuple[Step, ...]
    unrun: tuple[UnrunTool, ...]
    silent_since_ms: int | None = None

    @property
    def silent(self) -> bool:
        """Whether its writer shows no sign of life."""
        return self.silent_since_ms is not None


def turn_report(reader: Reader, turn_id: UUID) -> TurnReport:
    """Everything about one turn but the bodies.  Raises NotFoundError where there is no such turn."""
    turn = reader.turn(turn_id)
    if turn is None:
        msg = f"The ledger holds no turn {turn_id}."
        raise NotFoundError(msg, next_step="See `turnledger list --turns` for what there is.")
    entries = journal_entries(reader, turn_id)
    silent = None if turn.closed_ms is not None else silent_since(reader).get(turn_id)
    steps = tuple(steps_of(entries, turn.status, silent=silent is not None))
    return TurnReport(turn, tuple(entries), steps, tuple(_unrun(entries)), silent)


def trigger_message(reader: Reader, turn: TurnRow) -> MessageRow | None:
    """The message that the turn answers; None where its trigger is none."""
    if turn.trigger is None or not turn.trigger.isdecimal():
        return None
    seq = int(turn.trigger)
    found = reader.messages(turn.conversation, seq - 1, 1)
    return found[0] if found and found[0].seq == seq else None


def steps_of(entries: Sequence[Entry], status: TurnStatus, *, silent: bool) -> list[Step]:
    """Pair intents with outcomes by the outcome's ``call``; ``silent`` says that the lease ran out."""
    outcomes = {entry.number("call"): entry for entry in entries if entry.row.type in OUTCOME_TYPES}
    approvals = {
        entry.number("subject"): entry.tokens.get("decision")
        for entry in entries
        if entry.row.type == "APPROVAL"
    }
    steps: list[Step] = []
    for entry in entries:
        if entry.row.type not in INTENT_TYPES:
            continue
        outcome = outcomes.get(entry.row.seq)
        decision = approvals.get(entry.row.seq)
        doubt = None if outcome is not None else _doubt(status, decision, silent=silent)
        steps.append(Step(entry, outcome, doubt))
    return steps


def _doubt(status: TurnStatus, decision: str | None, *, silent: bool) -> Doubt:
    if decision is not None and decision != ApprovalDecision.GRANTED:
        return Doubt.NOT_STARTED
    if status in FINAL_STATUSES:
        return Doubt.IN_DOUBT
    return Doubt.NO_SIGN_OF_LIFE if silent else Doubt.RUNNING


def requested_tools(entry: Entry) -> list[str]:
    """Names of the tools that a MODEL_RESULT asked for, in the model's order; none for other events."""
    return requested_names(entry.detail) if entry.row.type == "MODEL_RESULT" else []


def requested_names(detail: Mapping[str, object]) -> list[str]:
    """The same, by the detail of a MODEL_RESULT."""
    asked = detail.get("requested")
    if not isinstance(asked, list):
        return []
    return [str(request.get("tool")) if isinstance(request, dict) else "?" for request in asked]


def _unrun(entries: Iterable[Entry]) -> Iterable[UnrunTool]:
    entries = list(entries)
    ran = {
        (entry.number("from"), entry.number("ordinal")) for entry in entries if entry.row.type == "TOOL_CALL"
    }
    for entry in entries:
        for place, tool in enumerate(requested_tools(entry)):
            if (entry.row.seq, place) not in ran:
                yield UnrunTool(entry.row.seq, place, tool)
