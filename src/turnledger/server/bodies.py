"""Bodies as they were stored: whole or a range, as bytes that no browser takes for a page."""

from __future__ import annotations

import re
from typing import Any, Final

from starlette.responses import Response, StreamingResponse

from turnledger.errors import NotFoundError
from turnledger.model.rows import BodyRow
from turnledger.query.previews import media_type
from turnledger.query.timeline import Entry
from turnledger.server.portions import portions
from turnledger.server.problems import HttpError
from turnledger.server.reply import answers
from turnledger.store.contract import Reader

__all__ = ["BODY_ANSWERS", "body_response", "byte_range"]

_AT_ONCE: Final = 1 << 20
_TEXT: Final = "text/plain; charset=utf-8"
_BINARY: Final = "application/octet-stream"
_RANGE: Final = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")
_READABLE: Final = re.compile(r"text/|application/(?:[\w.+-]*\+)?json|application/xml")

BODY_ANSWERS: Final = answers(None, 404, 416)
_CONTENT: Final[dict[str, Any]] = {
    _TEXT: {"schema": {"type": "string"}},
    _BINARY: {"schema": {"type": "string", "format": "binary"}},
}
_HEADERS: Final = {
    "X-Turnledger-Media-Type": {
        "description": "What the recorder noted about the body; for display only.",
        "schema": {"type": "string"},
    },
    "Accept-Ranges": {"schema": {"type": "string"}},
}
BODY_ANSWERS[200] = {"description": "The body.", "content": _CONTENT, "headers": _HEADERS}
BODY_ANSWERS[206] = {
    "description": "The range of it that was asked for.",
    "content": _CONTENT,
    "headers": {**_HEADERS, "Content-Range": {"schema": {"type": "string"}}},
}


def body_response(reader: Reader, entry: Entry, slot: str, asked_range: str | None) -> Response:
    """The answer with one body of an event, or the range of it that the header ``Range`` asks for.

    Raises NotFoundError where the event has no such body or it was pruned, HttpError 416.
    """
    content = reader.body(entry.row.event_id, slot)
    if content is None:
        msg = f"Event {entry.row.event_id} has no body {slot[:40]!r}."
        raise NotFoundError(msg, next_step="See the event's `bodies` for what it has.")
    if isinstance(content, BodyRow):
        msg = f"The body {slot[:40]!r} of event {entry.row.event_id} was pruned or erased."
        raise NotFoundError(msg, next_step="Its size and commitment are all that is left.")
    start, stop = byte_range(asked_range, content.size)
    noted = media_type(entry, slot)
    headers = {
        "Accept-Ranges": "bytes",
        "Cache-Control": "no-store",
        "Content-Length": str(stop - start),
        "X-Turnledger-Media-Type": noted.encode("ascii", "replace").decode("ascii"),
    }
    whole = asked_range is None
    if not whole:
        headers["Content-Range"] = f"bytes {start}-{stop - 1}/{content.size}"
    kind = _TEXT if _READABLE.match(noted) else _BINARY
    status = 200 if whole else 206
    if stop - start <= _AT_ONCE:
        return Response(b"".join(content.read(start, stop)), status, headers, kind)
    return StreamingResponse(portions(content.read(start, stop)), status, headers, kind)


def byte_range(header: str | None, size: int) -> tuple[int, int]:
    """Start and stop of what ``Range`` asks for in ``size`` bytes; the whole without a header.

    One range only.  Raises HttpError 416 for any other header, and for a range outside.
    """
    if header is None:
        return 0, size
    match = _RANGE.fullmatch(header.strip())
    first, last = match.groups() if match else ("", "")
    if first:
        start, stop = int(first), min(int(last) + 1, size) if last else size
    else:
        start, stop = max(size - int(last), 0) if last else size, size
    if start >= stop:
        msg = f"{header[:60]!r} is no range of {size} bytes."
        raise HttpError(416, "range", msg, "Ask for one range, such as bytes=0-1023.")
    return start, stop
