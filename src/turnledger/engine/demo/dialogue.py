"""What the scripted model of the scenes and one turn say to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from turnledger.wire.file_json import file_json

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.turn import Turn
    from turnledger.engine.demo.pace import Pace
    from turnledger.providers.exchange import ToolRequest

__all__ = ["SCENE_MODEL", "Dialogue"]

SCENE_MODEL: Final = "scripted-scene"
"""Name of the model that says the scenes' lines."""

_SYSTEM: Final = (
    "You are the service desk of a small shop. Look orders up before you speak about them. "
    "Refunds over 100 EUR need the approval of a person."
)
_FIELDS: Final = {
    "lookup_order": ("order",),
    "refund_order": ("order", "amount_eur"),
    "hold_order": ("order", "days"),
    "search_mail": ("words",),
}
_CHARS_PER_TOKEN: Final = 4
_MODEL_S: Final = 1.2
_TOOL_S: Final = 0.6

Message = Mapping[str, object]


class Dialogue:
    """A turn's history with the model, beginning with the customer's ``question``.

    The usage that its replies report is counted from their length, and the history that the model has seen
    before counts as cached.
    """

    def __init__(self, turn: Turn, pace: Pace, question: str, *, system: str = _SYSTEM) -> None:
        self._turn = turn
        self._pace = pace
        self._seen = 0
        self._history: list[Message] = [
            {"role": "system", "content": system},
            {"role": "user", "content": question},
        ]

    def ask(self, *wanted: tuple[str, str]) -> tuple[ToolRequest, ...]:
        """A model call that asks for tools: ``(name, text of the arguments)`` each."""
        calls = [
            {
                "id": f"call_{len(self._history)}_{place}",
                "type": "function",
                "function": {"name": name, "arguments": supplied},
            }
            for place, (name, supplied) in enumerate(wanted)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        return self._exchange(message, "tool_calls").tool_requests

    def say(self, text: str) -> str:
        """A model call that answers with ``text``; gives it back."""
        self._exchange({"role": "assistant", "content": text}, "stop")
        return text

    def run(self, asked: ToolRequest, observation: object, status: str = "ok") -> None:
        """Run a tool that was asked for; it gives ``observation``."""
        with self._turn.tool_call(
            asked.name, supplied=asked.supplied, ordinal=asked.ordinal, call_id=asked.id
        ) as step:
            self._pace.wait(_TOOL_S)
            step.result(observation, status=status)
        self.told(asked, observation)

    def told(self, asked: ToolRequest, observation: object) -> None:
        """Tell the model what a tool gave."""
        content = observation if isinstance(observation, str) else file_json(observation).decode()
        self._history.append({"role": "tool", "tool_call_id": asked.id, "content": content})

    def fail(self, http_status: int, problem: str) -> ModelCallStep:
        """A model call to which the provider answers with an error."""
        with self._turn.model_call(role="primary", request=self._request()) as call:
            self._pace.wait(_MODEL_S)
            call.result({"error": {"type": problem, "message": problem}}, http_status=http_status)
        return call

    def retry(self, failed: ModelCallStep, text: str) -> str:
        """The next attempt of a call that failed; it answers with ``text``."""
        self._exchange({"role": "assistant", "content": text}, "stop", failed)
        return text

    def _exchange(self, message: Message, finish: str, failed: ModelCallStep | None = None) -> ModelCallStep:
        with self._turn.model_call(role="primary", request=self._request(), retry_of=failed) as call:
            self._pace.wait(_MODEL_S)
            call.result(self._reply(message, finish))
        self._history.append(message)
        return call

    def _request(self) -> dict[str, object]:
        return {"model": SCENE_MODEL, "messages": list(self._history), "tools": _tools()}

    def _reply(self, message: Message, finish: str) -> dict[str, object]:
        prompt, answer = _tokens(self._history), _tokens([message])
        cached, self._seen = self._seen, prompt
        return {
            "object": "chat.completion",
            "model": f"{SCENE_MODEL}-1",
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": prompt,
                "completion_tokens": answer,
                "total_tokens": prompt + answer,
                "prompt_tokens_details": {"cached_tokens": cached},
            },
        }


def _tokens(messages: Sequence[Message]) -> int:
    return len(file_json(list(messages))) // _CHARS_PER_TOKEN


def _tools() -> list[Message]:
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
        for name, keys in _FIELDS.items()
    ]
