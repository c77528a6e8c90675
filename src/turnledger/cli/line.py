"""One line of a timeline before it is laid out: a mark and words with styles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from turnledger.cli.safe_text import one_line
from turnledger.model.vocabulary import Assurance
from turnledger.query.previews import Glance, GlanceState
from turnledger.query.timeline import Entry

__all__ = [
    "BAD",
    "GOOD",
    "MARKS",
    "QUIET",
    "WARN",
    "Line",
    "Room",
    "counted",
    "number",
    "quoted",
    "size",
    "status_style",
]

GOOD: Final = "green"
BAD: Final = "bold red"
WARN: Final = "yellow"
QUIET: Final = "dim"
QUOTE: Final = "italic"

_NAME_CHARS: Final = 120
_SCALAR: Final = re.compile(r'-?[0-9][-+.0-9Ee]*…?$|(?:true|false|null)$|"')
_KIB: Final = 1024

# What it is → (drawn, in ASCII).
MARKS: Final[dict[str, tuple[str, str]]] = {
    "in": ("▶", ">"),
    "out": ("◀", "<"),
    "prompt": ("▤", "="),
    "model": ("◆", "*"),
    "tool": ("●", "o"),
    "result": ("↳", "-"),
    "guard": ("◇", "?"),
    "approval": ("◈", "?"),
    "memory": ("✎", "~"),
    "progress": ("…", ":"),
    "budget": ("◔", "$"),
    "problem": ("✖", "!"),
    "done": ("✔", "v"),
    "none": ("∅", "0"),
    "note": ("·", "."),
}

_STYLES: Final = {
    **dict.fromkeys(("ok", "completed", "allow", "pass", "granted", "delivered", "engage"), GOOD),
    **dict.fromkeys(("waiting", "requested", "flag", "warn", "defer", "superseded", "cancelled"), WARN),
    **dict.fromkeys(("cut", "unknown"), WARN),
    **dict.fromkeys(("sending", "observe", "ignore"), QUIET),
    "running": "cyan",
}


def status_style(word: str) -> str:
    """The style of a word of the contract's vocabularies; what is not known to be well is bad."""
    return _STYLES.get(word, BAD)


@dataclass(frozen=True, slots=True)
class Room:
    """How much a line may quote, in characters, and whether the terminal is narrow."""

    chars: int
    narrow: bool = False


@dataclass(slots=True)
class Line:
    """What one line says; ``entries`` are the events it stands for: the first one's time, all their numbers.

    A ``derived`` line is no event of its own: it says what follows from those before it.
    """

    mark: str
    entries: tuple[Entry, ...]
    derived: bool = False
    words: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def say(self, words: object, style: str = "") -> Line:
        """Add words, made harmless, after a space; nothing where there are none."""
        text = "" if words is None else one_line(str(words), _NAME_CHARS)
        if text:
            self.words.append((f" {text}" if self.words else text, style))
        return self

    def cite(self, glance: Glance, chars: int) -> Line:
        """Add the first ``chars`` characters of a body in quotation marks, or why there are none."""
        text = quoted(glance, chars)
        if text:
            style = QUOTE if glance.state is GlanceState.TEXT else WARN
            self.words.append((f" {text}", style))
        return self

    def lower_levels(self) -> list[Assurance]:
        """How the events came on record, where that is less than before they happened; best first."""
        found = {entry.assurance for entry in self.entries if entry.assurance is not None}
        return [level for level in Assurance if level in found and level is not Assurance.WRITE_AHEAD]


def quoted(glance: Glance, chars: int) -> str:
    """The beginning of a body in quotation marks (JSON: as it is), or in brackets why there is none.

    A text ``7`` has them and the number has not.
    """
    if glance.state is GlanceState.NONE:
        return ""
    if glance.state is GlanceState.TEXT:
        text = one_line(glance.text, chars)
        is_plain = text[:1] in {"{", "["} or (glance.is_json and _SCALAR.match(text) is not None)
        return text if is_plain else f'"{text}"'
    if glance.state is GlanceState.BINARY:
        return f"[binary, {size(glance.size)}]"
    return f"[{glance.state}]"


def number(value: int | None) -> str:
    """A count with thousands apart; what is not known is said to be."""
    return "not recorded" if value is None else f"{value:,}"


def counted(count: int, one: str, many: str = "") -> str:
    """A count with its noun: ``1 turn``, ``1,204 turns``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size(count: int) -> str:
    """A number of bytes, exact below 10 KiB."""
    if count < 10 * _KIB:
        return f"{count:,} B"
    if count < _KIB * _KIB:
        return f"{count / _KIB:,.1f} KiB"
    if count < _KIB**3:
        return f"{count / _KIB**2:,.1f} MiB"
    return f"{count / _KIB**3:,.1f} GiB"
