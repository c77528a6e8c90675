"""What a decoder of one wire format has to provide, and the little that all of them share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from turnledger.providers.document import exact_text
from turnledger.providers.exchange import ToolRequest
from turnledger.providers.usage import normalise_usage
from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from turnledger.providers.exchange import Reply, ReplyFlag, RequestFacts, Usage

__all__ = ["Arguments", "Stream", "StreamEvent", "WireFormat", "invocation_metrics", "reencoded"]


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event of a stream: the bytes of its data and the JSON object in them."""

    data: bytes
    value: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Stream:
    """The readable events of a reply in order; ``done`` says that a ``[DONE]`` came."""

    events: Sequence[StreamEvent]
    done: bool


@dataclass(frozen=True, slots=True)
class WireFormat:
    """A decoder.  The ``claims_…`` look at one JSON object (body, or event) and say whether it is theirs.

    The readers are only given what they claimed (for streams: any one event of it), must not raise on any
    JSON, and leave ``wire``, ``provider``, ``error`` and the flag ``usage-absent`` to ``decode``.
    ``read_reply`` gets the body beside the parsed object, to cut exact texts out of it.
    """

    name: str
    claims_reply: Callable[[Mapping[str, object]], bool]
    claims_event: Callable[[Mapping[str, object]], bool]
    claims_request: Callable[[Mapping[str, object]], bool]
    read_reply: Callable[[Mapping[str, object], bytes], Reply]
    read_stream: Callable[[Stream], Reply]
    read_request: Callable[[Mapping[str, object]], RequestFacts]


@dataclass(slots=True)
class Arguments:
    """A tool request while it is put together; ``pieces`` are the fragments of its arguments' text.

    ``parts`` is the value of arguments that come as values at paths instead (Gemini).
    """

    id: str | None = None
    name: str = ""
    choice: int = 0
    pieces: list[str] = field(default_factory=list[str])
    exact: bool = True
    parts: dict[str, object] | None = None

    @property
    def supplied(self) -> str:
        """The arguments' text so far."""
        whole = () if self.parts is None else (encode_value(self.parts).data.decode(),)
        return "".join((*whole, *self.pieces))

    def add(self, value: object, data: bytes, path: Sequence[str | int]) -> None:
        """Append a fragment: text as it is, any other value as it is written at ``path`` of ``data``."""
        if isinstance(value, str):
            self.pieces.append(value)
        elif value is not None:
            text, exact = exact_text(data, path, value)
            self.pieces.append(text)
            self.exact = self.exact and exact

    def request(self, ordinal: int) -> ToolRequest:
        """The finished request."""
        return ToolRequest(
            ordinal=ordinal, id=self.id, name=self.name, supplied=self.supplied, choice=self.choice
        )


def invocation_metrics(document: Mapping[str, object]) -> Usage | None:
    """Usage as Bedrock puts it into the last event of whatever a model streams; None where it did not."""
    return normalise_usage(document.get("amazon-bedrock-invocationMetrics"))


def reencoded(calls: Sequence[Arguments]) -> tuple[ReplyFlag, ...]:
    """The flag that some arguments are not in their exact text."""
    return () if all(call.exact and call.parts is None for call in calls) else ("supplied-reencoded",)
