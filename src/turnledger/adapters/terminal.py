"""Where an event stream says that it is complete, told while it arrives and however it is cut.

A client may stop reading at that point without exhausting the stream, so its end alone says nothing.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["TerminalMarker"]

_BLANK_LINE: Final = re.compile(rb"\r?\n\r?\n")
_MARKER: Final = re.compile(
    rb"^(?:data: ?\[DONE\]"  # OpenAI chat and everybody who speaks it
    rb"|event: ?message_stop"  # Anthropic messages
    rb"|event: ?response\.(?:completed|incomplete|failed)"  # OpenAI responses
    rb"|event: ?message-end)",  # Cohere
    re.MULTILINE,
)
_HEAD_BYTES: Final = 256  # a marker stands at the head of its event, whose data can be megabytes
_SEPARATOR_BYTES: Final = 3


class TerminalMarker:
    """Fed with a stream piece by piece; keeps a few bytes of it."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""

    def passed(self, piece: bytes) -> bool:
        """Whether the event that ends the stream is complete with this piece."""
        if not (self._head or self._tail) and _is_one_event(piece):
            return _MARKER.search(piece, 0, _HEAD_BYTES) is not None
        start, found = 0, False
        for end in _BLANK_LINE.finditer(self._tail + piece):
            stop = max(end.end() - len(self._tail), 0)
            found = found or self._is_marker(piece[start:stop])
            self._head, start = b"", stop
        rest = piece[start:]
        self._head = (self._head + rest[:_HEAD_BYTES])[:_HEAD_BYTES]
        self._tail = (self._tail + piece)[-_SEPARATOR_BYTES:] if not start else rest[-_SEPARATOR_BYTES:]
        return found

    def _is_marker(self, rest: bytes) -> bool:
        return _MARKER.search((self._head + rest[:_HEAD_BYTES])[:_HEAD_BYTES]) is not None


def _is_one_event(piece: bytes) -> bool:
    """Whether a piece is one whole event, as most servers send them: nothing has to be kept of it."""
    return piece.find(b"\n\n") == len(piece) - 2 > 0 and b"\r" not in piece
