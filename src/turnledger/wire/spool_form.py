"""A batch as it lies in a spool: MessagePack of its fields in order, compressed."""

from __future__ import annotations

from typing import Final

import msgspec

from turnledger.errors import LedgerCorruptError
from turnledger.model.draft import Batch
from turnledger.wire.compression import Packer, unpack

__all__ = ["SpoolForm"]

LARGEST: Final = 1 << 32

_encode = msgspec.msgpack.Encoder(uuid_format="bytes").encode
_decode = msgspec.msgpack.Decoder(Batch).decode


class SpoolForm:
    """Writes and reads batches; for one thread at a time, since it reuses its work space."""

    def __init__(self) -> None:
        self._packer = Packer()

    def pack(self, batch: Batch) -> bytes:
        """The bytes to keep."""
        return self._packer.pack(_encode(batch))

    @staticmethod
    def unpack(data: bytes) -> Batch:
        """The batch that was packed, equal in every field.  Raises LedgerCorruptError."""
        try:
            return _decode(unpack(data, LARGEST))
        except msgspec.DecodeError as error:
            msg = "A batch in the spool cannot be read."
            raise LedgerCorruptError(msg, next_step="Check the disk; set the spool's file aside.") from error
