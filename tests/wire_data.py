"""The recorded exchanges with model providers, by provider and place in its recordings."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["Exchanges", "all_exchanges", "body_of"]

Exchanges = dict[tuple[str, int], dict[str, Any]]

_ALL = Path(__file__).parent / "data" / "wire-all.jsonl.gz"


@cache
def all_exchanges() -> Exchanges:
    """All that are there."""
    found: Exchanges = {}
    seen: Counter[str] = Counter()
    for line in gzip.decompress(_ALL.read_bytes()).splitlines():
        exchange = json.loads(line)
        provider = exchange["provider"]
        found[provider, seen[provider]] = exchange
        seen[provider] += 1
    return found


def body_of(exchange: dict[str, Any], side: str = "response") -> bytes:
    """The body as it came over the wire."""
    value = exchange[side]
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).encode()
