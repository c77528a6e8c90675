"""Short scenes, written for the demo, of what the recorded conversations lack.

A message that the agent only overhears, one that came too late, a refund that a person has to approve, and
a turn that fails after the model wrote arguments that are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from turnledger.engine.demo.script import MODEL

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.capture.agent import Agent
    from turnledger.capture.conversation import Conversation
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.turn import Turn

__all__ = ["Scenes"]

_SYSTEM: Final = (
    "You are the service desk of a small shop. Look orders up before you speak about them. "
    "Refunds over 100 EUR need the approval of a person."
)
_USAGE: Final = {"prompt_tokens": 212, "completion_tokens": 31, "total_tokens": 243}
_ROOM: Final = "room-orders"
_BROKEN: Final = '{"order": "B-2041", "days": }'

Message = Mapping[str, object]


class Scenes:
    """Plays all scenes into one agent; ``run`` keeps the conversations of several runs apart."""

    refund: UUID
    """The turn in which a person approves a refund."""
    broken_arguments: UUID
    """The turn in which the arguments of a call are refused."""

    def __init__(self, agent: Agent, run: int) -> None:
        self._agent = agent
        self._run = run
        self.conversations: list[Conversation] = []

    @staticmethod
    def first_key(run: int) -> str:
        """Outside key of the first conversation."""
        return f"demo:{run}/{_ROOM}"

    def play(self) -> None:
        """All of them."""
        self._channel()
        self._ask_for_refund()
        self._ask_to_hold()

    def _conversation(self, name: str, shape: str, place: str | None = None) -> Conversation:
        key = f"demo:{self._run}/{name}"
        conversation = self._agent.conversation(key, connector="demo", shape=shape, place=place)
        self.conversations.append(conversation)
        return conversation

    def _channel(self) -> None:
        """Two people talk with each other; a question comes while the agent is stopped."""
        room = self._conversation(_ROOM, "channel", "demo:room-orders")
        thanks = room.inbound("Thanks Ana, the parcel for B-2040 has arrived!", actor="demo:ben")
        thanks.verdict("observe", reason="Ben talks to Ana; nobody asked the agent.", by="mention-rule")
        late = room.inbound("@desk is the shop open on Sunday?", actor="demo:ben")
        late.verdict("engage", reason="The agent was mentioned.", by="mention-rule")
        late.shed("stale", age_ms=5_400_000, stale_ms=3_600_000)

    def _ask_for_refund(self) -> None:
        """A refund: guarded, approved by a person, remembered."""
        desk = self._conversation("dm-cleo", "dm")
        asked = desk.inbound(
            "My lamp (order B-2038) came broken. Please refund the 129 EUR.", actor="demo:cleo"
        )
        asked.verdict("engage", reason="A direct message is always answered.", by="dm-rule")
        history: list[Message] = [
            _system(),
            {"role": "user", "content": "My lamp (order B-2038) came broken. …"},
        ]
        with desk.turn(trigger=asked) as turn:
            self.refund = turn.id
            turn.guard("personal-data", "allow", stage="input", finding={"found": []})
            call = _ask(turn, history, tool=("refund_order", '{"order": "B-2038", "amount_eur": 129}'))
            turn.guard("refund-limit", "flag", stage="tool", finding={"limit_eur": 100, "asked_eur": 129})
            (wanted,) = call.tool_requests
            arguments = {"order": "B-2038", "amount_eur": 129}
            with turn.tool_call(
                wanted.name, supplied=wanted.supplied, validated=arguments, call_id=wanted.id
            ) as step:
                turn.progress("One moment, a colleague has to approve this.", kind="ack")
                approval = turn.approval(step, question="Refund 129 EUR for order B-2038?")
                approval.decide("granted", by="demo:dora", reason="The carrier confirmed the damage.")
                step.result({"refund": "R-771", "amount_eur": 129})
            history.append({"role": "tool", "tool_call_id": wanted.id, "content": '{"refund":"R-771"}'})
            turn.memory_write("customer/cleo", "Had a broken delivery (B-2038), refunded.")
            answer = "I am sorry about the lamp. 129 EUR are on their way back to you (refund R-771)."
            _say(turn, history, answer)
            turn.verify("answer-names-the-refund", "pass")
            turn.commit(answer)

    def _ask_to_hold(self) -> None:
        """The model writes arguments that are no JSON; then the tool does not answer, so it ends."""
        desk = self._conversation("dm-ben", "dm")
        asked = desk.inbound("Can you hold order B-2041 for a week?", actor="demo:ben")
        asked.verdict("engage", reason="A direct message is always answered.", by="dm-rule")
        history: list[Message] = [
            _system(),
            {"role": "user", "content": "Can you hold order B-2041 for a week?"},
        ]
        with desk.turn(trigger=asked) as turn:
            self.broken_arguments = turn.id
            call = _ask(turn, history, tool=("hold_order", _BROKEN))
            (wanted,) = call.tool_requests
            with turn.tool_call(wanted.name, supplied=wanted.supplied, call_id=wanted.id) as step:
                step.result("The arguments are no JSON: expected a value at character 29.", status="invalid")
            history.append(
                {"role": "tool", "tool_call_id": wanted.id, "content": "The arguments are no JSON."}
            )
            call = _ask(turn, history, tool=("hold_order", '{"order": "B-2041", "days": 7}'))
            (wanted,) = call.tool_requests
            with turn.tool_call(wanted.name, supplied=wanted.supplied, call_id=wanted.id) as step:
                step.result("The warehouse did not answer within 30 s.", status="timeout")
            turn.abort("The warehouse's system is down.", code="warehouse_down")


def _system() -> Message:
    return {"role": "system", "content": _SYSTEM}


def _ask(turn: Turn, history: list[Message], tool: tuple[str, str]) -> ModelCallStep:
    """A model call that answers with a tool request."""
    name, supplied = tool
    request = {
        "id": f"call_{len(history)}",
        "type": "function",
        "function": {"name": name, "arguments": supplied},
    }
    return _exchange(turn, history, {"role": "assistant", "content": None, "tool_calls": [request]})


def _say(turn: Turn, history: list[Message], answer: str) -> ModelCallStep:
    """A model call that answers with text."""
    return _exchange(turn, history, {"role": "assistant", "content": answer})


def _exchange(turn: Turn, history: list[Message], message: Message) -> ModelCallStep:
    request = {"model": MODEL, "messages": list(history), "tools": _tools()}
    finish = "tool_calls" if "tool_calls" in message else "stop"
    reply = {
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": _USAGE,
    }
    with turn.model_call(role="primary", request=request) as call:
        call.result(reply)
    history.append(message)
    return call


def _tools() -> Sequence[Message]:
    fields = {"refund_order": ("order", "amount_eur"), "hold_order": ("order", "days")}
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {
                    "type": "object",
                    "properties": {key: {} for key in keys},
                    "required": list(keys),
                },
            },
        }
        for name, keys in fields.items()
    ]
