"""Words in a body: its text made readable, and the places where they stand with a little around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

__all__ = ["Excerpt", "excerpts", "readable"]

AROUND: Final = 60
SHOWN: Final = 3

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WHITE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A match as it is written, and the words around it."""

    before: str
    match: str
    after: str


def readable(data: bytes) -> str:
    """The text of a body; escapes of JSON are what they stand for.  Empty for what is no text."""
    if b"\0" in data[:1000]:
        return ""
    text = data.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_unescape, text)
    # Halves of a pair, written one by one, come together; one alone cannot be shown.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _unescape(match: re.Match[str]) -> str:
    code, short = match.groups()
    return chr(int(code, 16)) if code else _SHORT.get(short, short)


def excerpts(text: str, terms: Sequence[str]) -> list[Excerpt]:
    """A few places of the terms (given without case) in ``text``; none unless all of them are in it."""
    folded = text.casefold()
    if not all(term in folded for term in terms):
        return []
    if len(folded) != len(text):
        text = folded  # some letters fold into two: places then hold for the folded text only
    places = sorted((folded.index(term), len(term)) for term in terms)
    return [_excerpt(text, start, length) for start, length in places[:SHOWN]]


def _excerpt(text: str, start: int, length: int) -> Excerpt:
    stop = start + length
    return Excerpt(
        _flat(text[max(start - AROUND, 0) : start]),
        _flat(text[start:stop]),
        _flat(text[stop : stop + AROUND]),
    )


def _flat(text: str) -> str:
    return _WHITE.sub(" ", text)
