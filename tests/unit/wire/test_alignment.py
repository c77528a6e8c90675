from __future__ import annotations

from itertools import accumulate, pairwise

import pytest

from turnledger.wire.alignment import Change, Run, align, common_prefix, common_suffix

WORDS = [f"{number:04} ".encode() * 40 for number in range(12)]  # 200 bytes each
TEXT = " ".join(f"word{number}" for number in range(400)).encode()


def aligned(old: list[bytes], new: bytes) -> list[Run | Change]:
    """Align, and check that the steps are all of ``new`` in order and the runs are what they say."""
    ends = list(accumulate(map(len, old)))
    steps = align(b"".join(old), ends, new)
    rebuilt = b""
    for step in steps:
        if isinstance(step, Run):
            assert step.at == len(rebuilt)
            rebuilt += b"".join(old[step.first : step.last])
        else:
            assert step.cuts[0] == len(rebuilt)
            assert all(start <= stop for start, stop in pairwise(step.cuts))
            rebuilt += new[step.cuts[0] : step.cuts[-1]]
    assert rebuilt == new
    return steps


def test_what_was_appended_is_a_change_behind_a_run() -> None:
    assert aligned(WORDS[:3], b"".join(WORDS[:4])) == [Run(0, 3, 0), Change((600, 800), 3)]


def test_the_end_that_stayed_behind_what_was_inserted_is_a_run() -> None:
    old = [*WORDS[:3], WORDS[9], WORDS[10]]
    new = b"".join([*WORDS[:3], WORDS[3], WORDS[4], WORDS[9], WORDS[10]])
    assert aligned(old, new) == [Run(0, 3, 0), Change((600, 1000), 3), Run(3, 5, 1000)]


def test_a_short_end_is_found_again() -> None:
    old = [*WORDS[:3], b'"}],"model":"m"}']
    assert aligned(old, b"".join([*WORDS[:4], b'"}],"model":"m"}']))[-1] == Run(3, 4, 800)


def test_a_window_that_slides_goes_on_behind_what_left_it() -> None:
    new = b"".join([WORDS[0], *WORDS[3:8], WORDS[11]])
    assert aligned(WORDS[:8], new) == [Run(0, 1, 0), Run(3, 8, 200), Change((1200, 1400), 8)]


def test_a_changed_piece_in_the_middle_keeps_both_sides() -> None:
    new = b"".join([*WORDS[:2], b"other", *WORDS[3:6]])
    assert aligned(WORDS[:6], new) == [Run(0, 2, 0), Change((400, 405), 2), Run(3, 6, 405)]


def test_a_long_changed_piece_is_cut_where_it_stayed_the_same() -> None:
    old = [WORDS[0], TEXT + b"10:00" + TEXT, WORDS[1]]
    steps = aligned(old, WORDS[0] + TEXT + b"10:01" + TEXT + WORDS[1])
    (change,) = [step for step in steps if isinstance(step, Change)]
    assert change.first == 1
    assert change.cuts == (200, 200 + len(TEXT) + 4, change.cuts[2], 205 + 2 * len(TEXT))
    assert 0 <= change.cuts[2] - (205 + len(TEXT)) <= 12
    assert steps[-1] == Run(2, 3, 205 + 2 * len(TEXT))


@pytest.mark.parametrize("unit", ["\\n", "\\u00e9", "\\\\", "é", "😀"])
def test_a_cut_is_never_inside_an_escape_or_a_character(unit: str) -> None:
    side = (unit * 600).encode()
    for middle in (b"a", b"ab", b"abc", b"\\", b"u00e9"):
        steps = aligned([side + b"1" + middle + side], side + middle + b"2" + side)
        (change,) = [step for step in steps if isinstance(step, Change)]
        for cut in change.cuts[1:-1]:
            assert cut % len(unit.encode()) == 0 or cut >= len(side)


def test_a_long_piece_that_was_cut_short_is_a_change() -> None:
    for text in (TEXT, "é".encode() * 2000, b"\\n" * 2000):
        for short in (text[:-7], text[7:], text[:-1]):
            (change,) = aligned([text], short)
            assert isinstance(change, Change)


def test_nothing_in_common_is_one_change() -> None:
    assert aligned(WORDS[:3], TEXT) == [Change((0, len(TEXT)), 0)]
    assert aligned([], TEXT) == [Change((0, len(TEXT)), 0)]
    assert aligned(WORDS[:3], b"") == []


def test_the_same_again_is_one_run() -> None:
    assert aligned(WORDS, b"".join(WORDS)) == [Run(0, 12, 0)]


def test_repeating_bytes_end_soon() -> None:
    old = [b"A" * 64] * 5000
    assert aligned(old, b"A" * 100_000 + b"B" + b"A" * 300_000)


def test_common_prefix_and_suffix_count_bytes() -> None:
    for left, right in (
        (b"", b"abc"),
        (b"abcd", b"abxd"),
        (b"abc", b"abc"),
        (b"xbc", b"abc"),
        (b"abcabc", b"abc"),
    ):
        prefix = common_prefix(memoryview(left), b"--" + right + b"--", 2, 2 + len(right))
        suffix = common_suffix(memoryview(left), b"--" + right + b"--", 2, 2 + len(right))
        assert left[:prefix] == right[:prefix]
        assert left[prefix : prefix + 1] != right[prefix : prefix + 1] or prefix == min(len(left), len(right))
        assert left[len(left) - suffix :] == right[len(right) - suffix :]
        assert suffix == min(len(left), len(right)) or left[-suffix - 1] != right[-suffix - 1]
