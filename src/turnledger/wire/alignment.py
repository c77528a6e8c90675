"""What a body took over from an earlier one of its kind, found by comparing memory, not by parsing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

__all__ = ["Change", "Run", "align", "common_prefix", "common_suffix"]

_PROBE_BYTES = 64  # so much of a piece is looked for behind a change,
_PROBE_SMALLEST = 16  # or less at the body's end;
_PROBES = 8  # for so many pieces,
_WINDOW_BYTES = 1 << 16  # so far,
_FRUITLESS = 16  # and so often without finding a whole piece
_CUT_BYTES = 1024  # a changed piece is cut where so much of it stayed

_ESCAPE_BYTES = 6  # the longest JSON escape, \uXXXX
_CONTINUATION, _CONTINUATION_MASK = 0x80, 0xC0


class Run(NamedTuple):
    """Pieces ``first`` to ``last`` (exclusive) of the earlier body are what the new one has at ``at``."""

    first: int
    last: int
    at: int


class Change(NamedTuple):
    """New bytes from the first of ``cuts`` to the last, where the earlier body has piece ``first``.

    Cuts between them lie inside long pieces, where these stayed the same before or behind.
    """

    cuts: tuple[int, ...]
    first: int


def align(old: bytes, ends: Sequence[int], new: bytes) -> list[Run | Change]:
    """All of ``new`` in order, as runs of the pieces of ``old``, which end at ``ends``, and changes between.

    Finds what stayed at the front, and where the earlier body goes on behind a change if that is within
    64 KiB.  Time: that of comparing the bytes, and of looking at a bounded number of places.
    """
    steps: list[Run | Change] = []
    view = memoryview(old)
    starts = [0, *ends]
    taken = position = 0
    for run in _runs(view, starts, new):
        if run.at > position:
            steps.append(_change(view, starts, (taken, run.first), new, (position, run.at)))
        steps.append(run)
        taken = run.last
        position = run.at + starts[run.last] - starts[run.first]
    if position < len(new):
        steps.append(_change(view, starts, (taken, len(ends)), new, (position, len(new))))
    return steps


def _runs(old: memoryview, starts: Sequence[int], new: bytes) -> Iterator[Run]:
    """The runs; ``starts`` is where each piece begins, and the end."""
    count = len(starts) - 1
    piece = at = fruitless = 0
    while piece < count and fruitless < _FRUITLESS:
        first, origin = piece, at
        beyond = count + 1
        while piece + 1 < beyond:
            middle = (piece + beyond) // 2
            if new.startswith(old[starts[piece] : starts[middle]], at):
                at += starts[middle] - starts[piece]
                piece = middle
            else:
                beyond = middle
        fruitless += 1
        if piece > first:
            yield Run(first, piece, origin)
            fruitless = 0
        resumed = _resume(old, starts, piece, new, at)
        if resumed is None:
            return
        piece, at = resumed


def _resume(
    old: memoryview, starts: Sequence[int], piece: int, new: bytes, at: int
) -> tuple[int, int] | None:
    """The first of the next few pieces whose beginning is found in ``new`` from ``at`` on, and where."""
    for candidate in range(piece, min(piece + _PROBES, len(starts) - 1)):
        probe = old[starts[candidate] : starts[candidate] + _PROBE_BYTES]
        begin = at + (candidate == piece)  # that one is known not to go on at ``at``
        found = new.find(probe, begin, begin + _WINDOW_BYTES) if len(probe) >= _PROBE_SMALLEST else -1
        if found >= 0:
            return candidate, found
    return None


def _change(
    old: memoryview, starts: Sequence[int], replaced: tuple[int, int], new: bytes, span: tuple[int, int]
) -> Change:
    """New bytes of ``span`` for the pieces ``replaced``, cut where the outer two of these stayed the same."""
    first, last = replaced
    start, stop = span
    cuts = [start]
    if first < last:
        begin = starts[first]
        if starts[first + 1] - begin >= _CUT_BYTES:
            prefix = common_prefix(old[begin : starts[first + 1]], new, start, stop)
            if prefix >= _CUT_BYTES:
                cuts.append(_safe_cut(new, start, start + prefix))
                begin += cuts[-1] - start
        begin = max(begin, starts[last - 1])
        if starts[last] - begin >= _CUT_BYTES:
            suffix = common_suffix(old[begin : starts[last]], new, cuts[-1], stop)
            if suffix >= _CUT_BYTES:
                cuts.append(_safe_cut(new, stop - suffix, stop - suffix + 2 * _ESCAPE_BYTES))
    return Change((*cuts, stop), first)


def _safe_cut(data: bytes, low: int, at: int) -> int:
    """The last place from ``low`` to ``at`` that is not inside a JSON escape or a UTF-8 character."""
    backslash = data.rfind(b"\\", max(low, at - _ESCAPE_BYTES), at)
    if backslash >= 0:
        at = low + len(data[low : backslash + 1].rstrip(b"\\"))
    while low < at < len(data) and data[at] & _CONTINUATION_MASK == _CONTINUATION:
        at -= 1
    return at


def common_prefix(left: memoryview, right: bytes, start: int, stop: int) -> int:
    """How many bytes ``left`` and ``right[start:stop]`` begin with in common."""
    low, high = 0, min(len(left), stop - start)
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[low:middle], start + low):
            low = middle
        else:
            high = middle - 1
    return low


def common_suffix(left: memoryview, right: bytes, start: int, stop: int) -> int:
    """How many bytes ``left`` and ``right[start:stop]`` end with in common."""
    low, high = 0, min(len(left), stop - start)
    while low < high:
        middle = (low + high + 1) // 2
        if right.startswith(left[len(left) - middle : len(left) - low], stop - middle):
            low = middle
        else:
            high = middle - 1
    return low
