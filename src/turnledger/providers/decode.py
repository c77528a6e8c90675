"""The door of the room: bytes of a reply or a request in, facts out, whatever the bytes are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from turnledger.providers import ollama, openai_chat, openai_responses, text_completion
from turnledger.providers.document import as_map, parse, without_mark
from turnledger.providers.endpoint import endpoint_of
from turnledger.providers.exchange import Reply, ReplyFlag, RequestFacts, RequestFlag, Usage
from turnledger.providers.failure import provider_error
from turnledger.providers.format import Stream, StreamEvent
from turnledger.providers.frames import looks_like_frames
from turnledger.providers.registry import FORMATS
from turnledger.providers.sse import looks_like_events
from turnledger.providers.streams import (
    FRAMES_MEDIA_TYPE,
    frame_stream,
    line_stream,
    list_stream,
    looks_like_lines,
    sse_stream,
    torn_list_stream,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from turnledger.providers.document import Document
    from turnledger.providers.format import WireFormat

__all__ = ["decode_reply", "decode_request", "prompt_snapshot"]

_ALIKE = frozenset(
    {openai_chat.FORMAT.name, openai_responses.FORMAT.name, text_completion.FORMAT.name}
)  # several formats write these
_FIRST = 8  # how many elements of a list are looked at to tell whether it is a stream


def decode_reply(
    body: bytes,
    *,
    provider: str | None = None,
    media_type: str | None = None,
    status: int | None = None,
    uri: str | None = None,
) -> Reply:
    """Read a reply's body, JSON or event stream, after content decoding; never raises.

    The format is found by the body's shape; ``media_type`` only decides where nothing can be told from it.
    ``provider`` is passed through, else it is the one that ``uri`` is known to belong to; ``status`` is the
    HTTP status.  A body that can't be read gives a reply without ``wire`` whose flags say why.
    """
    endpoint = endpoint_of(uri)
    told = (media_type or "").partition(";")[0]
    if looks_like_frames(body) or told == FRAMES_MEDIA_TYPE:
        reply = _read_events(*frame_stream(body), status)
    elif looks_like_events(body) or _claims_to_be_events(body, told):
        reply = _read_events(*sse_stream(body), status)
    else:
        reply = _read_document(body, status)
    flags = reply.flags
    if endpoint.stored and reply.wire is not None:
        flags += ("fetched",)
    if reply.usage is None:
        flags += ("usage-absent",)
    return replace(reply, provider=provider or endpoint.provider, flags=tuple(dict.fromkeys(flags)))


def _claims_to_be_events(body: bytes, media_type: str) -> bool:
    return media_type == "text/event-stream" and not body.lstrip().startswith((b"{", b"["))


def _read_document(body: bytes, status: int | None) -> Reply:
    document = parse(body)
    if not document.readable and looks_like_lines(body):
        return _read_events(*line_stream(body), status)
    top = as_map(document.value)
    wire = next((one for one in FORMATS if one.claims_reply(top)), None)
    if wire is None:
        return _read_list(document, body, status)
    reply = wire.read_reply(top, body)
    return replace(
        reply,
        wire=wire.name,
        error=provider_error(top, status),
        usage=_with_unsplit_reasoning(reply),
        flags=document.flags + reply.flags,
    )


def _read_list(document: Document, body: bytes, status: int | None) -> Reply:
    """A body of no known format, unless it is a list of what a stream of one consists of."""
    stream: Stream | None = None
    if document.readable:
        listed = document.value if isinstance(document.value, list) else [document.value]
        first = [as_map(item) for item in listed[:_FIRST]]
        if any(wire.claims_event(item) for item in first for wire in FORMATS):
            alone = Stream(
                [StreamEvent(body, first[0])], done=False
            )  # a stream that ends with its first line
            stream = list_stream(body, document.value) if listed is document.value else alone
    elif without_mark(body).startswith(b"["):
        torn = torn_list_stream(body)
        stream = torn if _format_of(torn) is not None else None
    if stream is not None:
        return _read_events(stream, tuple(flag for flag in document.flags if flag != "undecodable"), status)
    error = provider_error(document.value, status)
    unknown: tuple[ReplyFlag, ...] = ("unknown-format",) if document.readable and error is None else ()
    return Reply(error=error, flags=document.flags + unknown)


def _format_of(stream: Stream) -> WireFormat | None:
    """The format of the first event that any format claims."""
    found = (wire for event in stream.events for wire in FORMATS if wire.claims_event(event.value))
    return next(found, None)


def _read_events(stream: Stream, flags: tuple[ReplyFlag, ...], status: int | None) -> Reply:
    # Looking for the word first spares looking at every place of every event where an error may stand.
    suspects = (event.value for event in stream.events if b"error" in event.data or "error" in event.value)
    errors = (provider_error(value, None) for value in suspects)
    error = next((found for found in errors if found), None) or provider_error(None, status)
    if error is not None and status is not None:
        error = replace(error, status=status)
    wire = _format_of(stream)
    if wire is not None:
        return _finished(replace(wire.read_stream(stream), wire=wire.name, error=error), flags)
    if error is None:
        flags += ("unknown-format",) if stream.events else ("undecodable", "cut")
    return Reply(error=error, flags=flags)


def _finished(reply: Reply, flags: tuple[ReplyFlag, ...]) -> Reply:
    """A streamed reply with its last flags: an error that ended it is no cut, early counts are partial."""
    own = tuple(flag for flag in reply.flags if flag != "cut" or reply.error is None)
    broke_off = reply.finish is None and ("cut" in own or reply.error is not None)
    usage = _partial(reply.usage) if broke_off else _with_unsplit_reasoning(reply)
    return replace(reply, usage=usage, flags=flags + own)


def _partial(usage: Usage | None) -> Usage | None:
    """Usage of a stream that broke off: what was put out until then was never counted to its end."""
    if usage is None:
        return None
    return replace(
        usage, out=None, reasoning=None, audio_out=None, image_out=None, flags=(*usage.flags, "partial")
    )


def _with_unsplit_reasoning(reply: Reply) -> Usage | None:
    usage = reply.usage
    if usage is None or usage.out is None or usage.reasoning is not None or reply.reasoning_text is None:
        return usage
    return replace(usage, flags=(*usage.flags, "reasoning-unsplit"))


def decode_request(request: bytes | Mapping[str, object], *, uri: str | None = None) -> RequestFacts:
    """Read a request's JSON body, or the same already parsed into dicts and lists; never raises.

    Model, streaming and format are taken from ``uri`` where they stand there and not in the body.
    """
    flags: tuple[RequestFlag, ...] = ()
    if isinstance(request, bytes):
        document = parse(request)
        flags = tuple(flag for flag in document.flags if flag != "cut")
        request = as_map(document.value)
    wire = next((one for one in FORMATS if one.claims_request(request)), None)
    facts = RequestFacts() if wire is None else wire.read_request(request)
    if wire is None and not flags:
        flags = ("unknown-format",)
    endpoint = endpoint_of(uri)
    name = None if wire is None else wire.name
    return replace(
        facts,
        wire=endpoint.wire or name if name in _ALIKE else name,
        model=facts.model or endpoint.model,
        stream=facts.stream
        or endpoint.streams
        or (endpoint.wire == ollama.FORMAT.name and "stream" not in request),
        flags=flags + facts.flags,
    )


def prompt_snapshot(request: Mapping[str, object]) -> bytes | None:
    """Instructions and tools of a parsed request as canonical JSON; None where it has neither."""
    return decode_request(request).prompt
