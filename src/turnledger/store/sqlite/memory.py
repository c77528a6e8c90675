"""Where a ``memory:`` ledger lives: a private folder in the system's memory, gone with its owner."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

__all__ = ["private_folder"]

_MEMORY: Final = Path("/dev/shm")  # noqa: S108  a folder that mkdtemp makes in it is this user's alone
_PREFIX: Final = "turnledger-memory-"
_FRESH_MS: Final = 60_000


def private_folder(owner: object, now_ms: int) -> Path:
    """A new folder, removed when ``owner`` is collected or the process ends.

    A process that is killed leaves its folder behind; the next one that asks removes it.  Where the
    system has no place for files in memory this is the folder for temporary files.
    """
    place = _MEMORY if os.access(_MEMORY, os.W_OK) else Path(tempfile.gettempdir())
    _remove_orphans(place, now_ms)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    descriptor = os.open(folder, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    weakref.finalize(owner, _remove, folder, descriptor, os.getpid())
    return folder


def _remove(folder: Path, descriptor: int, process: int) -> None:
    if os.getpid() == process:  # a forked child leaves its parent's folder alone
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _remove_orphans(place: Path, now_ms: int) -> None:
    """Remove folders that no process holds any more; one that was made just now may not be locked yet."""
    for folder in place.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if now_ms - folder.stat().st_mtime_ns // 1_000_000 < _FRESH_MS:
                continue
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(descriptor)
