"""``python -m bench [NAME…]``: run benchmarks, print their tables, append them to bench/RESULTS.md."""

from __future__ import annotations

import importlib
import subprocess
import sys

from bench.harness import RESULTS, Table, machine, markdown, revision, text
from turnledger.clock import SYSTEM, to_iso

NAMES = (
    "turns",
    "append",
    "events",
    "exchange",
    "adapters",
    "verify",
    "growth",
    "imports",
    "serving",
    "serving_reads",
    "serving_capture",
    "serving_live",
    "serving_memory",
    "console",
)
_ONE = "--one"


def main(arguments: list[str]) -> int:
    """Each benchmark in a process of its own, so that none inherits another's memory."""
    if arguments[:1] == [_ONE]:
        table: Table = importlib.import_module(f"bench.{arguments[1]}").run()
        sys.stderr.write(text(table) + "\n")
        sys.stdout.write(markdown(table) + "\n")
        return 0
    unknown = set(arguments) - set(NAMES)
    if unknown:
        sys.stderr.write(f"No benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}.\n")
        return 2
    parts = [f"## {to_iso(SYSTEM.epoch_ms())}, revision {revision()}", f"{machine()}.", ""]
    failed = 0
    for name in arguments or NAMES:
        run = subprocess.run(  # noqa: S603  our own program
            [sys.executable, "-m", "bench", _ONE, name], stdout=subprocess.PIPE, text=True, check=False
        )
        failed += run.returncode != 0
        parts.append(run.stdout or f"### {name}\n\nfailed with exit status {run.returncode}\n")
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write("\n".join(parts) + "\n")
    sys.stderr.write(f"Written to {RESULTS}.\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
