"""Parts of a value that are plain JSON are written the short way, to the same bytes and the same limits."""

from __future__ import annotations

import pytest

from turnledger.wire import value_walk
from turnledger.wire.value_kinds import MAX_DEPTH


def _nested(depth: int) -> object:
    value: object = {1: "the innermost"}
    for _ in range(depth):
        value = [value]
    return value


def _around(*parts: object) -> dict[object, object]:
    """Something that is not plain, with these parts in it."""
    return {1: list(parts), "tag": b"bytes"}


SHARED = [1, 2, 3]
VALUES: dict[str, object] = {
    "integer keys": {number: {"a": [number, "é", None, True, 1.5]} for number in range(50)},
    "beyond 64 bits": _around(2**63, -(2**63), 2**63 - 1, [2**64]),
    "floats": _around([1e-7, 1e300, 0.1, float("nan")]),
    "lone surrogates": _around(["a\ud800"], {"k\udfff": "\ud800\udc00"}),
    "own key": _around({"$turnledger": 1}),
    "shared": _around(SHARED, SHARED, (SHARED, SHARED)),
    **{f"depth {depth}": _around(_nested(depth)) for depth in range(MAX_DEPTH - 6, MAX_DEPTH + 2)},
    **{f"plain depth {depth}": _around(_nested(0), [[]] * depth) for depth in (1, 40)},
}


@pytest.mark.parametrize("name", VALUES)
def test_a_part_has_the_same_bytes_the_short_way(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    short = value_walk.walk(VALUES[name])
    monkeypatch.setattr(value_walk, "_PATIENCE", 0)
    assert short == value_walk.walk(VALUES[name])


@pytest.mark.parametrize("most", range(8))
def test_containers_of_short_parts_count(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(value_walk, "MAX_CONTAINERS", most)
    value = _around([[1], [2]], [[3]])
    short = value_walk.walk(value)
    monkeypatch.setattr(value_walk, "_PATIENCE", 0)
    assert short == value_walk.walk(value)


def test_a_cycle_through_a_short_part_is_found() -> None:
    inner: list[object] = [1]
    outer = _around({"plain": inner})
    inner.append(outer)
    data, lossy = value_walk.walk(outer)
    assert lossy
    assert b'"$turnledger":"cycle"' in data
