"""Ollama's own API, ``/api/chat`` and ``/api/generate``: one JSON object, or one a line.

Format: Ollama API reference, "Generate a chat completion" and "Generate a completion".  Every line is a
whole reply as far as it has come; it streams unless the request says that it should not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import Finish, Reply, ReplyFlag, RequestFacts
from turnledger.providers.format import Arguments, Stream, WireFormat, reencoded
from turnledger.providers.messages import request_facts, texts_of
from turnledger.providers.usage import normalise_usage

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COUNTS", "FORMAT"]

_FINISH: Final[Mapping[str, Finish]] = {"stop": "stop", "length": "length"}
COUNTS: Final = ("prompt_eval_count", "eval_count")
"""Where it counts tokens, at the top of its last object."""
_REQUEST_KEYS: Final = frozenset({"keep_alive", "options", "template", "context", "raw"})


@dataclass(slots=True)
class _Answer:
    """A reply while it is put together."""

    model: str | None = None
    finish: str | None = None
    done: bool = False
    text: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    calls: list[Arguments] = field(default_factory=list[Arguments])
    usage: dict[str, object] = field(default_factory=dict[str, object])

    def add(self, told: Mapping[str, object], data: bytes) -> None:
        message = as_map(told.get("message"))
        self.model = self.model or as_text(told.get("model"))
        for target, piece in (
            (self.text, message.get("content")),
            (self.text, told.get("response")),
            (self.thoughts, message.get("thinking")),
            (self.thoughts, told.get("thinking")),
        ):
            if isinstance(piece, str):
                target.append(piece)
        for number, entry in enumerate(as_list(message.get("tool_calls"))):
            function = as_map(as_map(entry).get("function"))
            call = Arguments(id=as_text(as_map(entry).get("id")), name=as_text(function.get("name")) or "")
            path: list[str | int] = ["message", "tool_calls", number, "function", "arguments"]
            call.add(function.get("arguments"), data, path)
            self.calls.append(call)
        self.done = self.done or told.get("done") is True
        self.finish = as_text(told.get("done_reason")) or self.finish
        self.usage.update({key: told[key] for key in COUNTS if told.get(key) is not None})

    def reply(self) -> Reply:
        flags: list[ReplyFlag] = [] if self.done else ["cut"]
        return Reply(
            served_model=self.model,
            finish=self._finish(),
            finish_raw=self.finish,
            text="".join(self.text) if self.text else None,
            reasoning_text="".join(self.thoughts) or None,
            tool_requests=tuple(call.request(ordinal) for ordinal, call in enumerate(self.calls)),
            usage=normalise_usage(self.usage),
            flags=(*flags, *reencoded(self.calls)),
        )

    def _finish(self) -> Finish | None:
        """The format says ``stop`` of an answer that asks for tools, too; older servers give no reason."""
        if not self.done:
            return None
        finish: Finish = _FINISH.get(self.finish, "other") if self.finish else "stop"
        return "tool_calls" if finish == "stop" and self.calls else finish


def _claims(document: Mapping[str, object]) -> bool:
    return isinstance(document.get("done"), bool) and (
        isinstance(document.get("message"), dict) or isinstance(document.get("response"), str)
    )


def _read_reply(document: Mapping[str, object], body: bytes) -> Reply:
    answer = _Answer()
    answer.add(document, body)
    return answer.reply()


def _read_stream(stream: Stream) -> Reply:
    answer = _Answer()
    for event in stream.events:
        answer.add(event.value, event.data)
    return answer.reply()


def _claims_request(request: Mapping[str, object]) -> bool:
    return isinstance(request.get("prompt"), str) and not _REQUEST_KEYS.isdisjoint(request)


def _read_request(request: Mapping[str, object]) -> RequestFacts:
    system = request.get("system")
    return request_facts(
        {**request, "stream": request.get("stream") is not False},
        [system] if system else [],
        [],
        messages=1,
        texts=texts_of(system),
    )


FORMAT = WireFormat(
    name="ollama",
    claims_reply=_claims,
    claims_event=_claims,
    claims_request=_claims_request,
    read_reply=_read_reply,
    read_stream=_read_stream,
    read_request=_read_request,
)
