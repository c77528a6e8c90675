"""The door of the room: bytes of a reply or a request in, facts out, whatever the bytes are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from turnledger.providers.document import Document, as_map, parse
from turnledger.providers.exchange import Reply, ReplyFlag, RequestFacts, RequestFlag, Usage
from turnledger.providers.failure import provider_error
from turnledger.providers.format import Stream, StreamEvent
from turnledger.providers.registry import FORMATS
from turnledger.providers.sse import event_data, looks_like_events

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["decode_reply", "decode_request", "prompt_snapshot"]

_DONE = b"[DONE]"


def decode_reply(
    body: bytes, *, provider: str | None = None, media_type: str | None = None, status: int | None = None
) -> Reply:
    """Read a reply's body, JSON or event stream, after content decoding; never raises.

    The format is found by the body's shape; ``media_type`` only decides where nothing can be told from it.
    ``provider`` is passed through, ``status`` is the HTTP status.  A body that can't be read gives a reply
    without ``wire`` whose flags say why.
    """
    if looks_like_events(body) or _claims_to_be_events(body, media_type):
        reply = _read_events(body, status)
    else:
        reply = _read_document(body, status)
    absent: tuple[ReplyFlag, ...] = ("usage-absent",) if reply.usage is None else ()
    return replace(reply, provider=provider, flags=tuple(dict.fromkeys(reply.flags + absent)))


def _claims_to_be_events(body: bytes, media_type: str | None) -> bool:
    return (media_type or "").startswith("text/event-stream") and not body.lstrip().startswith((b"{", b"["))


def _read_document(body: bytes, status: int | None) -> Reply:
    document = parse(body)
    top = as_map(document.value)
    error = provider_error(document.value, status)
    for wire in FORMATS:
        if wire.claims_reply(top):
            reply = wire.read_reply(top, body)
            usage = _with_unsplit_reasoning(reply)
            return replace(
                reply, wire=wire.name, error=error, usage=usage, flags=document.flags + reply.flags
            )
    unknown: tuple[ReplyFlag, ...] = ("unknown-format",) if document.readable and error is None else ()
    return Reply(error=error, flags=document.flags + unknown)


def _read_events(body: bytes, status: int | None) -> Reply:
    stream, flags = _stream(body)
    errors = (provider_error(event.value, None) for event in stream.events)
    error = next((found for found in errors if found), None) or provider_error(None, status)
    if error is not None and status is not None:
        error = replace(error, status=status)
    for wire in FORMATS:
        if any(wire.claims_event(event.value) for event in stream.events):
            return _finished(replace(wire.read_stream(stream), wire=wire.name, error=error), flags)
    if error is None:
        flags += ("unknown-format",) if stream.events else ("undecodable", "cut")
    return Reply(error=error, flags=flags)


def _stream(body: bytes) -> tuple[Stream, tuple[ReplyFlag, ...]]:
    events: list[StreamEvent] = []
    flags: list[ReplyFlag] = []
    done = False
    for data in event_data(body):
        if data.strip() == _DONE:
            done = True
            continue
        document: Document = parse(data)
        if document.readable:
            events.append(StreamEvent(data, as_map(document.value)))
            flags += document.flags
        else:
            flags.append("bad-event")
    return Stream(events, done), tuple(dict.fromkeys(flags))


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


def decode_request(request: bytes | Mapping[str, object]) -> RequestFacts:
    """Read a request's JSON body, or the same already parsed into dicts and lists; never raises."""
    flags: tuple[RequestFlag, ...] = ()
    if isinstance(request, bytes):
        document = parse(request)
        flags = tuple(flag for flag in document.flags if flag != "cut")
        request = as_map(document.value)
    for wire in FORMATS:
        if wire.claims_request(request):
            facts = wire.read_request(request)
            return replace(facts, wire=wire.name, flags=flags + facts.flags)
    return RequestFacts(flags=flags or ("unknown-format",))


def prompt_snapshot(request: Mapping[str, object]) -> bytes | None:
    """Instructions and tools of a parsed request as canonical JSON; None where it has neither."""
    return decode_request(request).prompt
