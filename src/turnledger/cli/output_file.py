"""A file that is whole or not there: written beside its place, then renamed into it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from turnledger.errors import LedgerUnavailableError

__all__ = ["output"]


@contextmanager
def output(path: str) -> Generator[BinaryIO]:
    """A binary stream to write to: stdout for ``-``, else a file that takes its name when all went well.

    What was there before stays until then, and stays where something fails.  Raises LedgerUnavailableError
    where the file cannot be written.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    target = Path(path)
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


def _unwritable(target: Path, error: OSError) -> LedgerUnavailableError:
    msg = f"{target} cannot be written: {error.strerror}."
    return LedgerUnavailableError(msg, next_step="Name another place with -o, or - for stdout.")
