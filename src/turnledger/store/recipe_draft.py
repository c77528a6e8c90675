"""A recipe in the making: operations in order, while the parts of some have no id yet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from turnledger.store.lanes import Level
from turnledger.store.part_writer import PartWriter
from turnledger.wire.alignment import Change, Run
from turnledger.wire.recipe import Kind, escape, is_literal, literal, reference, unescape
from turnledger.wire.segments import LITERAL_BYTES, PIECE_BYTES, pieces, strings

__all__ = ["RecipeDraft"]

_BATCH_BYTES = 4 << 20  # new parts are stored as soon as so much of them waits


class RecipeDraft:
    """Collects the operations of one body of ``agent``."""

    def __init__(self, parts: PartWriter, agent: int, pack: Callable[[bytes], bytes]) -> None:
        self._parts = parts
        self._pack = pack
        self._agent = agent
        self._ends: list[int] = []
        self._codes: list[bytes] = []
        self._end = 0
        self._waiting: list[tuple[int, Kind, int]] = []
        self._contents: list[bytes] = []
        self._contents_bytes = 0

    def add_run(self, old: Level, run: Run) -> None:
        """Take over operations of an earlier body."""
        shift = run.at - (old.ends[run.first - 1] if run.first else 0)
        ends = old.ends[run.first : run.last]
        self._ends += [end + shift for end in ends] if shift else ends
        self._codes += old.codes[run.first : run.last]
        self._end = self._ends[-1]

    def add_change(self, old: Level, data: bytes, change: Change) -> None:
        """Cut new bytes of a JSON text, which take the place of operations of an earlier body."""
        around = old.codes[max(change.first - 1, 0) : change.first + 1]
        inside = not all(map(is_literal, around))
        for start, stop in pairwise(change.cuts):
            position = start
            for first, last in strings(data, start, stop, inside=inside):
                self._add_literals(data, position, first)
                self._add_string(data[first:last])
                position = last
            self._add_literals(data, position, stop)
            inside = True  # further cuts are made in long pieces only, which are strings

    def _add_literals(self, data: bytes, start: int, stop: int) -> None:
        for first in range(start, stop, LITERAL_BYTES):
            piece = data[first : min(first + LITERAL_BYTES, stop)]
            self._add(literal(piece), len(piece))

    def add_text(self, text: bytes) -> None:
        """Add bytes as they are, as parts."""
        for piece in pieces(text):
            self._add_part(Kind.RAW, len(piece), piece)

    def _add_string(self, inside: bytes) -> None:
        text = unescape(inside) if b"\\" in inside else None
        if text is None:
            self.add_text(inside)
        elif len(text) <= PIECE_BYTES:
            self._add_part(Kind.ESCAPED, len(inside), text)
        else:
            for piece in pieces(text):
                self._add_part(Kind.ESCAPED, len(escape(piece)), piece)

    def _add_part(self, kind: Kind, length: int, content: bytes) -> None:
        self._waiting.append((len(self._codes), kind, length))
        self._contents.append(content)
        self._add(b"", length)
        self._contents_bytes += len(content)
        if self._contents_bytes > _BATCH_BYTES:
            self._settle()

    def _add(self, code: bytes, length: int) -> None:
        self._end += length
        self._ends.append(self._end)
        self._codes.append(code)

    def _settle(self) -> None:
        ids = self._parts.ids(self._agent, self._contents, self._pack)
        for (index, kind, length), part in zip(self._waiting, ids, strict=True):
            self._codes[index] = reference(kind, length, part)
        self._waiting.clear()
        self._contents.clear()
        self._contents_bytes = 0

    def finish(self) -> Level:
        """All operations, in order."""
        if self._waiting:
            self._settle()
        return Level(self._ends, self._codes)
