"""Identifiers: UUIDs the ledger makes (version 7, so that they cluster by time) and their text form.

Nothing is ever derived from the bits of an id that somebody else made.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from uuid import UUID

from turnledger.clock import SYSTEM
from turnledger.errors import GrammarError

__all__ = ["NIL", "derived_id", "new_id", "new_salt", "parse_uuid"]

NIL = UUID(int=0)
SALT_BYTES = 32
_KEPT = 128

_LOWER_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


# Fetched by the hundred: each call of the system would let other threads take the interpreter.
_random: deque[bytes] = deque()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_random.clear)  # else parent and child would hand out the same


def _fresh() -> bytes:
    """32 random bytes of the system, handed out once."""
    try:
        return _random.popleft()
    except IndexError:
        data = os.urandom(SALT_BYTES * _KEPT)
        starts = range(SALT_BYTES, len(data), SALT_BYTES)
        _random.extend([data[start : start + SALT_BYTES] for start in starts])
        return data[:SALT_BYTES]


def new_id() -> UUID:
    """A fresh UUID version 7 (RFC 9562 section 5.7): 48 bits of epoch ms, 74 random bits."""
    value = SYSTEM.epoch_ms() << 80 | int.from_bytes(_fresh()[:10], "big")
    return UUID(int=value & ~(0xF000 << 64) & ~(0xC000 << 48) | 0x7000 << 64 | 0x8000 << 48)


def derived_id(parent: UUID, role: str) -> UUID:
    """The one UUID (version 8) that ``role`` has beside ``parent``: same input, same id.

    For events that the ledger makes in answer to a writer's event, so that a retry makes the same one.
    """
    digest = hashlib.sha256(parent.bytes + role.encode()).digest()
    value = int.from_bytes(digest[:16], "big")
    return UUID(int=value & ~(0xF000 << 64) & ~(0xC000 << 48) | 0x8000 << 64 | 0x8000 << 48)


def new_salt() -> bytes:
    """32 fresh random bytes for one body's commitment."""
    return _fresh()


def parse_uuid(text: str, what: str = "id", *, listed_by: str = "turnledger list") -> UUID:
    """The UUID written as lower-case text with dashes; raises GrammarError for any other form.

    ``listed_by`` is the command that prints such ids.
    """
    if _LOWER_UUID.fullmatch(text) is None:
        msg = f"{text[:80]!r} is not a lower-case UUID, so it cannot be the {what}."
        raise GrammarError(msg, next_step=f"Copy the id as `{listed_by}` prints it.")
    return UUID(text)
