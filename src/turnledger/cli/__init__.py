"""The command line: one file per command, loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command (default: of ``sys.argv``) and leave with its exit status by SystemExit.

    0 ok, 1 a check found something, 2 wrong use, 3 could not be done, 130 interrupted.
    """
    from turnledger.cli.program import program  # noqa: PLC0415  importing the package costs nothing

    program.main(None if arguments is None else [*arguments], prog_name="turnledger")
