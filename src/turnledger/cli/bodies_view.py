"""Bodies printed whole under their event, every line behind a bar, so that none can pass for one of ours."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

from rich.cells import cell_len

from turnledger.cli.line import BAD, QUIET, WARN, size
from turnledger.cli.safe_text import block_lines, one_line
from turnledger.cli.screen import Screen
from turnledger.errors import LedgerCorruptError
from turnledger.query.previews import media_type, whole_body
from turnledger.query.timeline import Entry
from turnledger.store.contract import Reader

__all__ = ["show_bodies"]

_INDENT = 6
_HEX_BYTES = 16
_LONGEST = 1 << 20


def show_bodies(screen: Screen, reader: Reader, entry: Entry) -> None:
    """Print every body of the event, or why it is not there."""
    bar = "│ " if screen.draws else "| "
    for body in entry.row.bodies:
        event = f"{entry.row.type} #{entry.row.seq}"
        about = one_line(f"{event} {body.slot}, {media_type(entry, body.slot)}, {size(body.size)}")
        content = whole_body(reader, entry, body.slot) if body.present else None
        if content is None:
            screen.line((f"{about}: pruned", WARN), indent=_INDENT)
            continue
        screen.line((about, "bold dim"), indent=_INDENT)
        room = None if screen.width is None else max(screen.width - _INDENT - len(bar), 20)
        try:
            for line in _lines(content.read()):
                for part in _wrapped(line, room):
                    screen.line((bar, QUIET), (part, ""), indent=_INDENT)
        except LedgerCorruptError as error:
            screen.line((f"damaged: {one_line(error.message)}", BAD), indent=_INDENT)


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    """Harmless lines of a body; its bytes in hexadecimal from the piece on in which it is no text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    pending, offset = "", 0
    for chunk in chunks:
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError:
            half = decoder.getstate()[0]
            if pending:
                yield from block_lines(pending)
            yield from _dump(_joined(half + chunk, chunks), offset - len(half))
            return
        offset += len(chunk)
        *whole, pending = (pending + text).split("\n")
        for line in whole:
            yield from block_lines(line.removesuffix("\r"))
        if len(pending) > _LONGEST:
            yield from block_lines(pending)
            pending = ""
    half = decoder.getstate()[0]
    if pending or not offset:
        yield from block_lines(pending)
    if half:
        yield from _dump([half], offset - len(half))


def _joined(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def _dump(chunks: Iterable[bytes], offset: int) -> Iterator[str]:
    held = b""
    for chunk in chunks:
        held += chunk
        whole = len(held) - len(held) % _HEX_BYTES
        for start in range(0, whole, _HEX_BYTES):
            yield _hex_line(held[start : start + _HEX_BYTES], offset + start)
        held, offset = held[whole:], offset + whole
    if held:
        yield _hex_line(held, offset)


def _hex_line(data: bytes, offset: int) -> str:
    shown = "".join(chr(byte) if chr(byte).isascii() and chr(byte).isprintable() else "." for byte in data)
    return f"{offset:08x}  {data.hex(' '):<47}  {shown}"


def _wrapped(line: str, room: int | None) -> Iterator[str]:
    """``line`` in parts of at most ``room`` cells."""
    if room is None or cell_len(line) <= room:
        yield line
        return
    start, cells = 0, 0
    for place, character in enumerate(line):
        width = cell_len(character)
        if cells + width > room:
            yield line[start:place]
            start, cells = place, 0
        cells += width
    yield line[start:]
