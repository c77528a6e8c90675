"""The demo's ledger: a file that it may make anew, which one demo at a time works on."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from turnledger.engine.location import remove_file
from turnledger.engine.reading import open_reading
from turnledger.errors import ForeignFileError, LedgerUnavailableError

__all__ = ["fresh_ledger"]

_PRIVATE: Final = 0o600


@contextmanager
def fresh_ledger(path: Path, own: Collection[str]) -> Generator[None]:
    """Remove what an earlier demo left at ``path``, and keep other demos away from it.

    ``own`` are the names of the demo's agents.  Raises ForeignFileError where the file holds anything else,
    LedgerUnavailableError where a demo is running on it or any other program has it open.
    """
    mark = Path(f"{path}-demo")
    try:
        held = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _PRIVATE)
    except FileNotFoundError as error:
        msg = f"There is no folder {path.parent}."
        raise LedgerUnavailableError(msg, next_step=f"Create it: mkdir -p {path.parent}") from error
    try:
        _take(held, path)
        _check(path, own)
        remove_file(path)
        yield
    finally:
        os.close(held)


def _take(held: int, path: Path) -> None:
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        msg = f"A demo is running on {path} already."
        raise LedgerUnavailableError(
            msg, next_step="End it with Ctrl-C, or give another --ledger."
        ) from error


def _check(path: Path, own: Collection[str]) -> None:
    if not path.exists():
        return
    with open_reading(path) as reading:
        others = [row.name for row in reading.agents() if row.name not in own]
    if others:
        msg = f"{path} holds what others have recorded ({others[0]!r}), so the demo does not replace it."
        raise ForeignFileError(msg, next_step="Move it away, or give another --ledger.")
