"""Small pieces gathered into portions, so that not every one of them crosses threads alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ["portions"]

PORTION: Final = 1 << 18


def portions(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of 256 KiB or more, but for the last one."""
    gathered: list[bytes] = []
    size = 0
    for piece in pieces:
        gathered.append(piece)
        size += len(piece)
        if size >= PORTION:
            yield b"".join(gathered)
            gathered, size = [], 0
    yield b"".join(gathered)
