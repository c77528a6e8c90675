"""The demo's agent with a real model: it looks orders up, and answers a few questions and no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_map, parse

if TYPE_CHECKING:
    from turnledger.capture.agent import Agent
    from turnledger.capture.turn import Turn
    from turnledger.engine.demo.live_model import LiveModel

__all__ = ["LIVE", "LIVE_QUESTIONS", "live_rounds"]

LIVE: Final = "assistant (live model)"
LIVE_QUESTIONS: Final = (
    "Where is my order B-2045?",
    "I ordered a lamp, B-2038, and it came broken. What can I do?",
    "Which of B-2045 and B-2046 will be here first?",
    "What did I pay for B-2046?",
    "Can you cancel B-9999?",
    "Write me a haiku about the blue chairs in B-2046.",
)
"""What it is asked, once each: somebody pays for the answers."""

_ORDERS: Final = {
    "B-2038": {"item": "lamp", "price_eur": 129, "state": "delivered"},
    "B-2045": {"item": "desk", "price_eur": 240, "state": "packed", "arrives": "tomorrow"},
    "B-2046": {"item": "six blue chairs", "price_eur": 354, "state": "paid", "arrives": "in a week"},
}
_SYSTEM: Final = "You are the service desk of a small shop. Look orders up before you speak about them."
_TOOL: Final = {
    "type": "function",
    "function": {
        "name": "lookup_order",
        "description": "What is known of an order.",
        "parameters": {"type": "object", "properties": {"order": {"type": "string"}}, "required": ["order"]},
    },
}
_CALLS: Final = 4  # of the model in a turn


def live_rounds(agent: Agent, model: LiveModel, tell: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """A conversation for each question."""
    for number, question in enumerate(LIVE_QUESTIONS, 1):
        yield partial(_play, agent, model, tell, f"live:{number}", question)


def _play(agent: Agent, model: LiveModel, tell: Callable[[str], None], key: str, question: str) -> None:
    conversation = agent.conversation(key, connector="demo", shape="dm")
    message = conversation.inbound(question, actor="demo:you")
    message.verdict("engage", reason="A direct message is always answered.", by="dm-rule")
    try:
        with conversation.turn(trigger=message, tools=1) as turn:
            _answer(turn, model, question)
    except OSError as error:
        tell(f"The live model gave no answer ({type(error).__name__}); its turn is on record as failed.")


def _answer(turn: Turn, model: LiveModel, question: str) -> None:
    messages: list[object] = [{"role": "system", "content": _SYSTEM}, {"role": "user", "content": question}]
    for _ in range(_CALLS):
        call = model.ask(turn, messages, [_TOOL])
        if call.reply.error is not None:
            turn.abort(code="provider_error")
            return
        if not call.tool_requests:
            turn.commit(call.reply.text or "")
            return
        asked = [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.supplied}}
            for one in call.tool_requests
        ]
        messages.append({"role": "assistant", "content": call.reply.text, "tool_calls": asked})
        for one in call.tool_requests:
            with turn.tool_call(one.name, supplied=one.supplied, ordinal=one.ordinal, call_id=one.id) as step:
                found = step.result(_look_up(one.supplied))
            messages.append({"role": "tool", "tool_call_id": one.id, "content": found})
    turn.budget("steps", limit=_CALLS, used=_CALLS, outcome="exhausted")
    turn.abort(code="steps", status="exhausted")


def _look_up(supplied: str) -> str:
    order = as_map(parse(supplied.encode("utf-8", "surrogatepass")).value).get("order")
    return str(_ORDERS.get(order, {"error": "no such order"}) if isinstance(order, str) else "which order?")
