"""Where the browser for the console's tests is: the one that is installed; none is ever downloaded."""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from turnledger.server.console import BUILT

NAMES = ("chromium", "chromium-browser", "google-chrome")


@cache
def find_chromium() -> Path | None:
    """The program that ``TURNLEDGER_CHROMIUM`` names, else the first one on the path that runs.

    A distribution may put a program of that name on the path that only says how to install it.
    """
    chosen = os.environ.get("TURNLEDGER_CHROMIUM")
    found = (shutil.which(name) for name in ([chosen] if chosen else NAMES))
    return next((Path(program) for program in found if program and _runs(program)), None)


def _runs(program: str) -> bool:
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return said.returncode == 0 and "Chrom" in said.stdout


def obstacle() -> str | None:
    """Why the console cannot be driven in a browser here, None where it can."""
    if find_chromium() is None:
        return "no Chromium found"
    if not (BUILT / "index.html").is_file():
        return "it is not built; `make console` builds it"
    return None
