"""A progress bar on stderr for long work; nothing where stderr is no terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

__all__ = ["progress"]


@contextmanager
def progress(
    what: str, total: int | None, *, wanted: bool = True, in_bytes: bool = False
) -> Generator[Callable[[int], None]]:
    """A function that takes how much more is done; ``total`` None where nobody knows."""
    if not wanted or not sys.stderr.isatty():
        yield lambda _more: None
        return
    from rich.console import Console  # noqa: PLC0415  takes as long to load as a short command to run
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    done = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda more: bar.update(task, advance=more)
