"""The value encoder on anything Hypothesis can think of."""

from __future__ import annotations

import json
from datetime import datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from turnledger.errors import GrammarError
from turnledger.wire.value_plain import encode_plain
from turnledger.wire.value_walk import walk
from turnledger.wire.values import decode_value, encode_text, encode_value

ANY_TEXT = st.text(st.characters(exclude_categories=()))
ZONES = st.builds(timezone, st.timedeltas(timedelta(hours=-23), timedelta(hours=23)))
NAMES = st.text("ab\\/.~$ ", max_size=6)
BIG = st.integers(0, 3).flatmap(lambda n: st.integers(-(10 ** (400 * n)), 10 ** (400 * n)))

NUMBERS = st.one_of(st.integers(), BIG, st.floats(), st.sampled_from([0, 0.0, -0.0, 1, 1.0, 1e16, 1e-5]))
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, ANY_TEXT),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(ANY_TEXT, inner), st.lists(inner).map(tuple)),
    max_leaves=25,
)
ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    NUMBERS,
    ANY_TEXT,
    st.sampled_from(["$turnledger", "items", "value", "1", "null"]),
    st.binary(),
    st.decimals(),
    st.datetimes(timezones=st.none() | ZONES),
    st.datetimes(timezones=st.none() | ZONES, allow_imaginary=False).map(
        lambda moment: moment.replace(fold=1)
    ),
    st.dates(),
    st.times(timezones=st.none() | ZONES),
    st.timedeltas(),
    st.uuids(),
    st.complex_numbers(),
    st.builds(range, st.integers(), st.integers(), st.integers(1)),
    st.builds(PurePosixPath, NAMES),
    st.builds(PureWindowsPath, NAMES),
)
# A signalling NaN cannot be hashed.
KEYS = st.recursive(
    ATOMS.filter(lambda atom: not (isinstance(atom, Decimal) and atom.is_snan())),
    lambda inner: st.one_of(st.lists(inner, max_size=3).map(tuple), st.frozensets(inner, max_size=3)),
    max_leaves=4,
)
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
        st.dictionaries(ANY_TEXT | st.just("$turnledger"), inner, max_size=4),
        st.sets(KEYS, max_size=4),
        KEYS,
    ),
    max_leaves=15,
)


def identity(value: Any) -> object:  # noqa: ANN401  any value at all
    """What has to be equal for two values to be the same: types and signs too, a tuple being a list."""
    if isinstance(value, list | tuple):
        return ("array", tuple(map(identity, value)))
    if isinstance(value, set | frozenset):
        return (type(value).__name__, tuple(sorted(repr(identity(item)) for item in value)))
    if isinstance(value, dict):
        pairs = ((identity(key), identity(item)) for key, item in value.items())
        return ("dict", tuple(sorted(pairs, key=repr)))
    if isinstance(value, datetime | time):
        return (type(value).__name__, value.isoformat(), value.fold)
    if isinstance(value, int) and not isinstance(value, bool):
        return ("int", hex(value))
    return (type(value).__name__, repr(value))


@given(VALUES)
@example({"$turnledger": "bytes", "base64": ""})
@example([{"$turnledger": {"$turnledger": 1}}, {frozenset({(1, 2)}): {1: 2}}])
def test_what_is_not_lossy_comes_back(value: object) -> None:
    encoded = encode_value(value)
    assume(not encoded.lossy)
    assert identity(decode_value(encoded.data)) == identity(value)


@given(VALUES)
def test_only_two_halves_of_one_character_are_lossy(value: object) -> None:
    encoded = encode_value(value)
    assert encoded.lossy <= (b"\\ud" in encoded.data)
    assert encoded.data.decode("utf-8")


@given(st.lists(VALUES, min_size=2, max_size=8))
def test_bytes_are_equal_only_for_equal_values(values: list[object]) -> None:
    written: dict[bytes, object] = {}
    for value in values:
        encoded = encode_value(value)
        if not encoded.lossy:
            assert written.setdefault(encoded.data, identity(value)) == identity(value)


@given(JSON)
@example(["\x00\x1f\x7f\x85\u2028\ufffe\U0010ffff", 1e16, 1e-5, -0.0, 2**63, -(2**63), 2**64])
@example({"\U0001f600": 1, "\ue000": 2, "\ud83d": 3})
def test_both_ways_write_the_same(value: object) -> None:
    plain = encode_plain(value)
    assert plain is None or walk(value) == (plain, False)


@given(JSON)
def test_the_canonical_form_is_json_that_anybody_writes(value: object) -> None:
    encoded = encode_value(value)
    assume(b"\\ud" not in encoded.data and b"$turnledger" not in encoded.data)
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert encoded.data == text.encode()


@given(JSON)
def test_encoding_what_was_decoded_changes_nothing(value: object) -> None:
    encoded = encode_value(value)
    assume(not encoded.lossy)
    assert encode_value(decode_value(encoded.data)) == encoded


@given(ANY_TEXT)
def test_a_text_body_is_its_utf8(text: str) -> None:
    encoded = encode_text(text)
    assert encoded.lossy == any("\ud800" <= character <= "\udfff" for character in text)
    assert encoded.lossy or encoded.data.decode() == text


@given(st.binary() | JSON.map(lambda value: encode_value(value).data[:-1]))
def test_any_bytes_decode_or_are_refused(data: bytes) -> None:
    try:
        value = decode_value(data)
    except GrammarError as error:
        assert error.next_step  # noqa: PT017  both ends are right, anything else is not
    else:
        assert decode_value(encode_value(value).data) == value or value != value  # noqa: PLR0124  NaN
