"""Lines of a file: numbered, bounded, and each problem told apart."""

from __future__ import annotations

import io

import pytest

from turnledger.engine.transcript_file import MAX_LINE_BYTES, Line, decode_line, read_lines, what_it_is
from turnledger.errors import ForeignFileError


def lines(data: bytes) -> list[Line]:
    return list(read_lines(io.BytesIO(data)))


def problem(data: bytes) -> str:
    with pytest.raises(ForeignFileError) as caught:
        decode_line(lines(data)[0])
    return caught.value.message


def test_lines_are_numbered_as_an_editor_does_and_empty_ones_are_passed_over() -> None:
    found = lines(b'\xef\xbb\xbf{"a":1}\r\n\n  \n{"b":2}')
    assert [(line.number, line.data, line.is_torn) for line in found] == [
        (1, b'{"a":1}', False),
        (4, b'{"b":2}', True),
    ]
    assert [line.read for line in found] == [12, 23]


def test_an_empty_file_has_no_lines() -> None:
    assert lines(b"") == []


def test_a_line_without_end_is_skipped_without_being_held() -> None:
    data = b'{"a":"' + b"x" * (50 << 20) + b'"}\n{"b":2}\n'
    found = lines(data)
    assert [(line.number, line.data) for line in found] == [(1, None), (2, b'{"b":2}')]
    assert found[1].read == len(data)
    with pytest.raises(ForeignFileError, match=f"longer than {MAX_LINE_BYTES >> 20} MiB"):
        decode_line(found[0])


def test_a_line_just_within_the_limit_is_read() -> None:
    data = b'"' + b"x" * (MAX_LINE_BYTES - 3) + b'"\n'
    assert len(data) == MAX_LINE_BYTES
    assert lines(data)[0].data == data[:-1]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"messages": [}\n', "not JSON: Expecting value at column 15"),
        (b'{"a":1} {"b":2}\n', "not JSON: Extra data at column 9"),
        (b'{"a":\x00"b"}\n', "not JSON"),
        (b'{"a":"\xff"}\n', "not UTF-8: byte 6 is 0xff"),
        (b"[" * 20_000 + b"]" * 20_000 + b"\n", "nested more than 500 deep"),
        (b'{"a":1,"a":2}\n', "same key twice"),
        (b'{"a":NaN}\n', "NaN"),
        (b'{"messages":[{"role":"user","conte', "breaks off"),
        (b"\xff\xfe{\x00}\x00\n", "not UTF-8"),
    ],
)
def test_every_problem_is_told_apart(data: bytes, told: str) -> None:
    assert told in problem(data)


def test_a_last_line_without_line_end_is_whole_if_it_is_json() -> None:
    assert decode_line(lines(b'{"a":1}')[0]) == {"a": 1}


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
        (b"\x7fELF\0\0", "no text file"),
        (b'{\n  "schema": "vegaduta.turn-fixture/1",\n', "a turn fixture"),
        (b'{"schema":"turnledger.journal/1","journal":{"kind":"turn"}}\n', "an exported journal"),
        (b'{"schema":"turnledger.evidence/1"}\n', "an evidence bundle"),
        (b'[\n  {\n    "id": "a"', "one JSON list over many lines"),
        (b'{\n  "messages": [', "one JSON object over many lines"),
        (b'[{"id":"a","messages":[]},', "one JSON list of transcripts"),
        (b'\n\n{"id":"a","messages":[]}\n', None),
        (b'[{"role":"user","content":"messages"}]\n', None),
        (b'{"id":"schema","messages":[]}\n', None),
        (b"", None),
    ],
)
def test_other_files_are_recognised_by_their_beginning(head: bytes, kind: str | None) -> None:
    assert what_it_is(head) == kind
