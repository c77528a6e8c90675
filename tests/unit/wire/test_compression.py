from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from turnledger.errors import LedgerCorruptError
from turnledger.wire.compression import Packer, unpack
from turnledger.wire.dictionary import PROVIDER_DICTIONARY

TEXT = b"The quick brown fox jumps over the lazy dog. " * 40
PROTOCOL = (
    b'{"role":"assistant","content":null,"tool_calls":[{"id":"call_","type":"function","function":{"name":"'
)
NOISE = os.urandom(2000)
SAMPLES = (b"", b"a", b"short", TEXT, PROTOCOL, NOISE, bytes(5000), TEXT[:39], TEXT[:40])


@pytest.mark.parametrize("data", SAMPLES, ids=len)
def test_what_is_packed_comes_back(data: bytes) -> None:
    packer = Packer()
    for pack in (packer.pack, packer.pack_protocol, packer.pack):
        packed = pack(data)
        assert unpack(packed, len(data)) == data
        assert len(packed) <= len(data) + 1


def test_text_gets_smaller_and_protocol_much_smaller() -> None:
    packer = Packer()
    assert len(packer.pack(TEXT)) < len(TEXT) / 10
    assert len(packer.pack_protocol(PROTOCOL)) < len(PROTOCOL) / 3 < len(packer.pack(PROTOCOL))


def test_the_dictionary_is_part_of_the_storage_format() -> None:
    digest = "f412242b78a68f0186c3c503273d97bf7de717811d8c00e284686a976e27f49a"
    assert sha256(PROVIDER_DICTIONARY).hexdigest() == digest


def test_frames_written_once_stay_readable() -> None:
    plain = bytes.fromhex(
        "0128b52ffd600806b50100d40254686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e200100c516feaa0c"
    )
    protocol = bytes.fromhex("0228b52ffd20659d00000006400006562128c3b503d5498bb732ef6206")
    assert unpack(plain, len(TEXT)) == TEXT
    assert unpack(protocol, len(PROTOCOL)) == PROTOCOL


@pytest.mark.parametrize("data", [TEXT, PROTOCOL, NOISE], ids=["text", "protocol", "noise"])
def test_no_more_is_unfolded_than_asked_for(data: bytes) -> None:
    packed = Packer().pack_protocol(data)
    with pytest.raises(LedgerCorruptError):
        unpack(packed, len(data) - 1)


def test_damage_is_told() -> None:
    packed = Packer().pack(TEXT)
    for damaged in (
        b"",
        b"\x03abc",
        b"\x01",
        packed[:-1],
        packed + b"x",
        b"\x01no frame",
        packed[:1] + packed[5:],
    ):
        with pytest.raises(LedgerCorruptError, match="damaged"):
            unpack(damaged, 1 << 20)


def test_threads_pack_and_unpack_at_once() -> None:
    def work(number: int) -> bool:
        packer = Packer()
        data = TEXT + b"%d" % number
        return all(unpack(packer.pack_protocol(data), 1 << 16) == data for _ in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(16)))
