"""The ledger that the console's benchmark looks at: a long conversation, a long turn, and a large body."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from turnledger.capture.composer import compose
from turnledger.capture.content import snapshot
from turnledger.engine.location import connect
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Batch, Claim, Closing, Draft, Journal, Lease
from turnledger.model.events import (
    Commit,
    Event,
    Intake,
    Message,
    ModelCall,
    ModelResult,
    Opened,
    ToolCall,
    ToolResult,
    TurnOpened,
    Verdict,
)
from turnledger.model.vocabulary import (
    Direction,
    Form,
    InboundVerdict,
    JournalKind,
    ModelStatus,
    ToolStatus,
    TurnStatus,
)
from turnledger.store.ledger_store import Store

__all__ = ["LONG_TURN", "Places", "fill"]

TURNS = 2_273
"""Of the long conversation: 22 events each with what is written around a turn, 50,007 in all."""
TOOLS = 6
LONG_TURN = 100_000
LARGE_BODY = 50_000_000
BATCH = 2_000
QUESTION = "What is the state of order {number}? It was due on Monday, and nobody has called me back."
ANSWER = "Order {number} left the warehouse on Tuesday and comes tomorrow, before noon."


class Places(NamedTuple):
    """Where the pages of the benchmark are."""

    agent: UUID
    conversation: UUID
    long_turn: UUID
    large_turn: UUID
    large_seq: int


def fill(ledger: Path) -> Places:
    """Write it all, large batches at a time."""
    with closing(connect(str(ledger)).open()) as store:
        agent = new_id()
        store.append(Batch(claim=Claim(AliasKind.AGENT, NIL, "bench", agent))).result()
        talk = _Talk(store, agent, "bench:long")
        for number in range(TURNS):
            talk.turn(_steps(number, TOOLS), number)
        long_talk = _Talk(store, agent, "bench:turn")
        long_turn = long_talk.turn(_steps(0, (LONG_TURN - 6) // 2), 0)
        large_talk = _Talk(store, agent, "bench:body")
        large_turn = large_talk.turn(_large(), 0)
    return Places(agent, talk.id, long_turn, large_turn, 2)


class _Talk:
    """One conversation, written in order."""

    def __init__(self, store: Store, agent: UUID, key: str) -> None:
        self._store = store
        self._agent = agent
        self.id = new_id()
        self._journal = Journal(JournalKind.CONVERSATION, self.id)
        self._seq = 0
        opened = self._around(Opened(), {"key": key}, facts={"connector": "bench", "shape": "thread"})
        store.append(Batch((opened,), Claim(AliasKind.CONVERSATION, agent, key, self.id))).result()

    def turn(self, steps: Iterator[tuple[Event, object]], number: int) -> UUID:
        """A message, its verdict, and the turn with the steps given; the turn's id."""
        turn = new_id()
        journal = Journal(JournalKind.TURN, turn)
        lease = Lease(new_id(), 0, 60_000)
        question, answer = QUESTION.format(number=number), ANSWER.format(number=number)
        message = self._seq
        drafts = [
            self._around(Message(direction=Direction.INBOUND, chars=len(question)), question),
            self._around(Verdict(message=message, verdict=InboundVerdict.ENGAGE), "direct message"),
            self._around(TurnOpened(turn=turn, trigger=message), None),
        ]

        def add(event: Event, body: object, end: Closing | None = None) -> None:
            made = compose(event, None if body is None else snapshot(body), closing=end)
            drafts.append(made.draft(journal, self._agent, self.id, lease=lease))
            if len(drafts) >= BATCH:
                self._append(drafts)
                drafts.clear()

        add(Intake(message_chars=len(question)), question)
        for event, body in steps:
            add(event, body)
        completed = TurnStatus.COMPLETED
        add(Commit(status=completed, chars=len(answer)), answer, Closing(completed, ms=1_000 + number))
        self._append(drafts)
        self._seq += 1  # TURN_CLOSED
        return turn

    def _around(self, event: Event, body: object, facts: dict[str, object] | None = None) -> Draft:
        self._seq += 1
        made = compose(event, None if body is None else snapshot(body), facts=facts)
        return made.draft(self._journal, self._agent, self.id)

    def _append(self, drafts: list[Draft]) -> None:
        result = self._store.append(Batch(tuple(drafts))).result()
        if result.status != "appended":
            raise RuntimeError(result)


def _steps(number: int, tools: int) -> Iterator[tuple[Event, object]]:
    """A model call that asks for tools, their calls, and a model call that answers; from seq 1 on."""
    yield _call(), {"model": "gpt-5.2", "messages": [{"role": "user", "content": f"order {number}"}]}
    yield _result(1), {"choices": [{"message": {"role": "assistant", "content": "Let me look."}}]}
    for place in range(tools):
        tool, seq = f"lookup_order_{place % 7}", 3 + 2 * place
        yield ToolCall(tool=tool, from_=2, ordinal=place, validated=True), {"id": number + place}
        done = ToolResult(call=seq, tool=tool, status=ToolStatus.OK, ms=40 + place % 60, bytes=20)
        yield done, {"state": "on its way", "id": number + place}
    seq = 3 + 2 * tools
    yield _call(), {"model": "gpt-5.2", "messages": [{"role": "user", "content": f"and {number}"}]}
    yield _result(seq), {"choices": [{"message": {"role": "assistant", "content": "It comes tomorrow."}}]}


def _large() -> Iterator[tuple[Event, object]]:
    """A tool call, and what came back: records as JSON."""
    yield ToolCall(tool="export_orders", ordinal=0, validated=True), {"all": True}
    record = {"title": "an order", "note": "left at the door, " * 8, "tags": ["late", "paid"], "price": 12.5}
    each = len(json.dumps(record | {"id": 100_000})) + 1
    records = [record | {"id": 100_000 + number} for number in range(LARGE_BODY // each)]
    done = ToolResult(call=1, tool="export_orders", status=ToolStatus.OK, ms=900, bytes=LARGE_BODY)
    yield done, {"orders": records}


def _call() -> ModelCall:
    return ModelCall(role="primary", model="gpt-5.2", bytes=120, form=Form.WIRE)


def _result(call: int) -> ModelResult:
    model = "gpt-5.2-2026-05-14"
    return ModelResult(call=call, status=ModelStatus.OK, model=model, in_=812, out=34, finish="stop", ms=940)
