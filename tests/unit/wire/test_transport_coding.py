"""Packing on the way: back as it was, never beyond the limit, never more than whole."""

from __future__ import annotations

import gzip
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.errors import GrammarError
from turnledger.wire.transport_coding import Inflater, TooLargeError, gzip_bytes, zstd_bytes

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstd_bytes,
    "gzip": gzip_bytes,
    "identity": bytes,
}


def _unpacked(encoding: str, data: bytes, limit: int, step: int) -> bytes:
    inflater = Inflater(encoding, limit)
    found = [
        piece for start in range(0, len(data), step) for piece in inflater.feed(data[start : start + step])
    ]
    inflater.end()
    return b"".join(found)


@given(
    pieces=st.lists(st.binary(max_size=3000), max_size=4),
    encoding=st.sampled_from(sorted(PACKERS)),
    step=st.integers(1, 4000),
)
def test_it_comes_back_in_whatever_pieces_it_arrives(pieces: list[bytes], encoding: str, step: int) -> None:
    packed = b"".join(PACKERS[encoding](piece) for piece in pieces)
    whole = b"".join(pieces)
    assert _unpacked(encoding, packed, len(whole), step) == whole


@pytest.mark.parametrize("encoding", sorted(PACKERS))
@pytest.mark.parametrize("step", [1000, 10_000_000])
def test_i01_one_byte_more_than_the_limit_is_too_much(encoding: str, step: int) -> None:
    packed = PACKERS[encoding](bytes(5_000_000))
    assert len(_unpacked(encoding, packed, 5_000_000, step)) == 5_000_000
    with pytest.raises(TooLargeError):
        _unpacked(encoding, packed, 4_999_999, step)


@pytest.mark.parametrize("encoding", ["zstd", "gzip"])
def test_what_is_cut_or_damaged_is_said(encoding: str) -> None:
    packed = PACKERS[encoding](b"some text that is packed " * 50)
    with pytest.raises(GrammarError):
        _unpacked(encoding, packed[:-3], 10_000, 10_000)
    with pytest.raises(GrammarError):
        _unpacked(encoding, b"no packed text at all", 10_000, 10_000)


def test_a_damaged_member_is_said() -> None:
    """Frames of zstd carry no checksum here: what a body says is checked against its commitment anyway."""
    packed = bytearray(gzip_bytes(b"some text that is packed " * 50))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(GrammarError):
        _unpacked("gzip", bytes(packed), 10_000, 10_000)


def test_members_may_follow_one_another() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two")
    assert _unpacked("gzip", packed, 100, 7) == b"one two"


def test_other_encodings_are_none() -> None:
    for encoding in ("br", "deflate", "", "gzip, gzip"):
        with pytest.raises(GrammarError):
            Inflater(encoding, 10)
