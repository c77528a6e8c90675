"""Compression on the way: packing, and unpacking that stops at a limit instead of at the memory's end."""

from __future__ import annotations

import sys
import zlib
from typing import Final

from turnledger.errors import GrammarError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = ["ENCODINGS", "Inflater", "TooLargeError", "gzip_bytes", "zstd_bytes"]

ENCODINGS: Final = ("zstd", "gzip")

_LEVEL: Final = 3
_GZIP_BITS: Final = 31
_STEP: Final = 1 << 16


class TooLargeError(Exception):
    """What was packed is larger than its reader allows."""


def zstd_bytes(data: bytes) -> bytes:
    """The data as one Zstandard frame (RFC 8878)."""
    return zstd.compress(data, _LEVEL)


def gzip_bytes(data: bytes) -> bytes:
    """The data as one gzip member (RFC 1952)."""
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_BITS)
    return packer.compress(data) + packer.flush()


class Inflater:
    """Takes packed bytes piece by piece and gives them back unpacked, ``limit`` of them at most in all.

    Frames or members may follow one another.  Whatever the input claims, no more than the limit and one step
    is ever held.
    """

    def __init__(self, encoding: str, limit: int) -> None:
        """``encoding`` is zstd, gzip or identity.  Raises GrammarError for any other."""
        if encoding not in {*ENCODINGS, "identity"}:
            msg = f"{encoding[:40]!r} is no content encoding that is read here."
            raise GrammarError(msg, next_step=f"Use one of: {', '.join(ENCODINGS)}.")
        self._encoding = encoding
        self._left = limit
        self._stream: zstd.ZstdDecompressor | zlib._Decompress | None = None

    def feed(self, data: bytes) -> list[bytes]:
        """The next piece, unpacked.  Raises TooLargeError, and GrammarError for what is not so packed."""
        if self._encoding == "identity":
            return [self._counted(data)] if data else []
        try:
            return self._inflate(data)
        except (zlib.error, zstd.ZstdError) as error:
            raise self._damaged() from error

    def end(self) -> None:
        """Nothing more comes.  Raises GrammarError where something should."""
        if self._stream is not None and not self._stream.eof:
            raise self._damaged()

    def _inflate(self, data: bytes) -> list[bytes]:
        found: list[bytes] = []
        while data:
            if self._stream is None or self._stream.eof:
                self._stream = self._fresh()
            stream = self._stream
            if isinstance(stream, zstd.ZstdDecompressor):
                found.append(self._counted(stream.decompress(data, _STEP)))
                while not stream.eof and not stream.needs_input:
                    found.append(self._counted(stream.decompress(b"", _STEP)))
                data = stream.unused_data if stream.eof else b""
            else:
                found.append(self._counted(stream.decompress(data, _STEP)))
                data = stream.unused_data if stream.eof else stream.unconsumed_tail
        return found

    def _fresh(self) -> zstd.ZstdDecompressor | zlib._Decompress:
        return zstd.ZstdDecompressor() if self._encoding == "zstd" else zlib.decompressobj(_GZIP_BITS)

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise TooLargeError
        return data

    def _damaged(self) -> GrammarError:
        msg = f"The data is not {self._encoding}, or is cut off."
        return GrammarError(msg, next_step="Send it whole, in the encoding that its header names.")
