"""Two turns of an agent step by step: what is the same, what changed, what only one of them did.

Steps are aligned by what they are (a call of this tool, of a model in this role), in order; what they said
is compared byte for byte, where the caller may know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, Literal

from turnledger.errors import LedgerCorruptError
from turnledger.model.rows import BodyRow, TurnRow
from turnledger.query.timeline import Entry, entries_of
from turnledger.store.contract import Reader

__all__ = ["DiffRow", "TurnDifference", "step_name", "turn_diff"]

COMPARED: Final = 2000

# Tokens that say how a run went and not what was done; they differ from run to run.
_INCIDENTAL: Final = frozenset(
    {"assurance", "detail", "ms", "ttftMs", "in", "out", "cacheRead", "cacheWrite", "reasoning", "bytes"}
    | {"chars", "messageChars", "call", "from", "prompt", "subject", "parentTurn", "entry", "revision", "by"}
)


Op = Literal["same", "changed", "only_left", "only_right"]


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A step of the left turn, the right one, or both; ``unknown`` where bodies could not be compared."""

    left: Entry | None
    right: Entry | None
    differences: tuple[str, ...] = ()
    unknown: bool = False

    @property
    def op(self) -> Op:
        """What the row says, in a word of the API."""
        if self.left is None:
            return "only_right"
        if self.right is None:
            return "only_left"
        return "changed" if self.differences else "same"


@dataclass(frozen=True, slots=True)
class TurnDifference:
    """All rows in order; ``has_more`` where a turn has more events than the 2,000 compared."""

    left: TurnRow
    right: TurnRow
    rows: tuple[DiffRow, ...]
    has_more: bool

    @property
    def first(self) -> int | None:
        """Index of the first row that is not the same."""
        return next((place for place, row in enumerate(self.rows) if row.op != "same"), None)

    @property
    def same_behaviour(self) -> bool | None:
        """Whether both did the same; None where nothing differs and not everything could be compared."""
        if self.first is not None:
            return False
        return None if self.has_more or any(row.unknown for row in self.rows) else True


def step_name(entry: Entry) -> str | None:
    """What kind of step it is among those of its type: the tool, the role, the guard, the check."""
    names = (entry.tokens.get(key) for key in ("tool", "role", "guard", "check", "budget", "kind", "stage"))
    return next((name for name in names if name is not None), None)


def turn_diff(reader: Reader, left: TurnRow, right: TurnRow, *, bodies: bool) -> TurnDifference:
    """Compare two turns; with ``bodies`` also what they said."""
    with reader.snapshot():
        sides = [entries_of(reader.events(turn.id, 0, COMPARED)) for turn in (left, right)]
        rows = tuple(_rows(reader, *sides, bodies=bodies))
    return TurnDifference(left, right, rows, any(turn.events > COMPARED for turn in (left, right)))


def _rows(
    reader: Reader, left: Sequence[Entry], right: Sequence[Entry], *, bodies: bool
) -> Iterator[DiffRow]:
    keys = [[(entry.row.type, step_name(entry)) for entry in side] for side in (left, right)]
    matcher = SequenceMatcher(a=keys[0], b=keys[1], autojunk=False)
    for op, a1, a2, b1, b2 in matcher.get_opcodes():
        if op == "equal":
            for one, other in zip(left[a1:a2], right[b1:b2], strict=True):
                yield _compared(reader, one, other, bodies=bodies)
        else:
            yield from (DiffRow(one, None) for one in left[a1:a2])
            yield from (DiffRow(None, other) for other in right[b1:b2])


def _compared(reader: Reader, left: Entry, right: Entry, *, bodies: bool) -> DiffRow:
    keys = dict.fromkeys([*left.tokens, *right.tokens])
    found = [key for key in keys if key not in _INCIDENTAL and left.tokens.get(key) != right.tokens.get(key)]
    unknown = False
    for slot in dict.fromkeys(body.slot for entry in (left, right) for body in entry.row.bodies):
        same = _same_body(reader, left, right, slot) if bodies else None
        unknown |= same is None
        if same is False:
            found.append(slot)
    return DiffRow(left, right, tuple(found), unknown)


def _same_body(reader: Reader, left: Entry, right: Entry, slot: str) -> bool | None:
    """Whether both have the same bytes in a slot; None where one of them cannot be read any more."""
    one, other = (
        next((body for body in entry.row.bodies if body.slot == slot), None) for entry in (left, right)
    )
    if one is None or other is None or one.size != other.size:
        return False
    try:
        contents = [reader.body(entry.row.event_id, slot) for entry in (left, right)]
        present = [item for item in contents if item is not None and not isinstance(item, BodyRow)]
        if len(present) < len(contents):
            return None
        whole, rest = (b"".join(item.read()) for item in present)
    except LedgerCorruptError:
        return None
    return whole == rest
