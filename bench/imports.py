"""What the package costs by being there: import time, installed size, memory, memory over many turns."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bench.harness import Row, Table, p50

REPEATS = 9
ROOT = Path(__file__).parent.parent
_TIMED = "import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
_MEMORY = """
import sys
from bench.memory import resident, run_turns
before = resident()
import turnledger
ledger = turnledger.open(sys.argv[1])
for turns in (20, 1480, 1500):
    run_turns(ledger, turns)
    print(resident() - before)
"""


def run() -> Table:
    """Each number from fresh processes."""
    import_ms = _import_ms("turnledger")
    open_ms = _import_ms("turnledger; turnledger.open, turnledger.read; import turnledger.store.sqlite")
    bare_ms = _import_ms("sqlite3, json, hashlib, uuid, threading")
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=ROOT / "bench") as name:
        size = _installed_mb(Path(name) / "venv")
        first, warm, later = _memory_mb(Path(name) / "memory.ledger")
    rows = [
        Row("import turnledger", import_ms, "ms", 80, floor=bare_ms, floor_is="importing what it stands on"),
        Row("the same, and all that recording and reading load", open_ms, "ms"),
        Row("base install with all it pulls in", size, "MB", 25),
        Row("resident memory added by recording 20 turns", first, "MB", 30),
        Row("resident memory added by 1,500 turns, all caches full", warm, "MB", 30),
        Row("resident memory added by 1,500 more turns", later - warm, "MB", 2),
    ]
    return Table("Footprint", f"Fresh processes, median of {REPEATS}; installed from the wheel's pins.", rows)


def _import_ms(module: str) -> float:
    code = _TIMED.format(module=module)
    runs = [
        subprocess.run(  # noqa: S603  our own program, here and below
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for _ in range(REPEATS)
    ]
    return p50([float(run.stdout) for run in runs]) * 1000


def _installed_mb(venv: Path) -> float:
    """The size of site-packages with turnledger, less that of an empty one; compiled Python included."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)  # noqa: S603
    (packages,) = venv.glob("lib/python*/site-packages")
    before = _folder_bytes(packages)
    subprocess.run(  # noqa: S603
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-build-isolation",
            "--target",
            packages,
            ROOT,
        ],
        check=True,
    )
    return (_folder_bytes(packages) - before) / 1e6


def _folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _memory_mb(ledger: Path) -> tuple[float, float, float]:
    """What recording adds after 20, 1,500 and 3,000 turns, the imports included."""
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _MEMORY, ledger], cwd=ROOT, capture_output=True, text=True, check=True
    )
    first, warm, later = map(float, run.stdout.split())
    return first, warm, later
