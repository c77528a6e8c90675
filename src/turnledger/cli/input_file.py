"""Files that commands read line by line."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from typing import Any, Final

__all__ = ["opened"]

_STDIN: Final = "-"
_BUFFER: Final = 1 << 16


@contextmanager
def opened(name: str) -> Generator[tuple[BufferedReader[Any], int | None]]:
    """The file, or standard input for ``-``, and its size; None where that is not known."""
    if name == _STDIN:
        yield BufferedReader(FileIO(sys.stdin.fileno(), closefd=False), _BUFFER), None
        return
    with BufferedReader(FileIO(name), _BUFFER) as stream:
        yield stream, os.fstat(stream.fileno()).st_size or None
