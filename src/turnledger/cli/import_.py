"""``turnledger import``: chat transcripts of other programs, one a line, as conversations on record."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

import click

from turnledger.cli import complete
from turnledger.cli.input_file import opened
from turnledger.cli.line import counted
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.progress import progress
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, note, write_json
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from turnledger.engine.importing import Finding, Importer

__all__ = ["command"]

_SAID: Final = 20
_LISTED: Final = 10_000
_IS_IT_THAT: Final = (
    " Is it the right file? A transcript is one line, a JSON object with `messages`: "
    "see `turnledger import --help`."
)


@click.command("import")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(exists=False))
@click.option(
    "--agent",
    default="imported",
    show_default=True,
    metavar="NAME",
    shell_complete=complete.agents,
    help="The agent to record under.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["openai-chat"]),
    default="openai-chat",
    show_default=True,
    help="What a line is. openai-chat: an object with `messages`, as chat APIs and fine-tuning have them.",
)
@json_option
@ledger_option
@click.pass_context
def command(
    context: click.Context,
    files: tuple[str, ...],
    agent: str,
    form: str,
    ledger: str | None,
    *,
    as_json: bool,
) -> None:
    """Import chat transcripts, one JSON object a line.  FILE may be - for standard input.

    Each line becomes a conversation whose events all say `imported`, whole or not at all.  What is on record
    already is passed over, so an import that was stopped goes on where it was when it is run again.  Lines
    that are no transcript are told with their number, and the others are imported.
    """
    from turnledger.cli.program import Status  # noqa: PLC0415  not needed for --help
    from turnledger.engine.importing import Importer  # noqa: PLC0415
    from turnledger.engine.location import connect  # noqa: PLC0415

    del form
    store = connect(ledger).open()
    run = _Run(store.label, agent)
    try:
        importer = Importer(store, agent)
        for name in files:
            run.file(importer, name)
    except KeyboardInterrupt:
        run.stop()
        context.exit(Status.INTERRUPTED)
    except LedgerError:
        run.stop()
        raise
    finally:
        store.close()
    run.report(as_json=as_json)
    if not run.is_clean:
        context.exit(Status.FOUND if run.did_something else Status.NOT_DONE)


class _Run:
    """The import of all files of one command."""

    def __init__(self, ledger: str, agent: str) -> None:
        self._ledger = ledger
        self._agent = agent
        self._foreign: list[dict[str, object]] = []
        self._refused: list[dict[str, object]] = []
        self._counts: Counter[str] = Counter()

    @property
    def is_clean(self) -> bool:
        """Whether nothing was refused."""
        return not self._foreign and not self._counts["refused"]

    @property
    def did_something(self) -> bool:
        """Whether any line is on record now."""
        return bool(self._counts["imported"] + self._counts["present"])

    def file(self, importer: Importer, name: str) -> None:
        """Import one file; says what is wrong with its lines as it goes."""
        from turnledger.engine.transcript_file import what_it_is  # noqa: PLC0415  not needed for --help

        try:
            with opened(name) as (stream, size):
                kind = what_it_is(stream.peek())
                if kind is not None:
                    self._turn_away(
                        name, f"This is {kind}, and not chat transcripts, one a line. {_hint(kind)}"
                    )
                    return
                done = 0
                with progress(one_line(PurePath(name).name, 40), size) as advance:
                    for finding in importer.run(stream):
                        self._count(name, finding)
                        advance(finding.read - done)
                        done = finding.read
        except OSError as error:
            self._turn_away(name, f"{error.strerror or type(error).__name__}.")

    def _turn_away(self, name: str, reason: str) -> None:
        note(f"{name}: {reason}")
        self._foreign.append({"file": name, "reason": reason})

    def _count(self, name: str, finding: Finding) -> None:
        self._counts[finding.outcome] += 1
        self._counts["turns"] += finding.turns
        self._counts["events"] += finding.events
        if not finding.reason:
            return
        if self._counts["refused"] <= _SAID:
            note(f"{name}:{finding.line}: {finding.reason}")
        if len(self._refused) < _LISTED:
            self._refused.append({"file": name, "line": finding.line, "reason": finding.reason})

    def stop(self) -> None:
        """Say what is on record where the import did not come to its end."""
        note(
            f"Stopped: {self._words()}. Every conversation is there whole or not at all; "
            "run the same command again to go on."
        )

    def report(self, *, as_json: bool) -> None:
        """The summary, and of the refused lines those that were not told."""
        if (more := self._counts["refused"] - _SAID) > 0:
            doubt = "" if self.did_something else _IS_IT_THAT
            note(f"And {counted(more, 'more line')} refused; --json lists them.{doubt}")
        if as_json:
            counts = {key: self._counts[key] for key in ("imported", "present", "refused", "turns", "events")}
            where = {"ledger": self._ledger, "agent": self._agent}
            write_json({**where, **counts, "refusedLines": self._refused, "refusedFiles": self._foreign})
            return
        screen = Screen()
        screen.line((self._words(), "bold" if self.did_something else "bold red"))
        screen.line((f"agent {one_line(self._agent, 80)}, ledger {one_line(self._ledger, 200)}", "dim"))

    def _words(self) -> str:
        counts = self._counts
        held = f"{counted(counts['turns'], 'turn')}, {counted(counts['events'], 'event')}"
        words = f"{counted(counts['imported'], 'conversation')} imported ({held})"
        there = "was" if counts["present"] == 1 else "were"
        words += f", {counts['present']:,} {there} there already" if counts["present"] else ""
        words += f", {counted(counts['refused'], 'line')} refused" if counts["refused"] else ""
        return words + (f", {counted(len(self._foreign), 'file')} refused" if self._foreign else "")


def _hint(kind: str) -> str:
    if "JSON" in kind:
        return "Put each transcript on a line of its own, for example with `jq -c`."
    if "database" in kind or "no text" in kind:
        return "Export the conversations as JSON lines first."
    return "`turnledger verify` reads it."
