"""Which headers pass: all but those of the connection itself (RFC 9110, section 7.6.1) and our own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

__all__ = ["OWN", "Header", "own_words", "to_client", "to_upstream"]

Header = tuple[bytes, bytes]

OWN: Final = b"turnledger-"
"""What a program may tell the gateway begins so, and goes no further."""

_OF_CONNECTION: Final = frozenset(
    {
        b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection",
        b"te", b"trailer", b"transfer-encoding", b"upgrade",
    }
)  # fmt: skip


def to_upstream(headers: Iterable[Header]) -> list[Header]:
    """A client's headers as the provider gets them; the host and the length are the gateway's to say."""
    headers = list(headers)
    dropped = _dropped(headers) | {b"host", b"content-length", b"expect"}
    return [(name, value) for name, value in headers if name not in dropped and not name.startswith(OWN)]


def to_client(headers: Iterable[Header]) -> list[Header]:
    """A provider's headers as the client gets them."""
    headers = [(name.lower(), value) for name, value in headers]
    dropped = _dropped(headers)
    return [(name, value) for name, value in headers if name not in dropped]


def own_words(headers: Iterable[Header]) -> dict[str, str]:
    """What the program tells the gateway, by what follows ``turnledger-``: UTF-8, or else Latin-1."""
    return {
        name.removeprefix(OWN).decode("latin-1"): _text(value)
        for name, value in headers
        if name.startswith(OWN)
    }


def _dropped(headers: list[Header]) -> frozenset[bytes]:
    named = {
        word.strip().lower() for name, value in headers if name == b"connection" for word in value.split(b",")
    }
    return _OF_CONNECTION | named


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
