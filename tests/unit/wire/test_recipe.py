from __future__ import annotations

import json

import pytest

from turnledger.errors import LedgerCorruptError
from turnledger.wire.recipe import Kind, Operation, decode, escape, is_literal, literal, reference, unescape

SIZES = (0, 1, 31, 32, 4095, 4096, 2**20, 2**35, 2**63 - 1)


def test_operations_come_back() -> None:
    encoded, expected = b"", []
    for size in SIZES[1:]:
        for kind in (Kind.RAW, Kind.ESCAPED, Kind.NODE):
            encoded += reference(kind, size, size - 1)
            expected.append(Operation(kind, size, b"", size - 1))
    for size in (1, 31, 32, 5000):
        encoded += literal(b"l" * size)
        expected.append(Operation(Kind.LITERAL, size, b"l" * size, -1))
    assert decode(encoded) == expected
    assert decode(b"") == []


def test_the_bytes_of_operations_are_fixed() -> None:
    assert literal(b"abc") == b"\x0cabc"
    assert literal(b"x" * 32) == b"\x80\x01" + b"x" * 32
    assert reference(Kind.RAW, 1, 0) == b"\x05\x00"
    assert reference(Kind.ESCAPED, 300, 128) == b"\xb2\x09\x80\x01"
    assert reference(Kind.NODE, 2**20, 2**31) == b"\x83\x80\x80\x02\x80\x80\x80\x80\x08"


def test_literals_are_told_from_references() -> None:
    assert is_literal(literal(b"abc"))
    assert not any(is_literal(reference(kind, 3, 4)) for kind in (Kind.RAW, Kind.ESCAPED, Kind.NODE))


@pytest.mark.parametrize(
    "damaged",
    [literal(b"abc")[:-1], reference(Kind.RAW, 5, 300)[:-1], b"\x80", b"\xff" * 40, b"\x05"],
    ids=["cut literal", "cut id", "cut tag", "endless number", "no id"],
)
def test_damaged_operations_are_refused(damaged: bytes) -> None:
    with pytest.raises(LedgerCorruptError, match="not operations"):
        decode(damaged)


def test_the_escaped_form_is_fixed_for_every_character() -> None:
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    for code in (*range(0x3000), 0xD7FF, 0xE000, 0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1F600, 0x10FFFF):
        text = chr(code)
        expected = short.get(text, f"\\u{code:04x}" if code < 0x20 else text).encode()
        assert escape(text.encode()) == expected
        assert unescape(expected) == text.encode()


def test_d06_nul_is_escaped_and_comes_back() -> None:
    assert escape(b"page\x00one") == b"page\\u0000one"
    assert unescape(b"page\\u0000one") == b"page\x00one"


@pytest.mark.parametrize(
    "inside",
    [
        b"\\u00e9",
        b"\\/",
        b"\\u000A",
        b"\\u000a",
        b"\\ud83d\\ude00",
        b"ok \\ud83d",
        b"\\x",
        b"tail\\",
        b'quo"te',
        b"raw\nline",
        b"\xff",
        b"\xed\xa0\x80",
    ],
)
def test_d07_a_string_that_is_escaped_otherwise_is_no_text(inside: bytes) -> None:
    assert unescape(inside) is None


def test_text_is_escaped_as_the_encoder_does() -> None:
    text = 'He said: "no"\\\n\tétait là 😀\x7f\u2028'
    assert escape(text.encode()) == json.dumps(text, ensure_ascii=False)[1:-1].encode()
    with pytest.raises(UnicodeDecodeError):
        escape(b"\xff")
