from __future__ import annotations

import json

from turnledger.wire.segments import PIECE_BYTES, SHARED_BYTES, opens_json, pieces, strings

LONG = b"x" * SHARED_BYTES


def contents(data: bytes, *, inside: bool = False) -> list[bytes]:
    return [data[start:stop] for start, stop in strings(data, 0, len(data), inside=inside)]


def test_long_strings_are_found_without_their_quotes() -> None:
    assert contents(b'{"role":"user","content":"%b","n":[1,2],"more":"%by"}' % (LONG, LONG)) == [
        LONG,
        LONG + b"y",
    ]


def test_a_string_one_byte_short_is_left_where_it_stands() -> None:
    assert contents(b'["%b","%b"]' % (LONG[1:], LONG)) == [LONG]


def test_escapes_are_part_of_their_string() -> None:
    for inside in (b'\\"' * 80, b"\\\\" * 80, b'a\\\\\\"' * 40, LONG + b"\\\\", b"\\u00e9" * 30):
        assert contents(b'{"a":"%b","b":"\\"short\\"","c":"%b"}' % (inside, LONG)) == [inside, LONG]


def test_numbers_between_strings_hide_at_most_the_next_short_one() -> None:
    numbers = b",".join(b"%d" % number for number in range(200))
    assert contents(b'{"v":[%b],"k":"%b","z":"%b"}' % (numbers, LONG, LONG))[-2:] == [LONG, LONG]


def test_a_start_inside_a_string_is_said_or_found_out() -> None:
    rest = LONG + b'","k":"v","next":"' + LONG + b'"}'
    assert contents(rest, inside=True) == [LONG, LONG]
    assert contents(rest) == [LONG]
    assert contents(b'","k":"' + LONG + b'"}', inside=True) == [LONG]


def test_d09_a_string_without_its_end_is_one_to_the_end() -> None:
    assert contents(b'{"messages":[{"content":"' + LONG) == [LONG]
    assert contents(b'{"messages":[{"content":"' + LONG + b"\\") == [LONG + b"\\"]
    assert contents(b'{"messages":[{"content":"a\\"' + LONG + b"\\") == [b'a\\"' + LONG]


def test_only_the_given_region_is_searched() -> None:
    data = b'["%b","%b","%b"]' % (LONG, LONG, LONG)
    second = data.index(b",") + 2
    assert strings(data, second - 1, len(data) - 5, inside=False) == [(second, second + SHARED_BYTES)]
    assert strings(data, second, second + 5, inside=True) == []


def test_many_short_strings_take_no_memory_and_little_time() -> None:
    data = json.dumps([{"id": str(number), "at": "now"} for number in range(100_000)]).encode()
    assert contents(data) == []


def test_pieces_are_bounded_and_end_between_characters() -> None:
    for text in ("a", "é", "€", "😀"):
        data = b"-" + (text * PIECE_BYTES).encode()
        cut = list(pieces(data))
        assert b"".join(cut) == data
        assert max(map(len, cut)) <= PIECE_BYTES
        assert min(map(len, cut[:-1])) > PIECE_BYTES - 4
        assert all(piece.decode() for piece in cut)


def test_pieces_of_what_is_no_text_are_bounded_too() -> None:
    for data in (b"\x80" * (3 * PIECE_BYTES), bytes(range(256)) * 1000, b"", b"a" * PIECE_BYTES):
        cut = list(pieces(data))
        assert b"".join(cut) == data
        assert max(map(len, cut)) <= PIECE_BYTES


def test_what_opens_json() -> None:
    assert all(map(opens_json, (b"{}", b"[1]", b' \r\n\t{"a":1}', b'"text"', b"{broken")))
    assert not any(map(opens_json, (b"", b"data: {}", b"null", b"12", b"\x00{", b"plain [text]")))
