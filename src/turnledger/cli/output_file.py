"""A file that is whole or not there: written beside its place, then renamed into it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from turnledger.errors import ForeignFileError, LedgerUnavailableError

__all__ = ["output"]

_DATABASE: Final = b"SQLite format 3\0"


@contextmanager
def output(path: str) -> Generator[BinaryIO]:
    """A binary stream to write to: stdout for ``-``, else a file that takes its name when all went well.

    What was there before stays until then, and stays where something fails.  Raises LedgerUnavailableError
    where the file cannot be written, ForeignFileError where it is a ledger.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    _spare_ledger(target)
    try:
        descriptor, unfinished = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=".part", dir=target.parent
        )
    except OSError as error:
        raise _unwritable(target, error) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(unfinished).replace(target)
    except OSError as error:
        Path(unfinished).unlink(missing_ok=True)
        raise _unwritable(target, error) from error
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


def _spare_ledger(target: Path) -> None:
    try:
        if not target.is_file():  # reading from a pipe would wait
            return
        with target.open("rb") as file:
            begin = file.read(len(_DATABASE))
    except OSError as error:
        raise _unwritable(target, error) from error
    if begin == _DATABASE:
        msg = f"{target} is a ledger or another database, so it is not replaced."
        raise ForeignFileError(msg, next_step="Name another place with -o.")


def _unwritable(target: Path, error: OSError) -> LedgerUnavailableError:
    msg = f"{target} cannot be written: {error.strerror}."
    return LedgerUnavailableError(msg, next_step="Name another place with -o, or - for stdout.")
