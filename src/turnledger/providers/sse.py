"""Server-sent events (WHATWG HTML, section 9.2.6 "Interpreting an event stream")."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.providers.document import without_mark

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["event_data", "looks_like_events"]

_FIELDS = (b"data:", b"event:", b":", b"id:", b"retry:")


def looks_like_events(body: bytes) -> bool:
    """Whether the body begins as an event stream does."""
    return without_mark(body[:256]).startswith(_FIELDS)


def event_data(body: bytes) -> Iterator[bytes]:
    """The data of each event in order, its lines joined by LF; events without data are left out.

    Any line ending and comments are understood.  Unlike a browser it also yields an event whose closing
    blank line never came: no JSON object is the beginning of another, so a half one can't pass for a whole.
    """
    lines: list[bytes] = []
    for line in without_mark(body).splitlines():
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
        elif not line and lines:
            yield b"\n".join(lines)
            lines.clear()
    if lines:
        yield b"\n".join(lines)
