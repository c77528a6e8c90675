"""Parts: byte strings stored once for each agent, found again by their digest."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Protocol

from turnledger.errors import LedgerCorruptError
from turnledger.wire.compression import unpack
from turnledger.wire.segments import PIECE_BYTES

__all__ = ["PartGateway", "PartWriter"]


_KEY_BYTES = 8
_LOOKUP = 256  # keys asked for together


class PartGateway(Protocol):
    """What this room needs of an engine, inside the engine's transaction."""

    def find_parts(self, aid: int, keys: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        """``(key, part id, stored data)`` of the agent's parts under these keys; may give several per key."""
        ...

    def add_part(self, aid: int, key: int, data: bytes, size: int) -> int:
        """Queue a part of ``size`` bytes for insertion and return its id."""
        ...


class PartWriter:
    """Stores what is new and remembers the ``limit`` parts used last.  For one thread at a time."""

    def __init__(self, gateway: PartGateway, limit: int) -> None:
        self._gateway = gateway
        self._known: OrderedDict[tuple[int, bytes], int] = OrderedDict()
        self._learnt: list[tuple[int, bytes]] = []
        self._limit = limit

    def ids(self, agent: int, contents: Sequence[bytes], pack: Callable[[bytes], bytes]) -> list[int]:
        """The id of each of these contents as a part of ``agent``; stores those that are new, packed."""
        digests = [sha256(content).digest() for content in contents]
        known = self._known
        ids: dict[bytes, int] = {}
        unknown: dict[bytes, bytes] = {}
        for digest, content in zip(digests, contents, strict=True):
            part = known.get((agent, digest))
            if part is None:
                unknown[digest] = content
            else:
                ids[digest] = part
                known.move_to_end((agent, digest))
        if unknown:
            ids |= self._store(agent, unknown, pack)
        return [ids[digest] for digest in digests]

    def _store(
        self, agent: int, contents: dict[bytes, bytes], pack: Callable[[bytes], bytes]
    ) -> dict[bytes, int]:
        """Ids by digest of these contents (by digest), looked up first and stored where there are none."""
        ids: dict[bytes, int] = {}
        keys = {digest: int.from_bytes(digest[:_KEY_BYTES], "big", signed=True) for digest in contents}
        wanted = list(keys.values())
        for first in range(0, len(wanted), _LOOKUP):
            for _, part, stored in self._gateway.find_parts(agent, wanted[first : first + _LOOKUP]):
                digest = _digest_of(stored)
                if digest in contents:
                    ids[digest] = part
        for digest, content in contents.items():
            if digest not in ids:
                ids[digest] = self._gateway.add_part(agent, keys[digest], pack(content), len(content))
            self._remember((agent, digest), ids[digest])
        return ids

    def _remember(self, key: tuple[int, bytes], part: int) -> None:
        self._known[key] = part
        self._learnt.append(key)
        if len(self._known) > self._limit:
            self._known.popitem(last=False)

    def keep(self) -> None:
        """What was learnt since the last ``keep`` or ``restore`` is true for good."""
        self._learnt.clear()

    def restore(self) -> None:
        """Forget what was learnt since the last ``keep`` or ``restore``."""
        for key in self._learnt:
            self._known.pop(key, None)
        self._learnt.clear()

    def clear(self) -> None:
        """Forget all parts."""
        self._known.clear()
        self._learnt.clear()


def _digest_of(stored: bytes) -> bytes:
    """Digest of a stored part's content; none for a damaged one, so that a sound copy is stored beside it."""
    try:
        return sha256(unpack(stored, PIECE_BYTES)).digest()
    except LedgerCorruptError:
        return b""
