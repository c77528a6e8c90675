"""Bodies on their way out: a recipe followed, whole or for a range, with few parts in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NoReturn

from turnledger.errors import LedgerCorruptError
from turnledger.wire.compression import unpack
from turnledger.wire.recipe import Kind, Operation, decode, escape
from turnledger.wire.segments import PIECE_BYTES

__all__ = ["BodyReader"]

_BATCH = 16  # parts fetched together, on each level of nodes
_DEEPEST = 64  # levels of nodes; a body would need 2^64 bytes for more
_RECIPE_BYTES = 1 << 26


class BodyReader:
    """Follows recipes.  ``fetch`` gives the stored data of the parts with these ids, as far as they exist."""

    def __init__(self, fetch: Callable[[Collection[int]], Mapping[int, bytes]]) -> None:
        self._fetch = fetch

    def read(self, recipe: bytes, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Bytes ``start`` to ``stop`` of the body (to its end where None), in pieces of some 64 KiB.

        Raises LedgerCorruptError where a part is missing, or is not what the recipe says.
        """
        operations = decode(unpack(recipe, _RECIPE_BYTES))
        gathered: list[bytes] = []
        size = 0
        for piece in self._follow(operations, start, _length(operations) if stop is None else stop, 0):
            gathered.append(piece)
            size += len(piece)
            if size >= PIECE_BYTES:
                yield b"".join(gathered)
                gathered.clear()
                size = 0
        if gathered:
            yield b"".join(gathered)

    def parts_of(self, recipes: Iterable[bytes]) -> set[int]:
        """Ids of all parts that these recipes need, nodes and what is in them included; reads each node once.

        Raises LedgerCorruptError where a node is missing.
        """
        parts: set[int] = set()
        nodes: set[int] = set()
        for recipe in recipes:
            waiting = [decode(unpack(recipe, _RECIPE_BYTES))]
            while waiting:
                operations = waiting.pop()
                parts.update(operation.part for operation in operations if operation.kind is not Kind.LITERAL)
                new = {one.part: one for one in operations if one.kind is Kind.NODE and one.part not in nodes}
                nodes.update(new)
                stored = self._fetch(new) if new else {}
                waiting += [_members(operation, stored) for operation in new.values()]
        return parts

    def _follow(self, operations: Sequence[Operation], start: int, stop: int, depth: int) -> Iterator[bytes]:
        """What ``operations`` yield from ``start`` to ``stop``."""
        if depth > _DEEPEST:
            _refuse("its nodes contain each other")
        position = 0
        wanted: list[tuple[Operation, int, int]] = []
        for operation in operations:
            first, last = max(start - position, 0), min(stop - position, operation.length)
            position += operation.length
            if first < last:
                wanted.append((operation, first, last))
        for index in range(0, len(wanted), _BATCH):
            batch = wanted[index : index + _BATCH]
            stored = self._fetch(
                {operation.part for operation, _, _ in batch if operation.kind is not Kind.LITERAL}
            )
            for operation, first, last in batch:
                if operation.kind is Kind.NODE:
                    yield from self._follow(_members(operation, stored), first, last, depth + 1)
                else:
                    yield _yielded(operation, stored)[first:last]


def _members(operation: Operation, stored: Mapping[int, bytes]) -> list[Operation]:
    """The operations in a node."""
    members = decode(_content(operation.part, stored))
    if _length(members) != operation.length:
        _refuse(f"part {operation.part} has another length")
    return members


def _yielded(operation: Operation, stored: Mapping[int, bytes]) -> bytes:
    """The bytes that a literal or a reference to content yields."""
    if operation.kind is Kind.LITERAL:
        return operation.data
    data = _content(operation.part, stored)
    if operation.kind is Kind.ESCAPED:
        try:
            data = escape(data)
        except UnicodeDecodeError:
            _refuse(f"part {operation.part} is no text")
    if len(data) != operation.length:
        _refuse(f"part {operation.part} has another length")
    return data


def _content(part: int, stored: Mapping[int, bytes]) -> bytes:
    if part not in stored:
        _refuse(f"part {part} is missing")
    return unpack(stored[part], PIECE_BYTES)


def _length(operations: Sequence[Operation]) -> int:
    return sum(operation.length for operation in operations)


def _refuse(how: str) -> NoReturn:
    msg = f"A stored body cannot be rebuilt: {how}."
    raise LedgerCorruptError(msg, next_step="Run `turnledger doctor`, and restore the ledger from a backup.")
