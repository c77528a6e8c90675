"""The workload every benchmark shares: agents that talk, call tools and carry their whole history along.

A conversation has turns; a turn is model call, tool call, model call, … , model call; every request is an
OpenAI-style chat request with the system prompt, all messages so far and the tool definitions.  Text is
English-like: words drawn by rank (Zipf) from a list, in sentences and paragraphs.  The same seed gives the
same bytes in every process.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Conversation", "ModelStep", "Shape", "ToolStep", "Turn", "conversations"]

_STEMS = """\
the of and to in that is for it was with on as be at by this have from or not are but had which you one we
all her she there would their him been has when who will more no if out so said what up its about into than
them can only other new some could time these two may then do first any my now such like our over man me
even most made after also did many before must through back years where much your way well down should
because each just those people state good very make world still own see men work long get here between both
life being under never day same another know while last might us great old year off come since against go
came right used take three order account refund ticket customer shipment invoice payment address delivery
warehouse agent request answer status number system policy change service contract product support message
record review update report result search query index table value error network server client session token
budget limit region market price discount coupon return replace repair device battery screen cable keyboard
printer router monitor speaker camera sensor meter engine bridge harbour railway airport flight hotel
booking seat luggage passport ticketing journey schedule calendar meeting project manager engineer design
release version branch commit deploy rollback incident alert metric trace window package library module
function object memory storage backup restore archive folder document paragraph sentence language translate
summary decision reason evidence witness signature balance transfer deposit interest currency exchange
insurance premium claim damage coverage doctor patient hospital medicine treatment symptom recipe kitchen
garden weather temperature pressure forecast mountain river village island forest animal horse bird fish
tree flower colour music picture theatre museum history science theory method measure sample average
estimate probability variance model training learning question problem solution example chapter reference
appendix figure column signal channel frequency amplitude filter spectrum voltage current
"""
_ENDINGS = ("", "s", "ed", "ing", "ly")
_WORDS = [stem + ending for ending in _ENDINGS for stem in _STEMS.split()]
_WEIGHTS = list(accumulate(1 / (rank + 12) for rank in range(len(_WORDS))))
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_TOOLS = ("search_orders", "lookup_customer", "read_document")
_QUOTES, _PARAGRAPHS, _PROSE = 0.1, 0.12, 0.7  # shares of sentences, of sentences, of observations
_EPOCH_S = 1_780_000_000


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the workload, in pieces and in characters (ranges are uniform)."""

    conversations: int = 50
    turns: int = 10
    model_calls: int = 4
    system_chars: int = 8_000
    question_chars: tuple[int, int] = (100, 500)
    thought_chars: tuple[int, int] = (100, 500)
    answer_chars: tuple[int, int] = (500, 1_500)
    observation_chars: tuple[int, int] = (1_000, 4_000)


