"""The summary: ``key=value`` tokens separated by one space (contract, section 4).

A value is printable ASCII without space, ``=`` and ``%``; anything else is percent-encoded UTF-8.
Keys are unique, a value holds at most 256 bytes, an unknown value is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias
from urllib.parse import unquote
from uuid import UUID

from turnledger.errors import GrammarError

__all__ = [
    "VALUE_BYTES",
    "TokenValue",
    "cut_value",
    "join_tokens",
    "parse_summary",
    "quote_value",
    "read_token",
]

VALUE_BYTES = 256

TokenValue: TypeAlias = str | int | bool | UUID | None

_PLAIN = re.compile(r"[!-$&-<>-~]*")
_PLAIN_BYTES = frozenset(range(0x21, 0x7F)) - frozenset(b"=%")
_KEY = re.compile(r"[a-z][A-Za-z0-9]{0,31}")


def quote_value(text: str) -> str:
    """``text`` percent-encoded where the grammar asks for it; lone surrogates become U+FFFD's bytes."""
    if _PLAIN.fullmatch(text):
        return text
    raw = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace").encode()
    return "".join(chr(byte) if byte in _PLAIN_BYTES else f"%{byte:02X}" for byte in raw)


def cut_value(text: str) -> tuple[str, bool]:
    """``text`` shortened so that its encoded form fits a token; True where a token does not give it back."""
    if len(quote_value(text)) <= VALUE_BYTES:
        return text, not (text.isascii() or _is_unicode(text))
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if len(quote_value(text[:middle])) <= VALUE_BYTES:
            low = middle
        else:
            high = middle - 1
    return text[:low], True


def _is_unicode(text: str) -> bool:
    """Whether there is no lone surrogate in it, which a token cannot hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _value(key: str, value: TokenValue) -> str:
    if isinstance(value, StrEnum):
        return str(value)
    if isinstance(value, str):
        quoted = quote_value(value)
        if len(quoted) > VALUE_BYTES:
            msg = f"The value of token {key!r} takes {len(quoted)} bytes; the limit is {VALUE_BYTES}."
            raise GrammarError(msg, next_step="Shorten the name; content belongs in the payload.")
        return quoted
    if isinstance(value, bool):
        return "1" if value else "0"
    return str(value)


def join_tokens(pairs: Iterable[tuple[str, TokenValue]]) -> str:
    """The summary text of ``pairs`` in their order; pairs whose value is None are left out.

    Raises GrammarError for a value over 256 bytes.
    """
    return " ".join([f"{key}={_value(key, value)}" for key, value in pairs if value is not None])


def parse_summary(summary: str) -> dict[str, str]:
    """Decoded tokens of a summary, in order.

    Lenient, because summaries of other writers are free text: words that are no token are passed over.
    """
    tokens: dict[str, str] = {}
    for word in summary.split(" "):
        key, equals, value = word.partition("=")
        if equals and _KEY.fullmatch(key) and key not in tokens:
            tokens[key] = unquote(value) if "%" in value else value
    return tokens


def read_token(summary: str, key: str) -> str:
    """The decoded value of one token, as ``parse_summary`` gives it; empty where there is none."""
    start = f"{key}="
    for word in summary.split(" "):
        if word.startswith(start):
            value = word[len(start) :]
            return unquote(value) if "%" in value else value
    return ""
