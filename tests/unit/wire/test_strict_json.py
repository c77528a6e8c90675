from __future__ import annotations

import pytest

from turnledger.errors import ForeignFileError
from turnledger.wire.strict_json import MAX_DEPTH, MAX_INTEGER_DIGITS, loads

REFUSED = {
    "nothing": (b"", "not JSON"),
    "cut": (b'{"a": [1, 2', "not JSON"),
    "two values": (b"{} {}", "line 1, column 4"),
    "key twice": (b'{"a": 1, "b": {"c": 1, "c": 1}}', "same key twice"),
    "key twice by escape": (b'{"a": 1, "\\u0061": 2}', "same key twice"),
    "NaN": (b"[NaN]", "NaN"),
    "Infinity": (b"[Infinity]", "Infinity"),
    "minus Infinity": (b"[-Infinity]", "-Infinity"),
    "beyond a double": (b"[1e400]", "range of a double"),
    "leading zero": (b"[01]", "not JSON"),
    "control character": (b'["a\nb"]', "not JSON"),
    "comment": (b"[1] // no", "not JSON"),
    "byte order mark": (b"\xef\xbb\xbf{}", "not JSON"),
    "not UTF-8": (b'{"a": "\xff"}', "byte 7 is 0xff"),
    "UTF-8 of a surrogate": (b'"\xed\xa0\x80"', "byte 1 is 0xed"),
    "longest integer": (b"1" * (MAX_INTEGER_DIGITS + 1), "100,000 digits"),
}


@pytest.mark.parametrize(("data", "finding"), REFUSED.values(), ids=REFUSED)
def test_what_two_readers_could_read_differently_is_refused(data: bytes, finding: str) -> None:
    with pytest.raises(ForeignFileError, match=finding) as caught:
        loads(data, "turn.fixture.json")
    assert caught.value.message.startswith("turn.fixture.json ")
    assert caught.value.next_step


@pytest.mark.parametrize("opener", [b"[", b'{"a":', b'[{"":'])
@pytest.mark.parametrize("depth", [1001, 200_000])
def test_d08_deep_nesting_is_a_finding(opener: bytes, depth: int) -> None:
    with pytest.raises(ForeignFileError, match="nested"):
        loads(opener * depth, "a file")


def test_d08_brackets_in_text_are_no_nesting() -> None:
    text = '[\\"{' * 2000
    assert loads(f'["{text}"]'.encode(), "a file") == ['[\\"{'.replace("\\", "") * 2000]


def test_d08_an_unterminated_text_is_looked_at_once() -> None:
    with pytest.raises(ForeignFileError):
        loads(b'"' + b'\\"[' * 1_000_000, "a file")


def test_nesting_up_to_the_limit_is_read() -> None:
    value = loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, "a file")
    for _ in range(MAX_DEPTH - 1):
        assert isinstance(value, list)
        (value,) = value
    assert value == []


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert loads(b"[" + b",".join([b"[{}]"] * 5000) + b"]", "a file") == [[{}]] * 5000


def test_d05_integers_are_exact_and_floats_stay_floats() -> None:
    big = 10**5000 + 7
    digits = "1" + "0" * 4999 + "7"
    value = loads(f"[3, 3.0, 3e0, -0, 912345678901234567, {digits}, -{digits}]".encode(), "a file")
    assert value == [3, 3.0, 3.0, 0, 912345678901234567, big, -big]
    assert isinstance(value, list)
    assert [type(item) for item in value] == [int, float, float, int, int, int, int]


def test_d07_an_escaped_lone_surrogate_is_read() -> None:
    assert loads(b'"ok \\ud83d"', "a file") == "ok \ud83d"


def test_errors_hold_nothing_of_the_file() -> None:
    for data in (b'{"secret": 1, "secret": 2}', b'{"secret": NaN}', b'{"secret": tru}'):
        with pytest.raises(ForeignFileError) as caught:
            loads(data, "a file")
        assert "secret" not in str(caught.value)


def test_d08_little_stack_left_is_a_finding_too() -> None:
    def down(levels: int) -> object:
        return down(levels - 1) if levels else loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, "a file")

    try:
        value = down(600)
    except ForeignFileError as error:
        assert "nested" in error.message  # noqa: PT017  an interpreter with its own stack for C code reads it
    else:
        assert isinstance(value, list)
