"""Bodies on their way in: cut, deduplicated within their agent, compressed, and written down as a recipe.

The operations of a long body are grouped into nodes, these again into nodes, so that the recipe of a body
that extends the one before it names a few nodes instead of all operations, and yet depends on no other body.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from itertools import count, pairwise
from typing import NamedTuple
from zlib import crc32

from turnledger.store.lanes import NOTHING, Lane, Lanes, Level
from turnledger.store.part_writer import PartGateway, PartWriter
from turnledger.store.recipe_draft import RecipeDraft
from turnledger.wire.alignment import Change, Run, align
from turnledger.wire.compression import Packer
from turnledger.wire.recipe import Kind, is_literal, literal, reference
from turnledger.wire.segments import SHARED_BYTES, opens_json

__all__ = ["BodyWriter", "PlannedBody"]

KNOWN_PARTS = 1 << 12  # about 1.5 MB of memory; what is not known any more is found in the database
LANE_BYTES = 3 << 20

# A node closes behind a reference that its checksum picks, so that equal runs of operations make equal nodes
# wherever they begin; the bounds keep it from being too small to pay, or too large to repeat until it closes.
_NODE_SMALLEST = 4
_NODE_LARGEST = 16
_NODE_BYTES = 1024
_NODE_CHANCE = 4

_FLAT = 64  # operations that a body may have without nodes where nothing shows that it will be extended
_TAIL_BYTES = 48  # a longer tail gets a node of its own


class PlannedBody(NamedTuple):
    """The stored form of a body's recipe, and the body's own size in bytes."""

    recipe: bytes
    size: int


class BodyWriter:
    """Makes recipes of bodies and stores their parts.  For one thread at a time.

    Calls between ``begin`` and ``commit`` or ``rollback`` belong to the engine's transaction.
    """

    def __init__(
        self, gateway: PartGateway, *, known_parts: int = KNOWN_PARTS, lane_bytes: int = LANE_BYTES
    ) -> None:
        self._packer = Packer()
        self._parts = PartWriter(gateway, known_parts)
        self._lanes = Lanes(lane_bytes)

    def begin(self) -> None:
        """From here on, what is remembered may have to be taken back."""
        self._parts.keep()
        self._lanes.keep()

    def commit(self) -> None:
        """What was remembered since ``begin`` is true for good."""
        self.begin()

    def rollback(self) -> None:
        """Take back what was remembered since ``begin``: its parts do not exist."""
        self._parts.restore()
        self._lanes.restore()

    def forget(self) -> None:
        """Drop all that is remembered, because parts were deleted behind this writer's back."""
        self._parts.clear()
        self._lanes.clear()

    def plan(self, agent: int, lane: Hashable | None, data: bytes) -> PlannedBody:
        """Store what is new in ``data`` as parts of ``agent``, and give the recipe that rebuilds it.

        JSON with a ``lane`` is cut at its long strings and compared with the lane's body before it: give one
        to exchanges with a model.  Anything else is kept whole, since it tends to be a string of a later
        body: an observation, arguments, an answer.
        """
        if len(data) < SHARED_BYTES:
            recipe = literal(data) if data else b""
        elif lane is not None and opens_json(data):
            recipe = self._extend(agent, (agent, lane), data)
        else:
            # What a lane has besides JSON is event streams, which are more protocol than content.
            pack = self._packer.pack if lane is None else self._packer.pack_protocol
            recipe = self._whole(RecipeDraft(self._parts, agent, pack), data)
        return PlannedBody(self._packer.pack_protocol(recipe), len(data))

    def _whole(self, draft: RecipeDraft, data: bytes) -> bytes:
        """The encoded operations of a body that is one string, in quotes or without."""
        if data.startswith(b'"'):
            draft.add_change(NOTHING, data, Change((0, len(data)), 0))
        else:
            draft.add_text(data)
        return b"".join(draft.finish().codes)

    def _extend(self, agent: int, key: Hashable, data: bytes) -> bytes:
        """The encoded operations of ``data``; what stayed is taken over from the lane's body before it."""
        old = self._lanes.get(key)
        if data == old.data:
            return old.recipe
        steps = align(old.data, old.operations.ends, data)
        draft = RecipeDraft(self._parts, agent, self._packer.pack)
        for step in steps:
            if isinstance(step, Run):
                draft.add_run(old.operations, step)
            else:
                draft.add_change(old.operations, data, step)
        operations = draft.finish()
        tail = _tail_length(steps, len(old.operations.ends))
        head = operations.first(len(operations.ends) - tail)
        stayed = _stayed(steps, old.operations)
        nodes = [level.until(stayed) for level in old.nodes]
        if stayed or len(head.ends) > _FLAT:
            nodes = self._grow(agent, head, nodes)
        ending = old.ending if tail == old.tail else self._ending(agent, operations, head)
        recipe = b"".join(_top(head, nodes)) + ending
        self._lanes.put(key, Lane(data, operations, nodes, tail, ending, recipe))
        return recipe

    def _grow(self, agent: int, level: Level, nodes: Sequence[Level]) -> list[Level]:
        """The levels of nodes over ``level``, lowest first, of which ``nodes`` exist already."""
        grown = list(nodes)
        for depth in count():
            if depth == len(grown):
                grown.append(NOTHING)
            closed = list(_closed(level, grown[depth].end))
            if not closed:
                return grown
            contents = [content for _, content in closed]
            parts = self._parts.ids(agent, contents, self._packer.pack_protocol)
            level = grown[depth] = _with_nodes(grown[depth], [end for end, _ in closed], parts)
        return grown

    def _ending(self, agent: int, operations: Level, head: Level) -> bytes:
        """The operations behind ``head``, as one node unless they are short."""
        first, start = len(head.ends), head.end
        level = Level([end - start for end in operations.ends[first:]], operations.codes[first:])
        ending = b"".join(level.codes)
        if len(ending) <= _TAIL_BYTES:
            return ending
        content = b"".join(_top(level, self._grow(agent, level, [])))
        (part,) = self._parts.ids(agent, [content], self._packer.pack_protocol)
        return reference(Kind.NODE, level.end, part)


