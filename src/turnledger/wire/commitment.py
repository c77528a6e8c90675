"""Payload commitments: salted ones for bodies of a ledger, plain hashes for journals made elsewhere.

The salt keeps a short body from being guessed from its hash; it is stored with the body and erased with it.
Golden values: ``vectors/commitment.json``.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from turnledger.errors import GrammarError

__all__ = ["NO_PAYLOAD", "payload_hash", "plain_hash"]

_DOMAIN = b"turnledger/payload/v1\n"
_SALT_BYTES = 32
_BLOCK_REST = bytes(32)  # what a salt lacks of a SHA-256 block of 64 bytes
_INNER, _OUTER = (bytes([byte ^ pad for byte in range(256)]) for pad in (0x36, 0x5C))

NO_PAYLOAD = sha256().digest()
"""The payload hash of an event that has no payload: SHA-256 of nothing."""


def payload_hash(data: bytes | memoryview | Iterable[bytes | memoryview], salt: bytes) -> bytes:
    """HMAC-SHA-256(salt, "turnledger/payload/v1" LF data), 32 bytes.

    ``data`` is a body, or the chunks of one in order.  Raises GrammarError for a salt that is not 32 bytes.
    """
    # RFC 2104 by hand: hmac.digest hands the interpreter to another thread, however short the body is.
    key = _checked(salt) + _BLOCK_REST
    if isinstance(data, (bytes, memoryview)):
        inner = sha256(b"".join((key.translate(_INNER), _DOMAIN, data)))
    else:
        inner = sha256(key.translate(_INNER) + _DOMAIN)
        for chunk in data:
            inner.update(chunk)
    return sha256(key.translate(_OUTER) + inner.digest()).digest()


def plain_hash(data: bytes | memoryview) -> bytes:
    """SHA-256 of a body, 32 bytes: how journals and fixtures made elsewhere commit to a payload."""
    return sha256(data).digest()


def _checked(salt: bytes) -> bytes:
    """HMAC pads a short key with zeros, so keys of two lengths can share a tag: one length only."""
    if len(salt) != _SALT_BYTES:
        msg = f"A payload's salt is {_SALT_BYTES} bytes, this one is {len(salt)}."
        raise GrammarError(msg, next_step="Make it with turnledger.ids.new_salt.")
    return salt
