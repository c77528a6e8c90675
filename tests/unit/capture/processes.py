"""Programs of our own that record, run as processes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.patience import PROGRAM_S

ROOT = Path(__file__).parents[3]


def started(program: str, *arguments: object, stdin: int | None = None) -> subprocess.Popen[str]:
    """Start a program; its first line on stdout can be waited for."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    environment.pop("TURNLEDGER_URL", None)
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def run(program: str, *arguments: object, code: int = 0) -> str:
    """Run a program to its end and give what it printed."""
    process = started(program, *arguments)
    try:
        out, err = process.communicate(timeout=PROGRAM_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == code, err
    return out