def _tail_length(steps: Sequence[Run | Change], operations: int) -> int:
    """How many operations at the end stayed, behind a change."""
    last = steps[-1]
    return last.last - last.first if isinstance(last, Run) and last.last == operations else 0


def _stayed(steps: Sequence[Run | Change], operations: Level) -> int:
    """How many bytes at the front stayed."""
    first = steps[0]
    return operations.ends[first.last - 1] if isinstance(first, Run) and first.first == first.at == 0 else 0


def _closed(level: Level, position: int) -> Iterator[tuple[int, bytes]]:
    """Where nodes close in ``level`` beyond ``position``, and what is in them."""
    begin = bisect_right(level.ends, position)
    size = 0
    for index in range(begin, len(level.codes)):
        code = level.codes[index]
        size += len(code)
        members = index + 1 - begin
        if (
            size >= _NODE_BYTES
            or members >= _NODE_LARGEST
            or (members >= _NODE_SMALLEST and not is_literal(code) and crc32(code) % _NODE_CHANCE == 0)
        ):
            yield level.ends[index], b"".join(level.codes[begin : index + 1])
            begin, size = index + 1, 0


def _with_nodes(nodes: Level, ends: Sequence[int], parts: Sequence[int]) -> Level:
    """``nodes`` and those that end at ``ends`` behind them."""
    codes = [
        reference(Kind.NODE, end - start, part)
        for (start, end), part in zip(pairwise((nodes.end, *ends)), parts, strict=True)
    ]
    return Level([*nodes.ends, *ends], [*nodes.codes, *codes])


def _top(level: Level, nodes: Sequence[Level]) -> list[bytes]:
    """The highest nodes, then of each level below what they do not cover."""
    codes: list[bytes] = []
    position = 0
    for part in (*reversed(nodes), level):
        codes += part.codes[bisect_right(part.ends, position) :]
        position = part.end
    return codes