@dataclass(frozen=True, slots=True)
class ModelStep:
    """One model call: the request as a dict and as the bytes on the wire, and the response's bytes."""

    request: dict[str, Any]
    request_bytes: bytes
    response_bytes: bytes
    text: str


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One tool call: the model's id of it, the tool's name, the argument text as supplied, what came back."""

    call_id: str
    name: str
    arguments: str
    observation: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One run: the message that triggered it, its steps in order, and the final answer."""

    question: str
    steps: tuple[ModelStep | ToolStep, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation's outside key, its actor, and its turns (made as they are asked for, once)."""

    key: str
    actor: str
    turns: Iterator[Turn]


def conversations(shape: Shape = Shape(), *, seed: int = 1) -> Iterator[Conversation]:
    """All conversations of one agent; the system prompt and the tools are the same in each."""
    writer = _Writer(random.Random(seed))
    system = writer.text(shape.system_chars)
    tools = [_tool(writer, name) for name in _TOOLS]
    for number in range(shape.conversations):
        rng = random.Random(f"{seed}/{number}")
        turns = _turns(shape, _Writer(rng), system, tools)
        yield Conversation(key=f"bench:C{number:04}", actor=f"bench:U{number % 17:03}", turns=turns)


def _turns(shape: Shape, writer: _Writer, system: str, tools: list[dict[str, Any]]) -> Iterator[Turn]:
    history: list[dict[str, Any]] = [{"role": "system", "content": system}]
    for _ in range(shape.turns):
        question = writer.text(writer.between(shape.question_chars))
        history.append({"role": "user", "content": question})
        steps: list[ModelStep | ToolStep] = []
        for _ in range(shape.model_calls - 1):
            call = _tool_call(writer)
            thought = writer.text(writer.between(shape.thought_chars))
            steps.append(_model_step(writer, history, tools, thought, call))
            observation = writer.observation(writer.between(shape.observation_chars))
            function = call["function"]
            steps.append(ToolStep(call["id"], function["name"], function["arguments"], observation))
            history.append({"role": "tool", "tool_call_id": call["id"], "content": observation})
        answer = writer.text(writer.between(shape.answer_chars))
        steps.append(_model_step(writer, history, tools, answer, None))
        yield Turn(question, tuple(steps), answer)


def _model_step(
    writer: _Writer,
    history: list[dict[str, Any]],
    tools: list[dict[str, Any]],
    text: str,
    call: dict[str, Any] | None,
) -> ModelStep:
    """One exchange; the assistant's message joins ``history``, as a client sends it back."""
    request = {"messages": list(history), "model": "gpt-5.2", "temperature": 0.2, "tools": tools}
    request_bytes = _compact(request)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    sent_back: dict[str, Any] = {"role": "assistant", "content": text}
    if call is not None:
        message["tool_calls"] = sent_back["tool_calls"] = [call]
    history.append(sent_back)
    response = _response(writer, message, len(request_bytes) // 4, len(text) // 4)
    return ModelStep(request, request_bytes, response, text)


def _response(writer: _Writer, message: dict[str, Any], prompt_tokens: int, completion_tokens: int) -> bytes:
    """A chat completion as OpenAI's API writes it: indented JSON."""
    body = {
        "id": f"chatcmpl-{writer.token(29)}",
        "object": "chat.completion",
        "created": _EPOCH_S + writer.between((0, 10_000_000)),
        "model": "gpt-5.2-2026-05-14",
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
            "prompt_tokens_details": {"cached_tokens": prompt_tokens // 128 * 128, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
        "service_tier": "default",
        "system_fingerprint": f"fp_{writer.token(10).lower()}",
    }
    return json.dumps(body, indent=2, ensure_ascii=False).encode()


def _tool_call(writer: _Writer) -> dict[str, Any]:
    arguments = {"query": writer.words(6), "customer_id": writer.between((10_000, 99_999)), "limit": 5}
    function = {"name": writer.choice(_TOOLS), "arguments": _compact(arguments).decode()}
    return {"id": f"call_{writer.token(24)}", "type": "function", "function": function}


def _tool(writer: _Writer, name: str) -> dict[str, Any]:
    properties = {
        "query": {"type": "string", "description": writer.words(8)},
        "customer_id": {"type": "integer", "description": writer.words(6)},
        "limit": {"type": "integer", "description": writer.words(5)},
    }
    parameters = {
        "type": "object",
        "properties": properties,
        "required": ["query"],
        "additionalProperties": False,
    }
    function = {"name": name, "description": writer.text(160), "parameters": parameters, "strict": False}
    return {"type": "function", "function": function}


def _compact(value: object) -> bytes:
    """JSON as HTTP clients of the providers' SDKs send it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class _Writer:
    """English-like text from one source of randomness."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def between(self, bounds: tuple[int, int]) -> int:
        return self._rng.randint(*bounds)

    def choice(self, names: tuple[str, ...]) -> str:
        return self._rng.choice(names)

    def token(self, chars: int) -> str:
        return "".join(self._rng.choices(_ALPHABET, k=chars))

    def words(self, count: int) -> str:
        return " ".join(self._rng.choices(_WORDS, cum_weights=_WEIGHTS, k=count))

    def text(self, chars: int) -> str:
        """Sentences in paragraphs, about ``chars`` characters."""
        parts: list[str] = []
        length = 0
        while length < chars:
            sentence = self.words(self._rng.randint(6, 18)).capitalize() + self._rng.choice(".....?!")
            if self._rng.random() < _QUOTES:
                sentence = sentence.replace(" ", " “", 1).replace(" ", "” — ", 2)
            parts.append(sentence)
            parts.append("\n\n" if self._rng.random() < _PARAGRAPHS else " ")
            length += len(sentence) + 1
        return "".join(parts)[:chars].rstrip()

    def observation(self, chars: int) -> str:
        """What a tool says: prose, or records as JSON text."""
        if self._rng.random() < _PROSE:
            return self.text(chars)
        records: list[str] = []
        length = 0
        while length < chars:
            record = {"id": self._rng.randint(10**6, 10**7), "title": self.words(5), "note": self.text(120)}
            records.append(_compact(record).decode())
            length += len(records[-1]) + 1
        return "[" + ",".join(records) + "]"
