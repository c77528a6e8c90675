from __future__ import annotations

from hashlib import sha256

import pytest

from turnledger.errors import GrammarError
from turnledger.wire.details import decode_detail, detail_digest, encode_detail

RECORD: dict[str, object] = {"usage": {"output": 3, "input": 12}, "id": "01", "ms": 1.5, "raw": b"\xff"}


def test_one_record_has_one_spelling() -> None:
    data = encode_detail(RECORD)
    backwards = dict(reversed(RECORD.items()))
    assert data == encode_detail(backwards)
    assert data.startswith(b'{"id":"01","ms":1.5,"raw":{"$turnledger":"bytes",')
    assert decode_detail(data) == RECORD
    assert detail_digest(data) == sha256(data).hexdigest()


@pytest.mark.parametrize("record", [{1: "a"}, {"$turnledger": "bytes"}], ids=["number", "tag"])
def test_keys_that_would_change_the_form_are_refused(record: dict[str, object]) -> None:
    with pytest.raises(GrammarError, match="text for keys"):
        encode_detail(record)


@pytest.mark.parametrize("data", [b"[]", b'"x"', b"{", b"\xff", b'{"$turnledger":"bytes","base64":""}'])
def test_what_is_no_record_is_refused(data: bytes) -> None:
    with pytest.raises(GrammarError):
        decode_detail(data)
