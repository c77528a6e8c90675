"""Bodies on their way out: a recipe followed, whole or for a range, with few parts in memory at a time."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NoReturn

from turnledger.errors import LedgerCorruptError
from turnledger.store.part_cache import PartCache
from turnledger.wire.compression import unpack
from turnledger.wire.recipe import Kind, Operation, decode, escape
from turnledger.wire.segments import PIECE_BYTES

__all__ = ["BodyReader"]

_BATCH = 16  # parts fetched together, on each level of nodes
_DEEPEST = 64  # levels of nodes; a body would need 2^64 bytes for more
_RECIPE_BYTES = 1 << 26
_JOINED_BYTES = 1 << 18  # larger nodes are put together from those in them each time
_NODE_BYTES = 1 << 12  # a node is seldom larger, however much it yields
_KIND_BITS = 2
_AHEAD_BYTES = 1 << 21  # of bodies whose parts are fetched before they are needed


class BodyReader:
    """Follows recipes.  ``fetch`` gives the stored data of the parts with these ids, as far as they exist.

    ``kept_bytes`` is the memory for what is likely to be needed again.  It is for one thread and for one
    state of the database: parts may be deleted, and their ids given to others.
    """

    def __init__(
        self, fetch: Callable[[Collection[int]], Mapping[int, bytes]], *, kept_bytes: int = 0
    ) -> None:
        self._fetch = fetch
        self._cache = PartCache(kept_bytes)  # what references yield, by part and kind
        self._ahead: dict[int, bytes] = {}
        self._nodes: dict[int, list[Operation]] = {}

    def read(self, recipe: bytes, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Bytes ``start`` to ``stop`` of the body (to its end where None), in pieces of some 64 KiB.

        Raises LedgerCorruptError where a part is missing, or is not what the recipe says.
        """
        operations = decode(unpack(recipe, _RECIPE_BYTES))
        return self._pieces(operations, start, _length(operations) if stop is None else stop)

    def read_all(self, recipes: Iterable[bytes]) -> Iterator[tuple[int, Iterable[bytes]]]:
        """For each body in turn its length, and its bytes in pieces; their parts are fetched together.

        Raises LedgerCorruptError as ``read``, for the first recipe that is damaged before any body is given.
        """
        decoded = [decode(unpack(recipe, _RECIPE_BYTES)) for recipe in recipes]
        self._fetch_ahead(decoded)
        for operations in decoded:
            length = _length(operations)
            if length <= _AHEAD_BYTES:
                yield length, self._whole(operations, 0)
            else:
                yield length, self._pieces(operations, 0, length)

    def heads(self, wanted: Sequence[tuple[bytes, int]]) -> list[bytes | None]:
        """For each ``(recipe, stop)`` the first ``stop`` bytes of its body, their parts fetched together.

        None where a part is missing, or is not what the recipe says.
        """
        beginnings = [_beginning(recipe, stop) for recipe, stop in wanted]
        try:
            self._fetch_ahead([operations for operations in beginnings if operations is not None])
        except LedgerCorruptError:
            self._ahead, self._nodes = {}, {}  # whose node that was shows when each is read by itself
        return [
            None if operations is None else self._head(operations, stop)
            for operations, (_, stop) in zip(beginnings, wanted, strict=True)
        ]

    def _head(self, operations: Sequence[Operation], stop: int) -> bytes | None:
        try:
            return b"".join(self._pieces(operations, 0, stop))
        except LedgerCorruptError:
            return None

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
                waiting += [self._members(operation, stored) for operation in new.values()]
        return parts

    def _pieces(self, operations: Sequence[Operation], start: int, stop: int) -> Iterator[bytes]:
        """What ``operations`` yield from ``start`` to ``stop``, in pieces of some 64 KiB."""
        if _length(operations) <= PIECE_BYTES:
            yield b"".join(self._whole(operations, 0))[start:stop]
            return
        gathered: list[bytes] = []
        size = 0
        for piece in self._follow(operations, start, stop, 0):
            gathered.append(piece)
            size += len(piece)
            if size >= PIECE_BYTES:
                yield b"".join(gathered)
                gathered.clear()
                size = 0
        if gathered:
            yield b"".join(gathered)

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
            kept = [self._kept(operation) for operation, _, _ in batch]
            stored = self._stored(
                [operation.part for (operation, _, _), data in zip(batch, kept, strict=True) if data is None]
            )
            for (operation, first, last), data in zip(batch, kept, strict=True):
                if data is not None:
                    yield data[first:last]
                elif operation.kind is Kind.NODE and (last - first < operation.length or last > PIECE_BYTES):
                    yield from self._follow(self._members(operation, stored), first, last, depth + 1)
                else:
                    yield self._read_part(operation, stored, depth)[first:last]

    def _whole(self, operations: Sequence[Operation], depth: int) -> list[bytes]:
        """All that ``operations`` yield, in order; what is remembered is not copied."""
        if depth > _DEEPEST:
            _refuse("its nodes contain each other")
        kept = [self._kept(operation) for operation in operations]
        stored = self._stored([one.part for one, data in zip(operations, kept, strict=True) if data is None])
        whole: list[bytes] = []
        for operation, data in zip(operations, kept, strict=True):
            if data is not None:
                whole.append(data)
            elif operation.kind is Kind.NODE and operation.length > _JOINED_BYTES:
                whole += self._whole(self._members(operation, stored), depth + 1)
            else:
                whole.append(self._read_part(operation, stored, depth))
        return whole

    def _kept(self, operation: Operation) -> bytes | None:
        """What the operation yields, where that takes no part from the database."""
        kind, length, data, part = operation
        if kind is Kind.LITERAL:
            return data
        kept = self._cache.get(part << _KIND_BITS | kind)
        if kept is None:
            content = self._cache.get(part << _KIND_BITS | Kind.RAW) if kind is Kind.ESCAPED else None
            return None if content is None else self._written(operation, content)
        if len(kept) != length:
            _refuse(f"part {part} has another length")
        return kept

    def _read_part(self, operation: Operation, stored: Mapping[int, bytes], depth: int) -> bytes:
        """The bytes that a reference to content, or to a node that is not large, yields."""
        part = operation.part
        if operation.kind is Kind.NODE:
            data = b"".join(self._whole(self._members(operation, stored), depth + 1))
            self._cache.put(part << _KIND_BITS | Kind.NODE, data)
            return data
        content = _unpacked(part, stored)
        self._cache.put(part << _KIND_BITS | Kind.RAW, content)
        return self._written(operation, content)

    def _written(self, operation: Operation, content: bytes) -> bytes:
        """A part's content in the form that the operation asks for."""
        if operation.kind is Kind.ESCAPED:
            try:
                content = escape(content)
            except UnicodeDecodeError:
                _refuse(f"part {operation.part} is no text")
            self._cache.put(operation.part << _KIND_BITS | Kind.ESCAPED, content)
        if len(content) != operation.length:
            _refuse(f"part {operation.part} has another length")
        return content

    def _members(self, node: Operation, stored: Mapping[int, bytes]) -> list[Operation]:
        """The operations in a node; those that were fetched ahead are read once."""
        members = self._nodes.get(node.part)
        if members is None:
            members = decode(_unpacked(node.part, stored))
            if stored is self._ahead:
                self._nodes[node.part] = members
        if _length(members) != node.length:
            _refuse(f"part {node.part} has another length")
        return members

    def _stored(self, parts: Sequence[int]) -> Mapping[int, bytes]:
        missing = {part for part in parts if part not in self._ahead}
        return ChainMap(self._ahead, dict(self._fetch(missing))) if missing else self._ahead

    def _fetch_ahead(self, bodies: Iterable[Sequence[Operation]]) -> None:
        """Fetch what these bodies need, level by level of nodes, as long as that is not much."""
        self._ahead, self._nodes = {}, {}
        room = _AHEAD_BYTES
        level = {operation.part: operation for body in bodies for operation in body}
        for _ in range(_DEEPEST):
            wanted: dict[int, Operation] = {}
            for part, operation in level.items():
                if part in self._ahead or self._kept(operation) is not None:
                    continue
                size = min(operation.length, _NODE_BYTES) if operation.kind is Kind.NODE else operation.length
                if size <= room:
                    wanted[part] = operation
                    room -= size
            if not wanted:
                return
            self._ahead |= self._fetch(wanted)
            nodes = [one for one in wanted.values() if one.kind is Kind.NODE]
            level = {member.part: member for node in nodes for member in self._members(node, self._ahead)}


def _beginning(recipe: bytes, stop: int) -> list[Operation] | None:
    """The operations that yield the first ``stop`` bytes; None where the recipe is damaged."""
    try:
        operations = decode(unpack(recipe, _RECIPE_BYTES))
    except LedgerCorruptError:
        return None
    ends = accumulate(operation.length for operation in operations)
    return [
        operation for operation, end in zip(operations, ends, strict=True) if end - operation.length < stop
    ]


def _unpacked(part: int, stored: Mapping[int, bytes]) -> bytes:
    if part not in stored:
        _refuse(f"part {part} is missing")
    return unpack(stored[part], PIECE_BYTES)


def _length(operations: Sequence[Operation]) -> int:
    return sum([operation.length for operation in operations])


def _refuse(how: str) -> NoReturn:
    msg = f"A stored body cannot be rebuilt: {how}."
    raise LedgerCorruptError(msg, next_step="`turnledger verify --all` names what to restore from a backup.")
