"""Where output goes: texts to stdout, messages to stderr, plain and stable where nobody is watching."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Literal, NoReturn

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from turnledger.cli.safe_text import one_line
from turnledger.wire.file_json import file_json

__all__ = ["Screen", "note", "write_json"]

_UNLIMITED = 1 << 20
_NARROW = 100
_LEAST_PROSE = 20
_ASCII = str.maketrans({"→": "->", "≠": "!=", "…": "...", "·": "."})


class _Pipe(Console):
    """A console whose reader may leave: that is no error of ours."""

    def on_broken_pipe(self) -> NoReturn:
        """See rich; the program ends by this exception."""
        raise BrokenPipeError


class Screen:
    """Standard output.  ``width`` is the cells of a line, or None where lines are not cut."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdout.isatty()
        bounded = self.is_terminal or "COLUMNS" in os.environ
        self.console = _Pipe(
            file=sys.stdout,
            markup=False,
            highlight=False,
            emoji=False,
            soft_wrap=False,
            width=None if bounded else _UNLIMITED,
        )
        self.width = self.console.width if bounded else None
        self._plain = bool(os.environ.get("NO_COLOR")) or self.console.color_system is None
        self.draws = "utf" in (sys.stdout.encoding or "").lower()
        """Whether more than ASCII can be shown."""

    @property
    def _overflow(self) -> Literal["ellipsis", "crop"]:
        return "ellipsis" if self.draws else "crop"

    @property
    def narrow(self) -> bool:
        """Whether a line has less than a hundred cells."""
        return self.width is not None and self.width < _NARROW

    def line(self, *pieces: tuple[str, str], indent: int = 0, whole: bool = False) -> None:
        """One line of ``(text, style)`` pieces, cut where it is too long for the terminal.

        What somebody will copy is printed ``whole``.
        """
        width = None if whole else self.width
        said = [(words if self.draws else words.translate(_ASCII), style) for words, style in pieces]
        if self._plain:
            plain = (" " * indent + "".join(words for words, _ in said)).rstrip()
            self.console.file.write(f"{plain if width is None else self._cut(plain, width)}\n")
            return
        text = Text(" " * indent, no_wrap=True, end="")
        for words, style in said:
            text.append(words, style or None)
        text.rstrip()
        if width is not None:
            text.truncate(width, overflow=self._overflow)
        self.console.print(text, soft_wrap=True)

    def block(self, head: tuple[str, str], lines: Sequence[str], *, indent: int = 0) -> None:
        """Many lines that fit, each behind ``head``: they go out at once."""
        words, style = head
        if not self.draws:
            lines = [line.translate(_ASCII) for line in lines]
        if not self._plain:
            words = self.console.get_style(style).render(words, color_system=self.console._color_system)  # noqa: SLF001  rich has no other way to style text outside of a console's own layout
        before = " " * indent + words
        self.console.file.write("".join([f"{before}{line}".rstrip() + "\n" for line in lines]))

    def prose(self, head: tuple[str, str], words: str, style: str = "") -> None:
        """``head``, then ``words`` behind it, on as many lines as they take: nothing is cut."""
        room = None if self.width is None else max(self.width - cell_len(head[0]), _LEAST_PROSE)
        lines = [words] if room is None else wrap(words, room, break_on_hyphens=False) or [""]
        self.line(head, (lines[0], style))
        for line in lines[1:]:
            self.line((line, style), indent=cell_len(head[0]))

    def _cut(self, line: str, width: int) -> str:
        if cell_len(line) <= width:
            return line
        return set_cell_size(line, width - 1) + "…" if self.draws else set_cell_size(line, width)

    def table(self, head: Iterable[str], rows: Iterable[Iterable[tuple[str, str]]], give: int) -> None:
        """Rows of ``(text, style)`` cells under a head; column ``give`` is cut where there is no room."""
        whole = [[(name, "bold") for name in head], *(list(row) for row in rows)]
        cells = [[Text(words, style=style) for words, style in row] for row in whole]
        widths = [max(row[place].cell_len for row in cells) for place in range(len(cells[0]))]
        if self.width is not None:
            over = sum(widths) + 2 * (len(widths) - 1) - self.width
            widths[give] = max(widths[give] - max(over, 0), 8)
        for row in cells:
            pieces: list[tuple[str, str]] = []
            for place, cell in enumerate(row):
                cell.truncate(widths[place], overflow=self._overflow, pad=True)
                pieces += [(cell.plain, str(cell.style)), ("  ", "")]
            self.line(*pieces)

    def flush(self) -> None:
        """Everything that was written is where it goes."""
        sys.stdout.flush()


def note(message: str) -> None:
    """One line for a person, on stderr."""
    sys.stderr.write(one_line(message) + "\n")
    sys.stderr.flush()


def write_json(value: object, *, lines: bool = False) -> None:
    """``value`` as JSON on stdout: readable, or on one line of its own."""
    sys.stdout.flush()
    sys.stdout.buffer.write(file_json(value, indent=None if lines else 2) + b"\n")
    sys.stdout.buffer.flush()
