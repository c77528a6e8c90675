"""Requests that carry a list of ``messages``, as those of OpenAI chat and Anthropic do.

One reader for both: a plain request looks the same in either, so no fact may hang on telling them apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import RequestFacts, ToolResultPart
from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "INSTRUCTING",
    "has_messages",
    "looks_like_anthropic",
    "read_messages",
    "request_facts",
    "texts_of",
    "tool_results",
]

INSTRUCTING = ("system", "developer")
"""Roles whose messages instruct the model."""

_ANSWERING = frozenset({"tool", "function"})
_ANTHROPIC_BLOCKS = frozenset({"tool_use", "tool_result", "redacted_thinking"})


def texts_of(content: object) -> list[str]:
    """The texts of a content that is a text, or a list of texts and parts with a ``text``."""
    if isinstance(content, str):
        return [content] if content else []
    texts = [part if isinstance(part, str) else as_map(part).get("text") for part in as_list(content)]
    return [text for text in texts if isinstance(text, str) and text]


def has_messages(request: Mapping[str, object]) -> bool:
    """Whether the request is of this kind at all."""
    return isinstance(request.get("messages"), (list, tuple))


def looks_like_anthropic(request: Mapping[str, object]) -> bool:
    """Whether the request holds what only Anthropic's format has."""
    if not has_messages(request):
        return False
    if "system" in request or "anthropic_version" in request:
        return True
    tools = [as_map(tool) for tool in as_list(request.get("tools"))]
    if any("input_schema" in tool for tool in tools):
        return True
    first = as_map(next(iter(as_list(request.get("messages"))), None))
    if first.get("role") in INSTRUCTING or any("function" in tool for tool in tools):
        return False  # spares looking through the history
    return any(as_text(block.get("type")) in _ANTHROPIC_BLOCKS for block in _blocks(request))


def read_messages(request: Mapping[str, object]) -> RequestFacts:
    """The facts of such a request; instructions are ``system`` and all system and developer messages."""
    system, messages = request.get("system"), as_list(request.get("messages"))
    # A request carries the whole history several times a turn, so this loop is all that walks it.
    instructing = [
        entry for entry in messages if isinstance(entry, dict) and entry.get("role") in INSTRUCTING
    ]
    texts = texts_of(system)
    for entry in instructing:
        texts += texts_of(entry.get("content"))
    tools = as_list(request.get("tools")) or as_list(request.get("functions"))
    return request_facts(
        request, [*([system] if system else []), *instructing], tools, messages=len(messages), texts=texts
    )


def request_facts(
    request: Mapping[str, object],
    instructions: Sequence[object],
    tools: Sequence[object],
    *,
    messages: int,
    texts: Sequence[str],
) -> RequestFacts:
    """The facts of a request that names its model and whether to stream at its top, as most formats do."""
    prompt, lossy = _snapshot(instructions, tools)
    return RequestFacts(
        model=as_text(request.get("model")),
        stream=request.get("stream") is True,
        messages=messages,
        system_texts=tuple(texts),
        tools=tuple(tools),
        prompt=prompt,
        flags=("prompt-lossy",) if lossy else (),
    )


def tool_results(request: Mapping[str, object]) -> tuple[ToolResultPart, ...]:
    """Tool results in the whole history of a request, contents as the request's own objects."""
    messages = as_list(request.get("messages"))
    return tuple(
        result for position, entry in enumerate(messages) for result in _results(position, as_map(entry))
    )


def _blocks(request: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    for entry in as_list(request.get("messages")):
        content = entry.get("content") if isinstance(entry, dict) else None
        if isinstance(content, (list, tuple)):
            yield from map(as_map, content)


def _snapshot(instructions: Sequence[object], tools: Sequence[object]) -> tuple[bytes | None, bool]:
    if not instructions and not tools:
        return None, False
    encoded = encode_value({"instructions": instructions, "tools": list(tools)})
    return encoded.data, encoded.lossy


def _results(position: int, message: Mapping[str, object]) -> Iterator[ToolResultPart]:
    """Tool results of one message: the message itself (OpenAI), or blocks of its content (Anthropic)."""
    if as_text(message.get("role")) in _ANSWERING:
        call_id = as_text(message.get("tool_call_id"))
        yield ToolResultPart(position=position, call_id=call_id, content=message.get("content"))
        return
    for block in map(as_map, as_list(message.get("content"))):
        if block.get("type") == "tool_result":
            yield ToolResultPart(
                position=position,
                call_id=as_text(block.get("tool_use_id")),
                content=block.get("content"),
                is_error=block.get("is_error") is True,
            )
