"""The program: commands loaded on demand, and every ending turned into an exit status and a clear line."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from enum import IntEnum
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NoReturn

import click

from turnledger.cli.commands import COMMANDS
from turnledger.cli.safe_text import one_line
from turnledger.errors import LedgerError, UsageError
from turnledger.version import __version__

__all__ = ["Status", "program"]

_TRACEBACK = "TURNLEDGER_TRACEBACK"


class Status(IntEnum):
    """Exit statuses."""

    OK = 0
    FOUND = 1
    WRONG_USE = 2
    NOT_DONE = 3
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Program(click.Group):
    """A group that imports a command's module when the command is run, not to list it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, its module imported now; None where there is no such command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        return command if isinstance(command, click.Command) else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, from the table alone."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; where whoever read its output has left, it ends in silence."""
        try:
            result: object = super().invoke(ctx)
            sys.stdout.flush()
        except KeyboardInterrupt:
            _say("Stopped by Ctrl-C.", "")
            ctx.exit(Status.INTERRUPTED)
        except BrokenPipeError:
            # Nothing more can be written, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(Status.BROKEN_PIPE)
        return result

    def main(  # type: ignore[override]  # click's own has overloads for embedding, which ends in no exit
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        **extra: Any,  # noqa: ANN401  handed through to click
    ) -> NoReturn:
        """Run and exit."""
        extra.pop("standalone_mode", None)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            status = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except Exception as error:  # noqa: BLE001  the last line of defence: no traceback at a user
            status = _explain(error)
        sys.exit(int(status or 0))


def _explain(error: Exception) -> Status:
    """Say on stderr what went wrong; the status to leave with."""
    if isinstance(error, click.Abort):
        return Status.INTERRUPTED
    if type(error).__name__ == "NoArgsIsHelpError" and isinstance(error, click.UsageError):  # click >= 8.2
        sys.stderr.write(f"{error.format_message()}\n")
        return Status.WRONG_USE
    if isinstance(error, click.ClickException):
        _say(error.format_message(), _usage_hint(error))
        return Status.WRONG_USE if isinstance(error, click.UsageError) else Status.NOT_DONE
    if isinstance(error, LedgerError):
        _say(error.message, error.next_step)
        return Status.WRONG_USE if isinstance(error, UsageError) else Status.NOT_DONE
    if isinstance(error, OSError):
        what = f": {error.filename}" if error.filename else ""
        _say(f"{error.strerror or type(error).__name__}{what}", "")
        return Status.NOT_DONE
    return _fault(error)


def _usage_hint(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return "" if context is None else f"See `{context.command_path} --help`."


def _fault(error: Exception) -> Status:
    """An error nobody foresaw.  Its text may hold what was recorded, so only its class is shown."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(frame.filename).name}:{frame.lineno}"
    _say(
        f"A fault of Turnledger itself: {type(error).__name__} in {where}.",
        f"Please report it; with {_TRACEBACK}=1 set the whole trace is shown.",
    )
    if os.environ.get(_TRACEBACK):
        traceback.print_exception(error, file=sys.stderr)
    return Status.NOT_DONE


def _say(message: str, next_step: str) -> None:
    sys.stderr.write(f"turnledger: {one_line(message)}\n")
    if next_step:
        sys.stderr.write(f"            {one_line(next_step)}\n")


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="turnledger %(version)s")
def program() -> None:
    """Read what agents did, as it happened, and prove that the record was not altered.

    What works on a ledger takes --ledger and --json.  Exit status: 0 ok, 1 a check found something,
    2 wrong use, 3 could not be done.
    """
