"""``turnledger verify``: what holds, what does not, and what this proof does not cover."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path
from shutil import copyfileobj
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast
from uuid import UUID

import click

from turnledger.cli import complete
from turnledger.cli.headers import silence_words, verdict_style
from turnledger.cli.ledger import reading
from turnledger.cli.line import BAD, QUIET, WARN, counted
from turnledger.cli.moments import Zone
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.program import Status
from turnledger.cli.progress import progress
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, write_json
from turnledger.errors import LedgerCorruptError, LedgerError, UsageError
from turnledger.integrity.verdict import Reason, Verdict
from turnledger.model.vocabulary import JournalKind
from turnledger.query.findings import Finding, caveat_words, overall
from turnledger.query.left_out import SAVING
from turnledger.query.lookup import looks_like_id, resolve
from turnledger.query.silence import silent_since
from turnledger.query.verify import LEDGER_UNCOVERED, verify_conversation, verify_journal, verify_ledger
from turnledger.query.verify_file import verify_file
from turnledger.store.contract import Reader

__all__ = ["command"]

_ROWS: Final = 40
_IN_MEMORY: Final = 8 << 20


@click.command("verify")
@click.argument("targets", nargs=-1, metavar="[TARGET]...", shell_complete=complete.ids_or_files)
@click.option("--all", "whole", is_flag=True, help="The whole ledger.")
@click.option("--no-bodies", is_flag=True, help="Check the chains only: faster, and it says so.")
@json_option
@ledger_option
@click.pass_context
def command(
    context: click.Context,
    targets: tuple[str, ...],
    ledger: str | None,
    *,
    whole: bool,
    no_bodies: bool,
    as_json: bool,
) -> None:
    """Verify turns, conversations, files, or with --all the whole ledger.

    TARGET is the id of a turn or a conversation (its beginning is enough), a fixture or a journal file, or
    - for a file on stdin.  A conversation is verified with its turns.

    intact: what is there is as it was written.  broken: something was altered, put in or taken out, with the
    first event at fault.  malformed: something is not written as it must be.  What this proof cannot show is
    listed under `not checked`: intact does not mean that nothing is missing at an end.

    Exit status 1 where anything is broken or malformed, 3 where something could not be checked.
    """
    if whole == bool(targets):
        msg = (
            "Name what to verify, or say --all for the whole ledger; not both."
            if whole
            else "Name what to verify."
        )
        raise UsageError(msg, next_step="Such as `turnledger verify TURN`, `verify FILE` or `verify --all`.")
    with ExitStack() as stack:
        check = _Check(ledger, stack, bodies=not no_bodies)
        found = list(check.ledger() if whole else check.targets(targets))
        silent = check.silent()
    verdict = overall(found) if found else Verdict.EMPTY
    if as_json:
        results = [one.as_json() for one in found]
        write_json(
            {"results": results, "verdict": verdict.value, "notCovered": _uncovered(found, whole=whole)}
        )
    else:
        _show(found, verdict, silent, whole=whole)
    context.exit(_status(found))


def _status(found: Sequence[Finding]) -> Status:
    verdicts = {one.verdict for one in found}
    if verdicts & {Verdict.MALFORMED, Verdict.BROKEN, Verdict.EMPTY}:
        return Status.FOUND
    return Status.NOT_DONE if Verdict.NOT_CHECKED in verdicts else Status.OK


def _uncovered(found: Sequence[Finding], *, whole: bool) -> list[str]:
    gaps = [gap for one in found for gap in one.not_covered]
    return list(dict.fromkeys([*gaps, *(LEDGER_UNCOVERED if whole else ())]))


class _Check:
    """One run of the command; the ledger is opened when a target is first looked for in it."""

    def __init__(self, url: str | None, stack: ExitStack, *, bodies: bool) -> None:
        self._url = url
        self._stack = stack
        self._bodies = bodies
        self._reader: Reader | None = None

    def _opened(self) -> Reader:
        if self._reader is None:
            self._reader = self._stack.enter_context(reading(self._url))
        return self._reader

    def silent(self) -> dict[str, int]:
        """Id of each turn that shows no sign of life, and since when it shows none."""
        silent: Mapping[UUID, int] = {}
        with suppress(LedgerCorruptError):  # what cannot be read is told in the findings
            silent = {} if self._reader is None else silent_since(self._reader)
        return {str(turn): since for turn, since in silent.items()}

    def ledger(self) -> Iterator[Finding]:
        """All journals."""
        reader = self._opened()
        total: int | None = None
        with suppress(LedgerCorruptError):  # a finding of what follows
            total = sum(agent.conversations + agent.turns for agent in reader.agents())
        with progress("verifying journals", total) as advance:
            for found in verify_ledger(reader, bodies=self._bodies):
                yield Finding.of_journal(found)
                advance(1)

    def targets(self, targets: Sequence[str]) -> Iterator[Finding]:
        """Each target; one that cannot be checked does not keep the others from it."""
        for target in targets:
            try:
                if _is_file(target):
                    yield from self._file(target)
                else:
                    yield from self._journal(target)
            except LedgerError as error:
                if isinstance(error, UsageError) and len(targets) == 1:
                    raise
                yield Finding.unchecked(
                    target, "unknown", error.code, f"{error.message} {error.next_step}".strip()
                )
            except OSError as error:
                yield Finding.unchecked(target, "file", "unreadable", f"it cannot be read: {error.strerror}")

    def _file(self, target: str) -> Iterator[Finding]:
        name = "standard input" if target == "-" else Path(target).name
        with _rewindable(target) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(0)
            with progress(f"verifying {one_line(name, 40)}", size, in_bytes=True) as advance:
                yield from verify_file(target, stream, advance)

    def _journal(self, target: str) -> Iterator[Finding]:
        if not looks_like_id(target):
            msg = f"{target[:80]!r} is no file here, and no id."
            raise UsageError(msg, next_step="Give a file, or an id as `turnledger list` prints it.")
        reader = self._opened()
        named = resolve(reader, target)
        if named.kind == "turn":
            yield Finding.of_journal(verify_journal(reader, named.id, bodies=self._bodies))
            return
        with reader.snapshot():
            for found in verify_conversation(reader, named.id, bodies=self._bodies):
                yield Finding.of_journal(found)


@contextmanager
def _rewindable(target: str) -> Generator[BinaryIO]:
    """The file open for reading; what comes through a pipe, by way of the disk where it is long."""
    with nullcontext(sys.stdin.buffer) if target == "-" else Path(target).open("rb") as stream:
        if target != "-" and stream.seekable():
            yield stream
            return
        with SpooledTemporaryFile(_IN_MEMORY) as kept:
            copyfileobj(stream, kept)
            yield cast("BinaryIO", kept)


def _is_file(target: str) -> bool:
    return target == "-" or Path(target).exists()


# --- for people --------------------------------------------------------------------------------------


def _show(found: Sequence[Finding], verdict: Verdict, silent: Mapping[str, int], *, whole: bool) -> None:
    screen = Screen()
    if not found:
        screen.line(
            ("empty", verdict_style(verdict)), ("  the ledger holds no journal yet: nothing was checked", "")
        )
        return
    sound = [one for one in found if one.verdict >= Verdict.INTACT]
    shown = [one for one in found if one.verdict < Verdict.INTACT]
    if not whole and len(found) <= _ROWS:
        shown = list(found)
    for one in shown:
        _show_row(screen, one, silent.get(one.id or ""))
    if len(shown) < len(found):
        kinds = _kinds(sound)
        screen.line(("intact", verdict_style(Verdict.INTACT)), (f"  {kinds}", ""))
    _show_sum(screen, found, verdict, _uncovered(found, whole=whole))


def _kinds(found: Sequence[Finding]) -> str:
    kinds = {kind: sum(1 for one in found if one.kind == kind) for kind in {one.kind for one in found}}
    return ", ".join(
        counted(count, f"{kind} journal" if kind in set(JournalKind) else kind)
        for kind, count in sorted(kinds.items())
    )


def _show_row(screen: Screen, one: Finding, silent_since_ms: int | None) -> None:
    name = one.target if one.id in {None, one.target} else f"{one.target} ({one.id})"
    at = f"  at #{one.broken_at_seq}" if one.broken_at_seq >= 0 else ""
    screen.line(
        (f"{one.verdict.value.replace('_', ' '):<11}", verdict_style(one.verdict)),
        (f" {one.kind} {one_line(name)}", ""),
        (f"  {counted(one.events, 'event')}", QUIET),
        (at, BAD),
    )
    if one.verdict is not Verdict.INTACT:
        screen.prose((" " * 12, ""), one_line(one.explanation), BAD)
    for words in caveat_words(one.warnings):
        screen.prose((" " * 12, ""), words, WARN)
    if one.kind == JournalKind.TURN and silent_since_ms is not None:
        words = f"running{silence_words(silent_since_ms, Zone.named('local').stamp)}"
        screen.prose((" " * 12, ""), words, BAD)


def _show_sum(screen: Screen, found: Sequence[Finding], verdict: Verdict, uncovered: Sequence[str]) -> None:
    events = sum(one.events for one in found)
    counts = {
        key: sum(one.bodies.get(key, 0) for one in found) for key in ("checked", "pruned", "notChecked")
    }
    words = f"{counted(events, 'event')}, {counted(counts['checked'], 'body', 'bodies')} checked"
    words += f", {counted(counts['pruned'], 'body', 'bodies')} pruned" if counts["pruned"] else ""
    words += (
        f", {counted(counts['notChecked'], 'body', 'bodies')} not checked" if counts["notChecked"] else ""
    )
    bad = sum(1 for one in found if one.verdict < Verdict.INTACT)
    screen.line()
    screen.line((verdict.value.replace("_", " ").upper(), verdict_style(verdict)), (f"  {words}", ""))
    if any(one.reason == Reason.UNREADABLE and one.kind != "file" for one in found):
        screen.prose(("damaged: ", BAD), SAVING)
    if bad and len(found) > 1:
        screen.line((f"{bad} of {len(found)} are not intact", BAD))
    if uncovered:
        screen.prose(("not checked: ", WARN), ", ".join(uncovered), WARN)
        screen.prose(("             ", ""), "for these, compare with a checkpoint kept elsewhere", QUIET)
