"""``turnledger tail``: what agents do, as it happens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import click

from turnledger.cli import complete
from turnledger.cli.damage_note import note_damage
from turnledger.cli.event_lines import EventLines
from turnledger.cli.ledger import reading
from turnledger.cli.moments import Zone
from turnledger.cli.names import Names, short
from turnledger.cli.options import json_option, ledger_option, zone_option
from turnledger.cli.program import Status
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, note, write_json
from turnledger.cli.story import Story
from turnledger.cli.timeline_view import TimelineView, room_of
from turnledger.clock import SYSTEM
from turnledger.errors import LedgerUnavailableError, UsageError
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.rows import EventRow, Rows
from turnledger.query.following import cursor_at
from turnledger.query.lookup import find_agent, resolve
from turnledger.query.prev_hashes import PrevHashes
from turnledger.query.row_json import event_object
from turnledger.query.timeline import Entry, entries_of
from turnledger.store.contract import Reader

__all__ = ["command"]

_POLL_S: Final = 0.2
_RETRY_S: Final = 2.0
_PAGE: Final = 500
_AGENT, _KEY, _NARROW_KEY = 10, 20, 12


@dataclass(frozen=True, slots=True)
class Scope:
    """What is followed: an agent, a conversation, a turn, or with none of them everything."""

    agent: UUID | None = None
    conversation: UUID | None = None
    turn: UUID | None = None

    def holds(self, entry: Entry) -> bool:
        """Whether the event belongs to it."""
        if self.turn is not None:
            return entry.row.journal.id == self.turn
        return self.conversation is None or entry.row.conversation == self.conversation


@click.command("tail")
@click.argument("target", required=False, shell_complete=complete.ids)
@click.option(
    "--agent",
    metavar="NAME",
    shell_complete=complete.agents,
    help="Follow this agent only (its name or id).",
)
@click.option("--since", metavar="TIME", help="Begin in the past: 5m, 2h, 2026-11-30T10:00.")
@click.option(
    "--after", type=click.IntRange(min=0), metavar="CURSOR", help="Go on behind an event that was seen."
)
@click.option("--no-follow", is_flag=True, help="End when everything there is has been shown.")
@zone_option
@json_option
@ledger_option
def command(
    target: str | None,
    agent: str | None,
    since: str | None,
    after: int | None,
    zone: Zone,
    ledger: str | None,
    *,
    no_follow: bool,
    as_json: bool,
) -> None:
    """Follow what is recorded: of TARGET (a turn or a conversation), of an agent, or of all.

    A turn is shown from its beginning and followed to its end; all else from now on.
    With --json each event is one line; its `cursor` is what --after takes.
    """
    if target is not None and agent is not None:
        msg = "Either a target or --agent: a turn or conversation has one agent."
        raise UsageError(msg, next_step="Leave one of them out.")
    if since is not None and after is not None:
        msg = "Either --since or --after."
        raise UsageError(msg, next_step="Leave one of them out.")
    moment = None if since is None else zone.parse(since, SYSTEM.epoch_ms())
    with reading(ledger) as reader:
        scope = _scope(reader, target, agent)
        cursor = after
        if cursor is None:
            cursor = _beginning(reader, scope) if moment is None else cursor_at(reader, moment, scope.agent)
        show = _json_shower(reader) if as_json else _text_shower(reader, zone, scope)
        tail = Tail(reader, scope, cursor)
        try:
            if not (as_json or no_follow):
                note("Following; Ctrl-C ends it.")
            for entry in tail.entries(follow=not no_follow):
                show(entry)
        except KeyboardInterrupt:
            note(f"Stopped. Go on where it was with --after {tail.cursor}.")
            click.get_current_context().exit(Status.INTERRUPTED)


def _scope(reader: Reader, target: str | None, agent: str | None) -> Scope:
    if agent is not None:
        return Scope(agent=find_agent(reader, agent))
    if target is None:
        return Scope()
    named = resolve(reader, target)
    if named.kind == "conversation":
        row = reader.journal(named.id)
        return Scope(agent=None if row is None else row.agent, conversation=named.id)
    turn = reader.journal(named.id)
    return Scope(agent=None if turn is None else turn.agent, turn=named.id)


def _beginning(reader: Reader, scope: Scope) -> int:
    """Where to begin when nothing is said: a turn at its first event, all else now."""
    first = [] if scope.turn is None else reader.events(scope.turn, 0, 1)
    return first[0].cursor - 1 if first else reader.head_cursor()


class Tail:
    """Events of a scope beyond a cursor, for as long as they come."""

    def __init__(self, reader: Reader, scope: Scope, cursor: int) -> None:
        self._reader = reader
        self._scope = scope
        self.cursor = cursor
        """Behind the last event that was given."""

    def entries(self, *, follow: bool) -> Iterator[Entry]:
        """The events; ends with the turn that is followed, or without ``follow`` when there are no more."""
        before_ms: int | None = None
        while True:
            rows, beyond = self._look()
            for entry in entries_of(rows, before_ms):
                if self._scope.holds(entry):
                    yield entry
                    if self._scope.turn is not None and entry.row.type in FINAL_TYPES:
                        return
                self.cursor = entry.row.cursor
            note_damage(rows.damaged)
            if rows:
                before_ms = rows[-1].created_ms
            self.cursor = max(self.cursor, beyond)
            if len(rows) < _PAGE:
                if not follow:
                    return
                SYSTEM.sleep(_POLL_S)

    def _look(self) -> tuple[Rows[EventRow], int]:
        """A page of events; where the connection is lost, once it is there again."""
        lost = False
        while True:
            try:
                found = self._reader.since(self.cursor, _PAGE, self._scope.agent)
            except LedgerUnavailableError as error:
                if not lost:
                    note(f"{error.message} Trying again.")
                lost = True
                SYSTEM.sleep(_RETRY_S)
                continue
            if lost:
                note(f"Resumed behind {self.cursor}: nothing was missed.")
            return found


def _json_shower(reader: Reader) -> Callable[[Entry], None]:
    before = PrevHashes(reader)
    return lambda entry: write_json(event_object(reader, entry, prev_hash=before.of(entry.row)), lines=True)


def _text_shower(reader: Reader, zone: Zone, scope: Scope) -> Callable[[Entry], None]:
    screen = Screen()
    room = room_of(screen)
    names = Names(reader)
    story = Story(reader, EventLines(reader, names, room), room, {})
    view = TimelineView(screen, zone, with_brackets=scope.conversation is not None)
    agents = {row.id: row.name for row in reader.agents()}
    is_one = scope.turn is not None or scope.conversation is not None
    key_cells = _NARROW_KEY if screen.narrow else _KEY

    def where(entry: Entry) -> str:
        if is_one:
            return ""
        agent = agents.get(entry.row.agent)
        if agent is None:
            agents.update({row.id: row.name for row in reader.agents()})
            agent = agents.get(entry.row.agent, short(entry.row.agent))
        conversation = entry.row.conversation
        key = "" if conversation is None else names.of(str(conversation), "conversation") or ""
        return f"{one_line(agent, _AGENT):<{_AGENT}} {one_line(key, key_cells):<{key_cells}} "

    def show(entry: Entry) -> None:
        view.show_line(story.single(entry), before=where(entry))
        screen.flush()

    return show
