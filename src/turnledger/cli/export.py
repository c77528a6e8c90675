"""``turnledger export``: journals as JSON lines, or a turn as a fixture."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import click

from turnledger.cli import complete
from turnledger.cli.damage_note import note_cut, note_damage
from turnledger.cli.ledger import reading
from turnledger.cli.line import counted, size
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.output_file import output
from turnledger.cli.program import Status
from turnledger.cli.progress import progress
from turnledger.cli.screen import note, write_json
from turnledger.clock import SYSTEM
from turnledger.errors import LedgerCorruptError, UsageError
from turnledger.model.rows import DamagedRow, JournalRow
from turnledger.query.exporting import (
    Exported,
    conversation_journals,
    every_journal,
    journal_lines,
    turn_fixture,
)
from turnledger.query.lookup import resolve
from turnledger.store.contract import Reader
from turnledger.wire.fixture import file_name, fixture_bytes

__all__ = ["command"]


@click.command("export")
@click.argument("target", required=False, shell_complete=complete.ids)
@click.option("--all", "whole", is_flag=True, help="Every journal of the ledger.")
@click.option("--fixture", is_flag=True, help="The turn as a fixture, for replay in a test.")
@click.option("--bodies", is_flag=True, help="With bodies and their salts (in a fixture secrets are masked).")
@click.option("--salts", is_flag=True, help="Fixture with salts, so that arguments can be compared by hash.")
@click.option(
    "-o",
    "--output",
    "place",
    default="-",
    metavar="FILE",
    shell_complete=complete.file_names,
    help="File or folder.  [default: - (stdout)]",
)
@json_option
@ledger_option
@click.pass_context
def command(
    context: click.Context,
    target: str | None,
    place: str,
    ledger: str | None,
    *,
    whole: bool,
    fixture: bool,
    bodies: bool,
    salts: bool,
    as_json: bool,
) -> None:
    """Write journals as JSON lines (turnledger.journal/1), one event a line.

    TARGET is the id of a turn or a conversation as `turnledger list` prints it, or its beginning; a
    conversation brings all its turns.  A journal is the list of a turn's or a conversation's own events, each
    hashed over the one before: `turnledger verify FILE` checks it anywhere, without the ledger.

    What is written is JSON in any case; --json says on stdout what went where, and needs -o.
    """
    if whole == (target is not None):
        msg = "Name a turn or a conversation, or say --all; not both."
        raise UsageError(msg, next_step="See `turnledger list` for what there is.")
    if fixture and whole:
        msg = "A fixture is made of one turn, and --all names them all."
        raise UsageError(msg, next_step="Give the turn's id in place of --all.")
    if salts and not fixture:
        msg = "--salts belongs to a fixture; a journal has its salts with --bodies."
        raise UsageError(msg, next_step="Give the turn's id with --fixture.")
    if as_json and place == "-":
        msg = "--json and the export cannot both go to stdout."
        raise UsageError(msg, next_step="Name a file with -o.")
    with reading(ledger) as reader, reader.snapshot():
        export = _Export(reader, bodies=bodies, goes_on=whole)
        if target is None:
            export.journals(_into(place, "ledger.jsonl"), every_journal(reader, export.left_out), None)
        elif fixture:
            export.fixture(place, resolve(reader, target, ("turn",)).id, salts=salts)
        else:
            export.target(place, target)
    if as_json:
        write_json(export.report())
    elif place != "-":
        note(f"{export.place}: {counted(export.events, 'event')}, {size(export.bytes)}")
    if export.is_broken:
        note(f"The chain of turn {export.broken_turn} does not hold, and the fixture says so.")
        context.exit(Status.FOUND)
    context.exit(max(note_damage(export.left_out), note_cut(export.cut)))


def _into(place: str, name: str) -> str:
    """``place``, or the file of that name in it where it is a folder; one written ``folder/`` is made."""
    if place.endswith(("/", os.sep)):
        Path(place).mkdir(parents=True, exist_ok=True)
    return str(Path(place) / name) if place != "-" and Path(place).is_dir() else place


class _Export:
    """One run of the command, and what it wrote."""

    def __init__(self, reader: Reader, *, bodies: bool, goes_on: bool) -> None:
        self._reader = reader
        self._bodies = bodies
        self._goes_on = goes_on  # behind what cannot be read: an export of all saves what is left
        self.place = ""
        self.events = 0
        self.journal_count = 0
        self.bytes = 0
        self.is_broken = False
        self.broken_turn: UUID | None = None
        self.left_out: list[DamagedRow] = []
        self.cut: list[str] = []

    def target(self, place: str, target: str) -> None:
        named = resolve(self._reader, target)
        row = self._reader.journal(named.id)
        rows = iter([row] if row is not None and named.kind == "turn" else [])
        if named.kind == "conversation":
            rows = conversation_journals(self._reader, named.id)
        self.journals(_into(place, f"{named.kind}-{named.id}.jsonl"), rows, None)

    def journals(self, place: str, rows: Iterator[JournalRow], total: int | None) -> None:
        self.place = place
        now, beside = SYSTEM.epoch_ms(), Exported()
        with output(place) as stream, progress("exporting events", total, wanted=place != "-") as advance:
            for row in self._readable(rows):
                try:
                    for line in journal_lines(self._reader, row, now, bodies=self._bodies, beside=beside):
                        self.bytes += stream.write(line)
                except LedgerCorruptError as error:
                    if not self._goes_on:
                        raise
                    self.cut.append(f"{row.journal.kind} {row.journal.id}: {error.message}")
                self.journal_count += 1
                self.events += row.events
                advance(row.events)

    def _readable(self, rows: Iterator[JournalRow]) -> Iterator[JournalRow]:
        try:
            yield from rows
        except LedgerCorruptError as error:
            if not self._goes_on:
                raise
            self.cut.append(f"the list of journals: {error.message}")

    def fixture(self, place: str, turn: UUID, *, salts: bool) -> None:
        self.place = _into(place, file_name(turn))
        made = turn_fixture(self._reader, turn, SYSTEM.epoch_ms(), salts=salts, bodies=self._bodies)
        with output(self.place) as stream:
            self.bytes = stream.write(fixture_bytes(made))
        self.events, self.journal_count = len(made.events), 1
        self.is_broken = made.chain["serverIntact"] is not True
        self.broken_turn = turn

    def report(self) -> dict[str, object]:
        return {
            "file": self.place,
            "journals": self.journal_count,
            "events": self.events,
            "bytes": self.bytes,
            "cut": self.cut,
        }
