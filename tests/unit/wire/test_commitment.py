from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnledger.errors import GrammarError
from turnledger.wire.commitment import NO_PAYLOAD, payload_hash, plain_hash

VECTORS = json.loads((Path(__file__).parents[3] / "vectors" / "commitment.json").read_bytes())


@pytest.mark.parametrize("row", VECTORS["rows"], ids=lambda row: row["payloadHex"] or "nothing")
def test_golden_commitments(row: dict[str, str]) -> None:
    salt, payload = bytes.fromhex(row["saltHex"]), bytes.fromhex(row["payloadHex"])
    middle = len(payload) // 2
    assert payload_hash(payload, salt).hex() == row["payloadHash"]
    assert payload_hash(memoryview(payload), salt).hex() == row["payloadHash"]
    chunks = (payload[:middle], memoryview(payload)[middle:])
    assert payload_hash(iter(chunks), salt).hex() == row["payloadHash"]
    assert plain_hash(payload).hex() == row["plainSha256"]


def test_keys_that_hmac_would_take_for_one_are_refused() -> None:
    twins = VECTORS["whySaltLengthIsFixed"]
    short, whole = bytes.fromhex(twins["key31Hex"]), bytes.fromhex(twins["key32Hex"])
    assert len(payload_hash(b"x", whole)) == 32
    for salt in (short, b"", whole + b"\x00"):
        with pytest.raises(GrammarError, match="32 bytes"):
            payload_hash(b"x", salt)
        with pytest.raises(GrammarError, match="32 bytes"):
            payload_hash([b"x"], salt)


def test_no_payload_is_the_hash_of_nothing() -> None:
    assert plain_hash(b"") == NO_PAYLOAD
    assert NO_PAYLOAD.hex().startswith("e3b0c442")
