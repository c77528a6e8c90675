"""Bodies printed whole under their event, every line behind a bar, so that none can pass for one of ours."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from itertools import chain

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
_SHOWN = bytes(byte if 0x20 <= byte < 0x7F else ord(".") for byte in range(256))  # noqa: PLR2004  ASCII


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
            for lines in _blocks(content.read()):
                screen.block((bar, QUIET), _wrapped(lines, room), indent=_INDENT)
        except LedgerCorruptError as error:
            screen.line((f"damaged: {one_line(error.message)}", BAD), indent=_INDENT)


def _blocks(chunks: Iterator[bytes]) -> Iterator[list[str]]:
    """Harmless lines of a body, many at a time; its bytes in hexadecimal from where on it is no text."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    pending, offset = "", 0
    for chunk in chunks:
        try:
            text = pending + decoder.decode(chunk)
        except UnicodeDecodeError:
            half = decoder.getstate()[0]
            if pending:
                yield block_lines(pending)
            yield from _dump(chain([half + chunk], chunks), offset - len(half))
            return
        offset += len(chunk)
        whole, newline, pending = text.rpartition("\n")
        if newline:
            yield block_lines(whole.removesuffix("\r"))
        if len(pending) > _LONGEST:
            yield block_lines(pending)
            pending = ""
    half = decoder.getstate()[0]
    if pending or not offset:
        yield block_lines(pending)
    if half:
        yield from _dump([half], offset - len(half))


def _dump(chunks: Iterable[bytes], offset: int) -> Iterator[list[str]]:
    held = b""
    for chunk in chunks:
        held += chunk
        whole = len(held) - len(held) % _HEX_BYTES
        yield _hex_lines(held[:whole], offset)
        held, offset = held[whole:], offset + whole
    if held:
        yield _hex_lines(held, offset)


def _hex_lines(data: bytes, offset: int) -> list[str]:
    shown = data.translate(_SHOWN).decode("ascii")
    digits = data.hex(" ")
    return [
        f"{offset + start:08x}  {digits[3 * start : 3 * (start + _HEX_BYTES) - 1]:<47}"
        f"  {shown[start : start + _HEX_BYTES]}"
        for start in range(0, len(data), _HEX_BYTES)
    ]


def _wrapped(lines: list[str], room: int | None) -> list[str]:
    """``lines`` in parts of at most ``room`` cells."""
    if room is None:
        return lines
    parts: list[str] = []
    for line in lines:
        if len(line) <= room and (line.isascii() or cell_len(line) <= room):
            parts.append(line)
        elif line.isascii():
            parts += [line[start : start + room] for start in range(0, len(line), room)]
        else:
            parts += _cut(line, room)
    return parts


def _cut(line: str, room: int) -> Iterator[str]:
    start, cells = 0, 0
    for place, character in enumerate(line):
        width = cell_len(character)
        if cells + width > room:
            yield line[start:place]
            start, cells = place, 0
        cells += width
    yield line[start:]
