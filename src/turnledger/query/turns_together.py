"""Turns of one conversation checked together: where all of them hold, none has to be looked at alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise, repeat
from itertools import chain as chained
from typing import Any, Final, TypeAlias
from uuid import UUID

from turnledger.integrity.chain import whole_chains_hold
from turnledger.integrity.verdict import Caveat, Reason, Verdict
from turnledger.model.registry import FINAL_TYPES
from turnledger.query.journal_rows import Conversation
from turnledger.query.row_facts import are_named, bodies_hold, promised
from turnledger.query.verification import BodyCounts, Verification
from turnledger.store.contract import Reader, Rebuilder, RecordedJournal

__all__ = ["together", "turns_together"]

_EVENTS: Final = 256
_FINAL: Final = frozenset(name.encode() for name in FINAL_TYPES)
_Row: TypeAlias = tuple[Any, ...]


def together(sizes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Where runs of journals with so many events begin and end, few enough to be checked together.

    One that has none, or too many, is alone, and so is one whose size is given as 0 for another reason.
    """
    first = events = 0
    for place, size in enumerate(sizes):
        alone = not 0 < size <= _EVENTS
        if place > first and (alone or events + size > _EVENTS):
            yield first, place
            first, events = place, 0
        events += _EVENTS if alone else size
    if sizes:
        yield first, len(sizes)


def turns_together(
    reader: Reader, turns: Mapping[UUID, RecordedJournal], owner: Conversation, bodies: Rebuilder | None
) -> list[Verification] | None:
    """What ``JournalCheck`` finds about each of these turns, if it finds no fault in any; else None.

    Their rows tell what they should, and that the conversation is ``owner``; None for too many events.
    """
    rows = [*turns.values()]
    lengths = [row.events for row in rows]
    if not 0 < sum(lengths) <= _EVENTS:
        return None
    events = reader.ask_each("list_recorded_events", [(row.id, row.events + 1) for row in rows])
    if len(events) != sum(lengths):
        return None
    *columns, ids, positions = [*zip(*events, strict=True)]
    agents = {agent: UUID(bytes=agent or b"") for agent in {row.agent for row in rows}}
    names = {agent: str(id_) for agent, id_ in agents.items()}
    owners = [(str(turn), names[row.agent]) for turn, row in zip(turns, rows, strict=True)]
    ends = [*accumulate(lengths)]
    lasts = [events[end - 1] for end in ends]
    if not (
        [row.head for row in rows] == [last[5] for last in lasts]
        and whole_chains_hold(owners, lengths, columns)
        and are_named(ids, columns[4])
        and all(map(_is_ended, repeat(owner), turns, lengths, lasts))
    ):
        return None
    counts = _bodies(reader, rows, columns, owner, bodies)
    if counts is None or not _are_placed(owner, positions, ends):
        return None
    return [
        Verification(
            row.kind,
            turn,
            Verdict.INTACT,
            -1,
            Reason.OK,
            _caveats(last, count),
            row.events,
            count,
            head=row.head.hex(),
            agent=agents[row.agent],
        )
        for row, turn, last, count in zip(rows, turns, lasts, counts, strict=True)
    ]


def _is_ended(owner: Conversation, turn: UUID, length: int, last: _Row) -> bool:
    """Whether the conversation says of the turn's end what the turn's last row is."""
    return owner.closed.get(turn) == ((str(length), last[5].hex()) if last[1] in _FINAL else None)


def _caveats(last: _Row, count: BodyCounts) -> tuple[Caveat, ...]:
    skipped = (Caveat.BODIES_UNCHECKED,) if count.skipped else ()
    return skipped if last[1] in _FINAL else (*skipped, Caveat.NO_FINAL_EVENT)


def _bodies(
    reader: Reader,
    rows: Sequence[RecordedJournal],
    columns: Sequence[_Row],
    owner: Conversation,
    bodies: Rebuilder | None,
) -> list[BodyCounts] | None:
    """What became of the bodies of each turn; None where one is not as it was promised."""
    commitments = promised(range(len(columns[0])), columns[2], columns[4])
    if commitments is None:
        return None
    starts = [0, *accumulate(row.events for row in rows)]
    keys = sorted(commitments)
    cuts = [bisect_left(keys, (start,)) for start in starts]
    wanted = [last - first for first, last in pairwise(cuts)]
    if bodies is None:
        return [BodyCounts(skipped=count) for count in wanted]
    found = reader.ask_each(
        "list_recorded_bodies", [(row.id, count + 1) for row, count in zip(rows, wanted, strict=True)]
    )
    offsets = chained.from_iterable(map(repeat, starts, wanted))
    if len(found) != len(keys) or keys != [
        (offset + body[0], body[1]) for offset, body in zip(offsets, found, strict=True)
    ]:
        return None
    if not bodies_hold(bodies, found, [commitments[key] for key in keys]):
        return None
    counts: list[BodyCounts] = []
    for first, last in pairwise(cuts):
        pruned = [body for body in found[first:last] if None in body]
        if pruned and not (owner.pruned and all(body[3] is None and body[4] is None for body in pruned)):
            return None
        counts.append(BodyCounts(checked=last - first - len(pruned), pruned=len(pruned)))
    return counts


def _are_placed(owner: Conversation, positions: Sequence[Any], ends: Sequence[int]) -> bool:
    """Mark the places of all events; none, where one has another's or none."""
    for start, end in pairwise([0, *ends]):
        if not owner.places.meet_all(positions[start:end], after=-1):
            owner.places.leave_all(positions[:start])
            return False
    return True
