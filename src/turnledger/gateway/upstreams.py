"""The providers behind the gateway, by the first part of a request's path."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import httpx2

from turnledger.errors import UsageError

__all__ = ["KNOWN", "Target", "parse_upstreams", "target_of"]

KNOWN: Final[Mapping[str, str]] = {
    "openai": "https://api.openai.com",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "mistral": "https://api.mistral.ai",
    "groq": "https://api.groq.com",
    "openrouter": "https://openrouter.ai",
    "deepseek": "https://api.deepseek.com",
}

_NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")


class Target(NamedTuple):
    """Where a request goes: the upstream's name, and the URL without the query."""

    upstream: str
    url: str


def parse_upstreams(given: Iterable[str]) -> dict[str, str]:
    """The known upstreams and those given as ``name=url``, which come first.

    Raises UsageError for anything else: the gateway sends credentials to nowhere that was not named.
    """
    upstreams = dict(KNOWN)
    for text in given:
        name, equals, url = text.partition("=")
        if not equals or not _NAME.fullmatch(name) or not _is_address(url):
            shown = (
                repr(name[:31]) if equals and _NAME.fullmatch(name) else "This"
            )  # a URL may hold a password
            msg = f"{shown} is no upstream."
            raise UsageError(msg, next_step="Write it like local=http://127.0.0.1:11434.")
        upstreams[name] = url.rstrip("/")
    return upstreams


def _is_address(url: str) -> bool:
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        return False
    return parsed.scheme in {"http", "https"} and bool(parsed.host)


def target_of(path: str, upstreams: Mapping[str, str]) -> Target | None:
    """Where a request for ``/<upstream>/…`` goes; None where the path names no upstream."""
    name, _, rest = path.lstrip("/").partition("/")
    base = upstreams.get(name)
    return None if base is None else Target(name, f"{base}/{rest}")
