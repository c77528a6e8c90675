"""What the console's tests look at: conversations that hold every kind of event, made without chance."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

from tests.server.kit import ASKS, REQUEST, RESPONSE
from turnledger.capture.conversation import Conversation
from turnledger.capture.ledger import Ledger
from turnledger.capture.turn import Turn

KEY = "slack:C042/1712.33"
"""Outside name of the conversation."""
ANSWER = "It arrives tomorrow."


@dataclass
class Told:
    """Ids of what was recorded; a turn's name says what is special about it."""

    agent: UUID
    conversation: UUID
    turns: dict[str, UUID]

    def inspector(self, turn: str) -> str:
        """Path of a turn in the inspector."""
        return f"/agents/turns?agentId={self.agent}&turnId={self.turns[turn]}"

    @property
    def timeline(self) -> str:
        """Path of the conversation's timeline."""
        return f"/agents/{self.agent}/conversations/{self.conversation}"


def tell_all(ledger: Ledger, agent: str = "support") -> Told:
    """One conversation with every kind of event, and turns that end in every way."""
    teller = ledger.agent(agent)
    talk = teller.conversation("slack:C042/1712.33", connector="slack", shape="thread", place="C042")
    talk.inbound("just talking", actor="slack:U8").verdict("observe", reason="nobody asked the agent")
    turns = {"whole": whole_turn(talk)}
    dropped = talk.inbound("are you there?", actor="slack:U8")
    dropped.verdict("engage", reason="direct question")
    dropped.shed("queue_full", age_ms=31_000, stale_ms=30_000, depth=9)
    talk.inbound("hello?", actor="slack:U8").collapsed(dropped)
    turns |= ended_turns(talk)
    sent = talk.outbound("Sorry!")
    sent.delivery("sending")
    sent.delivery("failed", problem="mailbox full")
    return Told(teller.id, talk.id, turns)


def tell_one(ledger: Ledger) -> Told:
    """The same conversation with one whole turn, for tests that look on while it grows."""
    teller = ledger.agent("support")
    talk = teller.conversation(KEY)
    return Told(teller.id, talk.id, {"whole": whole_turn(talk)})


def whole_turn(talk: Conversation, question: str = "Where is order 7?") -> UUID:
    """A completed turn with every kind of step; a tool was asked for that nobody ran."""
    message = talk.inbound(question, actor="slack:U7")
    message.verdict("engage", reason="direct mention")
    with talk.turn(trigger=message, tools=2) as turn:
        every_step(turn)
        turn.commit(ANSWER)
    return turn.id


def every_step(turn: Turn) -> None:
    """All kinds of step that a turn can take before it ends."""
    turn.guard("personal-data", "allow", stage="input", finding={"found": []})
    with turn.model_call(role="primary", model="gpt-5", request=REQUEST) as call:
        call.result(RESPONSE)
    with turn.tool_call("lookup_order", supplied=ASKS, validated={"order_id": 7}, call_id="c1") as tool:
        turn.progress("One moment.", kind="ack")
        approval = turn.approval(tool, question="May it be looked up?")
        approval.decide("granted", by="slack:U9", reason="it may")
        tool.result({"state": "found"})
    turn.memory_write("prefers", "pickup")
    turn.budget("steps", limit=8, used=7, outcome="warn")
    turn.verify("answer-names-the-order", "pass")


def ended_turns(talk: Conversation) -> dict[str, UUID]:
    """Turns that did not end with an answer, by how they ended."""
    with talk.turn(trigger="timer", content="nightly") as denied:
        denied.guard("personal-data", "deny", stage="output", finding={"found": ["iban"]})
        denied.abort("The answer held an IBAN.", code="guard", status="refused")
    with talk.turn(trigger="timer") as exhausted:
        exhausted.budget("steps", limit=8, used=8, outcome="exhausted")
        exhausted.abort(code="steps", status="exhausted")
    with talk.turn(trigger="api") as superseded:
        superseded.supersede()
    failed = talk.turn(trigger="api")
    with suppress(ConnectionError), failed, failed.tool_call("lookup_order", supplied="{") as tool:
        tool.result("no JSON", status="invalid")
        raise ConnectionError
    return {
        "refused": denied.id,
        "exhausted": exhausted.id,
        "superseded": superseded.id,
        "failed": failed.id,
    }
