"""Programs that are started to be killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.patience import PROGRAM_S

__all__ = ["killed", "started"]

ROOT = Path(__file__).parents[2]


def started(program: str, *arguments: object, **variables: str) -> subprocess.Popen[str]:
    """A Python program in a process group of its own."""
    environment = {**os.environ, **variables, "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def killed(process: subprocess.Popen[str]) -> None:
    """End it and all that it started, at once."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=PROGRAM_S)
