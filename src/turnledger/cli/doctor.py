"""``turnledger doctor``: whether a ledger is well, and what to do where it is not; what is recorded."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from turnledger.cli import complete
from turnledger.cli.adapters_view import show_adapters
from turnledger.cli.ledger import existing, ledger_file
from turnledger.cli.line import BAD, GOOD, QUIET, WARN, counted, size
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.program import Status
from turnledger.cli.progress import progress
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, write_json
from turnledger.cli.spool_view import forward_spool, spool_object, words_on_spool
from turnledger.engine.location import Database
from turnledger.engine.price_book import no_prices, price_book
from turnledger.engine.recorder import ask_server, is_server, server_label
from turnledger.engine.spooling import spool_file, spool_state
from turnledger.errors import ForeignFileError, LedgerCorruptError, LedgerError, LedgerUnavailableError
from turnledger.model.rows import DamagedRow
from turnledger.query.left_out import SAVING
from turnledger.query.row_json import row_object
from turnledger.store.contract import Reader
from turnledger.store.costs import CostReader
from turnledger.store.damage import find_damages
from turnledger.store.rebuild import Difference, count_conversations, differences, rebuild
from turnledger.store.spool import SpoolCounts
from turnledger.version import __version__

__all__ = ["command"]

_LOW_BYTES = 256 << 20
_SHOWN = 10
_FIELD = 12
_HELD = {"agents": "agent", "conversations": "conversation", "turns": "turn", "openTurns": "open turn"}


@click.command("doctor")
@click.option(
    "--rebuild", "wants_rebuild", is_flag=True, help="Build what lists are read from anew where it differs."
)
@click.option(
    "--forward", "wants_forward", is_flag=True, help="Forward what recorders left in the ledger's spool."
)
@click.option(
    "--spool",
    metavar="FILE",
    shell_complete=complete.file_names,
    help="The spool, if it is not the ledger's own.",
)
@click.option(
    "--adapters",
    "wants_adapters",
    is_flag=True,
    help="Instead of a ledger: which SDKs are installed, what of them is recorded, and how.",
)
@json_option
@ledger_option
@click.pass_context
def command(
    context: click.Context,
    ledger: str | None,
    *,
    wants_rebuild: bool,
    wants_forward: bool,
    spool: str | None,
    wants_adapters: bool,
    as_json: bool,
) -> None:
    """Look a ledger over: schema, guards, room, damaged rows, read models, turns without a sign of life.

    Read models are what lists are read from; they follow from the events and can be built anew.  Whether the
    events themselves are as they were written is for `turnledger verify`.  Exit status 1 where somebody has
    to do something.
    """
    if wants_adapters:
        if wants_rebuild or wants_forward or spool is not None:
            msg = "--adapters looks at no ledger: leave --rebuild, --forward and --spool out."
            raise click.UsageError(msg, context)
        context.exit(Status.OK if show_adapters(as_json=as_json) else Status.FOUND)
    database = None if is_server(ledger) else existing(ledger)
    if database is None and wants_rebuild:
        msg = "Read models are rebuilt where the ledger lies, not through a server."
        raise click.UsageError(msg, context)
    report = Report(server_label(ledger) if database is None else database.label)
    status = Status.FOUND
    try:
        if wants_forward:
            report.notes += forward_spool(report.ledger, ledger, spool)
        _look_at_spool(report, spool)
        if database is None:
            _ask_server(report, ledger)
        else:
            examine(report, database, ledger_file(ledger), wants_rebuild=wants_rebuild)
    except LedgerUnavailableError as error:  # the spool lies here, and is told of all the same
        _look_at_spool(report, spool)
        if report.spool is None:
            raise
        report.schema = "not known"
        report.problems.append(f"{error.message} {error.next_step}".strip())
        status = Status.NOT_DONE
    if as_json:
        write_json(report.as_json())
    else:
        _show(report)
    context.exit(Status.OK if report.is_well else status)


def _look_at_spool(report: Report, path: str | None) -> None:
    if report.spool is None:
        report.spool = spool_state(report.ledger, path)
        report.notes += words_on_spool(report.spool, path or str(spool_file(report.ledger)))


@dataclass(slots=True)
class Report:
    """What was found; ``problems`` need somebody, ``notes`` are worth knowing."""

    ledger: str
    ledger_id: str | None = None
    schema: str = "out of date"
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    bytes: int | None = None
    free_bytes: int | None = None
    damaged: list[DamagedRow] = field(default_factory=list[DamagedRow])
    found: list[Difference] = field(default_factory=list[Difference])
    is_rebuilt: bool = False
    spool: SpoolCounts | None = None
    prices: str | None = None

    @property
    def is_well(self) -> bool:
        """Whether nobody has to do anything."""
        return not self.problems

    def as_json(self) -> dict[str, object]:
        """All of it."""
        return {
            "ledger": self.ledger,
            "ledgerId": self.ledger_id,
            "version": __version__,
            "schema": self.schema,
            "ok": self.is_well,
            "problems": self.problems,
            "notes": self.notes,
            "damaged": [row_object(one) for one in self.damaged],
            "counts": self.counts,
            "bytes": self.bytes,
            "freeBytes": self.free_bytes,
            "prices": self.prices,
            "spool": None if self.spool is None else spool_object(self.spool),
            "readModels": {
                "differences": [row_object(one) for one in self.found],
                "rebuilt": self.is_rebuilt,
            },
        }


def _ask_server(report: Report, url: str | None) -> None:
    report.schema = "not known"
    report.notes.append("What it holds is looked over beside the server: run `turnledger doctor` there.")
    try:
        ask_server(url)
    except LedgerUnavailableError:
        raise
    except LedgerError as error:
        report.problems.append(f"{error.message} {error.next_step}".strip())


def examine(report: Report, database: Database, path: Path | None, *, wants_rebuild: bool) -> None:
    """Fill the report; only a rebuild changes anything."""
    if path is not None:
        _measure(report, path)
    try:
        missing = database.pending()
    except LedgerCorruptError as error:
        report.problems += [error.message, error.next_step]
        return
    if missing:
        names = ", ".join(f"{one.number:04d}_{one.slug}" for one in missing)
        report.problems.append(f"The schema lacks {names}: run `turnledger migrate`.")
        return
    reader = database.reader()
    try:
        _look(report, reader, database, wants_rebuild=wants_rebuild)
    except LedgerCorruptError as error:
        if error.message not in report.problems:
            report.problems.append(error.message)
        report.problems.append(SAVING)
    finally:
        reader.close()


def _look(report: Report, reader: Reader, database: Database, *, wants_rebuild: bool) -> None:
    report.schema = f"{reader.ask('list_migrations')[-1][0]:04d}"
    report.problems += reader.faults()
    report.ledger_id = str(reader.ledger_id())
    report.damaged = list(find_damages(reader))
    report.problems += _words_on_damage(report.damaged)
    _count(report, reader)
    _look_at_prices(report, reader)
    _try_writing(report, database)
    if not report.damaged:
        _compare(report, reader, database, wants_rebuild=wants_rebuild)


def _measure(report: Report, path: Path) -> None:
    files = [path, path.with_name(f"{path.name}-wal")]
    report.bytes = sum(file.stat().st_size for file in files if file.exists())
    report.free_bytes = shutil.disk_usage(path.parent).free
    if report.free_bytes < _LOW_BYTES:
        report.problems.append(f"Only {size(report.free_bytes)} are free on the disk of {path}.")


def _count(report: Report, reader: Reader) -> None:
    agents = reader.agents()
    silent = len(reader.leases(expired=True, limit=100_000))
    report.counts = {
        "agents": len(agents),
        "conversations": sum(agent.conversations for agent in agents),
        "turns": sum(agent.turns for agent in agents),
        "openTurns": len(reader.leases(expired=False, limit=100_000)),
        "expiredLeases": silent,
    }
    if silent:
        who = counted(silent, "open turn shows", "open turns show")
        report.notes.append(f"{who} no sign of life; the next recorder to open it interrupts them.")


def _look_at_prices(report: Report, reader: Reader) -> None:
    try:
        book = price_book()
    except ForeignFileError as error:
        report.problems.append(str(error))
        return
    report.prices = None if book.is_empty else book.version
    costs = CostReader(lambda: reader)
    if book.is_empty and any(costs.count_calls(agent.id, 0, None) for agent in reader.agents()):
        report.notes.append(str(no_prices()))


def _words_on_damage(rows: Sequence[DamagedRow]) -> list[str]:
    words = [f"The database is damaged: {row}, holds what it cannot." for row in rows[:_SHOWN]]
    if len(rows) > _SHOWN:
        words.append(f"And {counted(len(rows) - _SHOWN, 'more damaged row')}; --json lists all.")
    if rows:
        words.append("Restore these rows from a backup; `turnledger verify --all` says what still holds.")
    return words


def _try_writing(report: Report, database: Database) -> None:
    try:
        engine = database.engine()
        try:
            engine.begin()
            engine.rollback()
        finally:
            engine.close()
    except LedgerError as error:
        report.problems.append(f"It cannot be written: {error.message}")


def _compare(report: Report, reader: Reader, database: Database, *, wants_rebuild: bool) -> None:
    total = count_conversations(reader)
    with reader.snapshot(), progress("comparing conversations", total) as advance:
        report.found = list(differences(reader, advance))
    if report.found and wants_rebuild:
        engine = database.engine()
        try:
            with progress("rebuilding conversations", total) as advance:
                rebuild(reader, engine, advance)
        finally:
            engine.close()
        report.is_rebuilt = True
        with reader.snapshot():
            left = list(differences(reader, lambda _more: None))
        if left:
            report.problems.append(
                "The read models differ even after a rebuild: see `turnledger verify --all`."
            )
    elif report.found:
        report.problems.append("The read models differ from the events: run `turnledger doctor --rebuild`.")


# --- for people --------------------------------------------------------------------------------------


def _show(report: Report) -> None:
    screen = Screen()
    _field(screen, "ledger", one_line(report.ledger))
    _field(screen, "version", f"Turnledger {__version__}, schema {report.schema}")
    if report.bytes is not None and report.free_bytes is not None:
        _field(screen, "room", f"{size(report.bytes)} used, {size(report.free_bytes)} free")
    if report.counts:
        held = ", ".join(counted(report.counts[key], name) for key, name in _HELD.items())
        _field(screen, "holds", f"{held}, {report.counts['expiredLeases']:,} of them without a sign of life")
        _field(screen, "prices", report.prices or "none")
        _field(screen, "read models", _models(report))
    for one in report.found[:_SHOWN]:
        where = f"conversation {one.conversation}"
        screen.line(
            (f"{one.table}: {one.missing} missing, {one.wrong} wrong in {where}", WARN), indent=_FIELD
        )
    for words in report.notes:
        screen.prose(("note        ", WARN), one_line(words))
    for words in report.problems:
        screen.prose(("problem     ", BAD), one_line(words))
    screen.line(("well" if report.is_well else "not well", GOOD if report.is_well else BAD))


def _field(screen: Screen, name: str, words: str) -> None:
    screen.line((f"{name:<{_FIELD}}", QUIET), (words, ""))


def _models(report: Report) -> str:
    if report.damaged:
        return "not compared: they follow from rows that are damaged"
    if not report.found:
        return "as the events say"
    tables = counted(len(report.found), "difference")
    return f"{tables} found, rebuilt" if report.is_rebuilt else f"{tables} found"
