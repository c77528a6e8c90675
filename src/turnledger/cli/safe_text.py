"""Recorded text made harmless for a terminal.  It is hostile: whoever talks with an agent can write it.

Escape sequences, bidi overrides, invisible and line-breaking characters become visible marks; lone
surrogates become U+FFFD.  Nothing here is read as markup later: texts go to the screen as texts.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["block_lines", "one_line", "visible"]

_TAB = 4

# Controls (C0, DEL, C1), formats that hide or reorder text (all of Cf but the joiners that scripts and
# emoji need), line and paragraph separators, surrogates, and the tag characters.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Unicode's own pictures of C0 controls and DEL.
_PICTURES = {chr(code): chr(0x2400 + code) for code in range(0x20)} | {"\x7f": "\u2421"}
_BREAK = re.compile("\r\n|[\n\r]")
_SPACES = re.compile(r"[ \t\r\n]+")


def _mark(match: re.Match[str]) -> str:
    character = match[0]
    if character in _PICTURES:
        return _PICTURES[character]
    if unicodedata.category(character) == "Cs":
        return "\ufffd"
    return character.encode("unicode_escape").decode("ascii")


def visible(text: str) -> str:
    """``text`` with every character that a terminal could obey, hide or reorder made visible."""
    return _UNSAFE.sub(_mark, text)


def one_line(text: str, limit: int | None = None) -> str:
    """``text`` on one line: white space collapsed, then ``visible``, cut to ``limit`` characters."""
    if limit is not None and len(text) > 8 * limit:
        text = text[: 8 * limit] + " …"
    line = visible(_SPACES.sub(" ", text).strip(" "))
    return line if limit is None or len(line) <= limit else line[: limit - 1] + "…"


def block_lines(text: str) -> list[str]:
    """The lines of ``text``, each made harmless; only line breaks break, tabs become spaces."""
    lines = text.split("\n")
    if text.isascii() and "".join(lines).isprintable():
        return lines
    return [visible(line.expandtabs(_TAB)) for line in _BREAK.split(text)]
