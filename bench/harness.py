"""What every benchmark needs: percentiles, rows with target and floor, a table, and a place to keep it."""

from __future__ import annotations

import os
import platform
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

__all__ = [
    "Row",
    "Table",
    "folder",
    "machine",
    "markdown",
    "p50",
    "p99",
    "seconds",
    "size_of",
    "text",
]

RESULTS = Path(__file__).parent / "RESULTS.md"


@dataclass(frozen=True, slots=True)
class Row:
    """One number.

    ``target`` is what was promised (more is better where ``more``, else less), ``floor`` what the machine
    itself takes for the part of the work that no recorder can avoid, measured in the same run.
    """

    what: str
    measured: float
    unit: str
    target: float | None = None
    more: bool = False
    floor: float | None = None
    floor_is: str = ""

    @property
    def verdict(self) -> str:
        """Whether the target is met; empty where there is none."""
        if self.target is None:
            return ""
        met = self.measured >= self.target if self.more else self.measured <= self.target
        return "yes" if met else "no"

    @property
    def distance(self) -> str:
        """How many times the floor this is."""
        if not self.floor or not self.measured:
            return ""
        times = self.floor / self.measured if self.more else self.measured / self.floor
        return f"{times:.1f} x"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of one benchmark; ``note`` says what was run."""

    title: str
    note: str
    rows: Sequence[Row]


def markdown(table: Table) -> str:
    """The table as it stands in RESULTS.md."""
    names = ("what", "measured", "target", "met", "floor", "distance", "the floor is")
    head = f"| {' | '.join(names)} |\n|---|---:|---:|---|---:|---:|---|"
    lines = [
        f"| {row.what} | {_number(row.measured)} {row.unit} | {_target(row)} | {row.verdict} "
        f"| {_number(row.floor)} | {row.distance} | {row.floor_is} |"
        for row in table.rows
    ]
    return "\n".join([f"### {table.title}", "", table.note, "", head, *lines, ""])


def text(table: Table) -> str:
    """The table for a terminal."""
    columns = [
        (
            row.what,
            f"{_number(row.measured)} {row.unit}",
            _target(row),
            row.verdict,
            _number(row.floor),
            row.distance,
        )
        for row in table.rows
    ]
    whole = [("", "measured", "target", "met", "floor", "distance"), *columns]
    widths = [max(len(entry[number]) for entry in whole) for number in range(len(whole[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(entry, widths, strict=True))
        ).rstrip()
        for entry in whole
    ]
    return "\n".join([table.title, table.note, *lines, ""])


def _number(value: float | None) -> str:
    if value is None:
        return ""
    if value >= 1000:  # noqa: PLR2004  from here on decimals say nothing
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"  # noqa: PLR2004


def _target(row: Row) -> str:
    if row.target is None:
        return ""
    return f"{'≥' if row.more else '≤'} {_number(row.target)}"


def machine() -> str:
    """What it ran on, in one line."""
    programs = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    load = f"load {os.getloadavg()[0]:.1f} before"
    return f"{os.cpu_count()} cores{_share()}, {load}, {platform.system()} {platform.machine()}, {programs}"


def _share() -> str:
    """What this run was given of the machine, where that is not what any program gets (Linux tells)."""
    if not hasattr(os, "sched_getscheduler"):
        return ""
    cores, policy = len(os.sched_getaffinity(0)), os.sched_getscheduler(0)
    pinned = f", all processes on {cores}" if cores != os.cpu_count() else ""
    return pinned + (", before all others" if policy in {os.SCHED_FIFO, os.SCHED_RR} else "")


def revision() -> str:
    """The commit that was measured, with a plus where files differ from it."""
    run = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--exclude=*"],  # noqa: S607
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.strip() or "no revision"


@contextmanager
def folder() -> Iterator[Path]:
    """A folder on the disk that the project is on (a memory disk has no fsync to speak of)."""
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path(__file__).parent) as name:
        yield Path(name)


def seconds(work: Callable[[], object]) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def p50(times: Sequence[float]) -> float:
    """The median."""
    return median(times)


def p99(times: Sequence[float]) -> float:
    """The 99th percentile."""
    return quantiles(times, n=100, method="inclusive")[98]


def size_of(ledger: Path) -> int:
    """Bytes of a closed SQLite ledger with everything beside it, once its log has been written back."""
    with closing(sqlite3.connect(ledger)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return sum(path.stat().st_size for path in ledger.parent.glob(f"{ledger.name}*"))
