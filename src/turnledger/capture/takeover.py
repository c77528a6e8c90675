"""Going on with a turn that another process left: one that waits, or one whose lease ran out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import UUID

from turnledger.capture.approval import Approval
from turnledger.capture.asked import Asked
from turnledger.capture.composer import Composed, compose
from turnledger.capture.conversation_pen import ConversationPen
from turnledger.capture.cut_calls import end_cut_calls
from turnledger.capture.refusals import looked_up
from turnledger.capture.tool_call import ToolCallStep
from turnledger.capture.turn_journal import TurnJournal
from turnledger.capture.waiting import spawn
from turnledger.errors import GrammarError, NotFoundError, TurnLost
from turnledger.ids import NIL
from turnledger.model.draft import AliasKind, Lease
from turnledger.model.events import ModelResult
from turnledger.model.registry import OUTCOME_TYPES
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import ApprovalDecision, ModelStatus
from turnledger.wire.details import decode_detail

if TYPE_CHECKING:
    from turnledger.capture.sink import Sink
    from turnledger.capture.turn_pen import TurnPen
    from turnledger.capture.waiting import Work
    from turnledger.model.rows import EventRow

__all__ = ["take_over"]

_PAGE = 500
_TAKEOVER = "The takeover of the turn"


def take_over(pen: TurnPen) -> Work[TurnJournal]:
    """Acquire the turn's lease and learn from its journal where it stands.

    A model call that the process before left open is recorded as ``cut`` with what arrived of its reply, or
    as ``unknown`` where nothing did: nobody will see the rest.
    Raises NotFoundError where the agent has no such turn, TurnLost where it has ended or a live writer
    holds it, CaptureRefused where the ledger cannot be reached.
    """
    core = pen.core
    # Waited for in the caller's thread: acquiring blocks, and the writer's own thread must never do that.
    agent = spawn(core.names.resolve(AliasKind.AGENT, NIL, pen.conversation.agent)).result()
    first = next(_events(core.sink, pen.id), None)
    if first is None or first.agent != agent:
        msg = f"This agent has no turn {pen.id}."
        raise NotFoundError(msg, next_step="See `turnledger list --turns` for what there is.")
    lease = looked_up(_TAKEOVER, core.sink.acquire, pen.id, core.holder, core.ttl_ms)
    if lease is None:
        msg = f"Turn {pen.id} has ended, or a live writer holds it."
        raise TurnLost(msg, next_step="See what became of it with `turnledger show`.")
    pen.conversation = ConversationPen.known(core, pen.conversation.agent, agent, lease.conversation)
    conversation = yield from pen.conversation.journal_for("The turn")
    held = Lease(core.holder, lease.epoch, core.ttl_ms)
    yield from end_cut_calls(core.sink, lease, held)
    replay = _Replay(pen)
    for row in _events(core.sink, pen.id):
        replay.take(row)
    journal = TurnJournal(pen.id, conversation, held, replay.events)
    journal.prompts.update(replay.prompts)
    replay.hand_on()
    lost_calls = replay.lost_calls()
    if lost_calls:
        yield from journal.append("The outcome of a lost model call", *lost_calls)
    return journal


def _events(sink: Sink, turn: UUID) -> Iterator[EventRow]:
    start = 0
    while page := looked_up(_TAKEOVER, sink.events, turn, start, _PAGE):
        yield from page
        start += len(page)


class _Replay:
    """What a turn's events say about where it stands."""

    def __init__(self, pen: TurnPen) -> None:
        self.events = 0
        self.prompts: dict[str, int] = {}
        self._pen = pen
        self._asked: Asked | None = None
        self._calls: set[int] = set()
        self._tools: dict[int, ToolCallStep] = {}
        self._decisions: dict[int | None, ApprovalDecision] = {}

    def take(self, row: EventRow) -> None:
        """One event, in order."""
        self.events += 1
        tokens = parse_summary(row.summary)
        detail = _detail(row)
        if row.type == "INTAKE":
            trigger = detail.get("trigger")
            self._pen.trigger = trigger if isinstance(trigger, int) else None
        elif row.type == "PROMPT":
            self.prompts[str(detail.get("promptDigest"))] = row.seq
        elif row.type == "MODEL_CALL":
            self._calls.add(row.seq)
        elif row.type == "TOOL_CALL":
            self._take_tool(row, tokens, detail)
        elif row.type == "APPROVAL":
            self._decisions[_int(tokens.get("subject"))] = ApprovalDecision(tokens["decision"])
        elif row.type in OUTCOME_TYPES:
            self._take_outcome(row, tokens, detail)

    def _take_tool(self, row: EventRow, tokens: dict[str, str], detail: dict[str, object]) -> None:
        tool = detail.get("tool")
        name = tool if isinstance(tool, str) else tokens["tool"]
        ordinal = _int(tokens.get("ordinal"))
        if self._asked is not None and _int(tokens.get("from")) == self._asked.seq and ordinal is not None:
            self._asked.take(name, None, ordinal)
        self._tools[row.seq] = ToolCallStep.taken_over(
            self._pen, tool=name, seq=row.seq, event_id=row.event_id
        )

    def _take_outcome(self, row: EventRow, tokens: dict[str, str], detail: dict[str, object]) -> None:
        call = _int(tokens.get("call"))
        if row.type == "MODEL_RESULT":
            self._calls.discard(-1 if call is None else call)
            self._asked = Asked(row.seq, list(_requests(detail.get("requested"))))
        elif call is not None:
            self._tools.pop(call, None)

    def hand_on(self) -> None:
        """Give the turn its open tool calls and undecided approvals."""
        pen = self._pen
        pen.asked = self._asked
        for seq, step in self._tools.items():
            step.decision = self._decisions.get(seq)
            pen.step_began(step)
        for subject, decision in self._decisions.items():
            if decision is ApprovalDecision.REQUESTED:
                pen.approvals.append(Approval(pen, None if subject is None else self._tools.get(subject)))

    def lost_calls(self) -> list[Composed]:
        """Outcomes of the model calls that were under way."""
        return [compose(ModelResult(call=seq, status=ModelStatus.UNKNOWN)) for seq in sorted(self._calls)]


def _detail(row: EventRow) -> dict[str, object]:
    try:
        return decode_detail(row.detail)
    except GrammarError:  # another writer's: nothing can be learnt from it
        return {}


def _int(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


def _requests(listed: object) -> Iterator[tuple[str | None, str]]:
    for request in listed if isinstance(listed, list) else ():
        if isinstance(request, dict):
            call_id = request.get("id")
            yield (call_id if isinstance(call_id, str) else None), str(request.get("tool"))
