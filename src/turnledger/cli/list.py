"""``turnledger list``: conversations or turns, latest first, a page at a time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from uuid import UUID

import click

from turnledger.cli import complete
from turnledger.cli.cost_words import cost_text, note_why_none
from turnledger.cli.damage_note import note_damage, note_unsound
from turnledger.cli.headers import conversation_title, conversation_tokens, silence_words, turn_tokens
from turnledger.cli.ledger import reading
from turnledger.cli.line import BAD, QUIET, counted, status_style
from turnledger.cli.moments import Zone, duration, time_column
from turnledger.cli.names import short
from turnledger.cli.options import json_option, ledger_option, zone_option
from turnledger.cli.program import Status
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, note, write_json
from turnledger.cli.unanswered import UnansweredPage, unanswered_page
from turnledger.clock import SYSTEM
from turnledger.errors import UsageError
from turnledger.model.costs import CostSums
from turnledger.model.rows import ConversationRow, DamagedRow, TurnRow
from turnledger.model.vocabulary import Shape, TurnStatus
from turnledger.query.cost_json import cost_object
from turnledger.query.left_out import left_out
from turnledger.query.lookup import find_agent, resolve
from turnledger.query.readable import unsound_records
from turnledger.query.row_json import instant, row_object
from turnledger.query.silence import silent_since
from turnledger.store.contract import ConversationFilter, Page, Reader, TurnFilter
from turnledger.store.costs import CostReader

__all__ = ["OF_CONVERSATIONS", "command"]

_OPEN, _WAITING, _FAILED, _OWES = OF_CONVERSATIONS = ("open", "waiting", "failed", "owes")
_WIDE: Final = 120
_CLASS, _ALL_COLUMNS = 24, 150  # what an error class has where all columns fit, and when they do
_LEAST_ID: Final = 18  # ids begin with their time, so many begin alike


@click.command("list")
@click.option("--turns", is_flag=True, help="Turns instead of conversations.")
@click.option(
    "--unanswered",
    is_flag=True,
    help="Messages that got no reply, and why: shed, failed, decided, superseded.",
)
@click.option(
    "--agent", metavar="NAME", shell_complete=complete.agents, help="Of this agent only (its name or id)."
)
@click.option(
    "--conversation",
    metavar="ID",
    shell_complete=complete.conversations,
    help="Turns or unanswered messages of this conversation only.",
)
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="STATUS",
    shell_complete=complete.statuses,
    help="Conversations: with a turn that is `open`, `waiting` for an approval, or `failed`, or that "
    "`owes` a reply to a message. Turns: running, waiting, completed, failed, superseded, exhausted, "
    "cancelled, refused or interrupted. May be given more than once.",
)
@click.option("--since", metavar="TIME", help="Not before: 2h, 3d, 2026-11-30, 2026-11-30T10:00+01:00.")
@click.option("--until", metavar="TIME", help="Before this time.")
@click.option("--connector", metavar="NAME", help="Conversations of this connector only.")
@click.option(
    "--shape", type=click.Choice([shape.value for shape in Shape]), help="Conversations of this shape."
)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True, help="Rows a page.")
@click.option("--after", metavar="KEY", help="Go on after a page; the key is printed under it.")
@zone_option
@json_option
@ledger_option
def command(
    ledger: str | None,
    *,
    turns: bool,
    unanswered: bool,
    as_json: bool,
    zone: Zone,
    limit: int,
    **filters: Any,  # noqa: ANN401  one field of Asked each
) -> None:
    """List conversations, or with --turns turns, latest first.

    The ids are what `show`, `verify` and `export` take; their beginning is enough.  state says how many of a
    conversation's turns are open or failed; tokens are input→output.

    Why did it not answer?  `list --status owes` shows conversations in which a message waits for a reply that
    nobody is at work on, `list --unanswered` each message without one and the reason on record.

    Rows that are damaged in the database are left out and named, and so is each listed record that cannot be
    read as it must be; the exit status is then 1.
    """
    asked = Asked(zone=zone, limit=limit, **filters)
    if turns and unanswered:
        msg = "--turns lists turns, --unanswered messages."
        raise UsageError(msg, next_step="Say one of them.")
    listed = _unanswered if unanswered else turn_page if turns else conversation_page
    with reading(ledger) as reader, reader.snapshot():
        page: ListPage | UnansweredPage = listed(reader, asked)
    if as_json:
        write_json(page.as_json())
    else:
        page.show(zone)
    status = note_unsound(page.unsound, page.what) if isinstance(page, ListPage) else Status.OK
    click.get_current_context().exit(max(status, note_damage(page.damaged)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options as they were given."""

    zone: Zone
    limit: int
    agent: str | None = None
    conversation: str | None = None
    statuses: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    connector: str | None = None
    shape: str | None = None
    after: str | None = None

    def moments(self) -> tuple[int | None, int | None]:
        """The half-open range of time, epoch milliseconds."""
        return self.zone.span(self.since, self.until, SYSTEM.epoch_ms())

    def page(self) -> Page:
        """The page, one row longer than shown to know whether there is more."""
        return Page(self.limit + 1, None if self.after is None else _key(self.after, 2))


def _key(text: str, parts: int) -> tuple[int, ...]:
    first, *rest = text.split(".")
    if len(rest) != parts - 1 or not all(part.isdecimal() for part in (first.removeprefix("-"), *rest)):
        msg = f"{text[:60]!r} is no key of a page."
        raise UsageError(msg, next_step="Copy it from the line under the page before.")
    return tuple(map(int, (first, *rest)))


@dataclass(frozen=True, slots=True)
class ListPage:
    """A page of rows, ready to be shown; ``key`` is where the next one begins.

    ``silent`` tells of turns that show no sign of life since when they show none, in epoch milliseconds;
    ``unsound`` what is wrong with the records of rows that cannot be read as they must be.
    """

    what: str
    rows: Sequence[ConversationRow | TurnRow]
    damaged: Sequence[DamagedRow]
    key: tuple[int, ...] | None
    costs: Mapping[UUID, CostSums]
    names: Mapping[UUID, str] = field(default_factory=dict[UUID, str])
    silent: Mapping[UUID, int] = field(default_factory=dict[UUID, int])
    unsound: Mapping[UUID, str] = field(default_factory=dict[UUID, str])

    def as_json(self) -> dict[str, object]:
        """The page in the form of the API's lists."""
        return {
            self.what: [
                {
                    **row_object(row),
                    **self._silence(row),
                    "cost": cost_object(self.costs.get(row.id)),
                    "damage": self.unsound.get(row.id),
                }
                for row in self.rows
            ],
            "damaged": None if (found := left_out(self.damaged)) is None else row_object(found),
            "hasMore": self.key is not None,
            "next": None if self.key is None else _key_text(self.key),
        }

    def _silence(self, row: ConversationRow | TurnRow) -> dict[str, object]:
        return {"silentSince": instant(self.silent.get(row.id))} if isinstance(row, TurnRow) else {}

    def show(self, zone: Zone) -> None:
        """Print a table, and under it whether that is all."""
        screen = Screen()
        if not self.rows:
            note(f"No {self.what} to list.")
            return
        ids = _shown_ids(screen, [str(row.id) for row in self.rows])
        if isinstance(self.rows[0], TurnRow):
            turns = [row for row in self.rows if isinstance(row, TurnRow)]
            _show_turns(screen, zone, turns, ids, self)
        else:
            conversations = [row for row in self.rows if isinstance(row, ConversationRow)]
            _show_conversations(screen, zone, conversations, ids, self)
        more = "all there are." if self.key is None else f"and there are more: --after {_key_text(self.key)}"
        note(f"{counted(len(self.rows), self.what.removesuffix('s'))}, {more}")
        note_why_none([self.costs.get(row.id) for row in self.rows if _has_calls(row)])


def _has_calls(row: ConversationRow | TurnRow) -> bool:
    if isinstance(row, TurnRow):
        return row.model_calls > 0
    return row.tokens_in is not None or row.tokens_out is not None


def _key_text(key: tuple[int, ...]) -> str:
    return ".".join(map(str, key))


def conversation_page(reader: Reader, asked: Asked) -> ListPage:
    """The conversations that were asked for."""
    if asked.conversation is not None:
        msg = "--conversation narrows a list of turns."
        raise UsageError(msg, next_step="Add --turns, or see `turnledger show CONVERSATION`.")
    unknown = set(asked.statuses) - set(OF_CONVERSATIONS)
    if unknown:
        said = _first(asked.statuses, unknown)
        msg = f"A conversation's status is {_OPEN}, {_WAITING}, {_FAILED} or {_OWES}, not {said}."
        of_turns = unknown <= set(TurnStatus)
        raise UsageError(
            msg,
            next_step="That is a status of turns: add --turns."
            if of_turns
            else f"Say one of {', '.join(OF_CONVERSATIONS)}; turns (--turns) have {', '.join(TurnStatus)}.",
        )
    since, until = asked.moments()
    where = ConversationFilter(
        agent=None if asked.agent is None else find_agent(reader, asked.agent),
        connector=asked.connector,
        shape=None if asked.shape is None else Shape(asked.shape),
        since_ms=since,
        until_ms=until,
        open_turns=_OPEN in asked.statuses,
        waiting_turns=_WAITING in asked.statuses,
        failed_turns=_FAILED in asked.statuses,
        owes_reply=_OWES in asked.statuses,
    )
    rows = reader.conversations(where, asked.page())
    more = len(rows) > asked.limit
    shown = rows[: asked.limit]
    key = reader.conversation_key(shown[-1]) if more else None
    costs = CostReader(lambda: reader).of_conversations([row.id for row in shown])
    unsound = unsound_records(reader, [row.id for row in shown])
    return ListPage("conversations", shown, rows.damaged, key, costs, unsound=unsound)


def _unanswered(reader: Reader, asked: Asked) -> UnansweredPage:
    """The unanswered messages that were asked for."""
    if asked.statuses or asked.connector is not None or asked.shape is not None:
        msg = "--status, --connector and --shape narrow other lists than --unanswered."
        raise UsageError(msg, next_step="Narrow messages by --agent, --conversation, --since and --until.")
    conversation = asked.conversation
    return unanswered_page(
        reader,
        None if asked.agent is None else find_agent(reader, asked.agent),
        None if conversation is None else resolve(reader, conversation, ("conversation",)).id,
        asked.moments(),
        Page(asked.limit + 1, None if asked.after is None else _key(asked.after, 3)),
    )


def _first(given: Sequence[str], unknown: Collection[str]) -> str:
    """The first of these that is unknown, quoted."""
    return repr(next(word for word in given if word in unknown)[:40])


def turn_page(reader: Reader, asked: Asked) -> ListPage:
    """The turns that were asked for."""
    if asked.connector is not None or asked.shape is not None:
        msg = "--connector and --shape narrow a list of conversations."
        raise UsageError(msg, next_step="Leave --turns out, or narrow turns by --conversation.")
    unknown = set(asked.statuses) - set(TurnStatus)
    if unknown:
        msg = f"{_first(asked.statuses, unknown)} is no status of a turn."
        raise UsageError(msg, next_step=f"Use one of: {', '.join(TurnStatus)}.")
    since, until = asked.moments()
    conversation = asked.conversation
    where = TurnFilter(
        agent=None if asked.agent is None else find_agent(reader, asked.agent),
        conversation=None if conversation is None else resolve(reader, conversation, ("conversation",)).id,
        statuses=frozenset(map(TurnStatus, asked.statuses)),
        since_ms=since,
        until_ms=until,
    )
    rows = reader.turns(where, asked.page())
    more = len(rows) > asked.limit
    shown = rows[: asked.limit]
    names = reader.names(list({row.conversation for row in shown}))
    costs = CostReader(lambda: reader).of_turns([row.id for row in shown])
    key = reader.turn_key(shown[-1]) if more else None
    unsound = unsound_records(reader, [row.id for row in shown])
    return ListPage("turns", shown, rows.damaged, key, costs, names, silent_since(reader), unsound)


# --- tables ------------------------------------------------------------------------------------------


def _shown_ids(screen: Screen, ids: Sequence[str]) -> list[str]:
    """Ids cut to what tells them apart; whole where nobody's terminal limits the line."""
    if screen.width is None:
        return list(ids)
    length = _LEAST_ID
    while length < len(ids[0]) and len({text[:length] for text in ids}) < len(ids):
        length += 1
    return [text[:length].rstrip("-") for text in ids]


def _table(screen: Screen, columns: Sequence[Column], give: str) -> None:
    """A table of the columns that there is room for; ``give`` is the one that is cut."""
    shown = [
        column
        for column in columns
        if not (column.wide and screen.width is not None and screen.width < _WIDE)
    ]
    names = [column.name for column in shown]
    rows = list(zip(*(column.cells for column in shown), strict=True))
    screen.table(names, rows, give=names.index(give))


class Column(NamedTuple):
    """A column of a table; a ``wide`` one is left out on a narrow terminal."""

    name: str
    cells: Sequence[tuple[str, str]]
    wide: bool = False


def _show_conversations(
    screen: Screen,
    zone: Zone,
    rows: Sequence[ConversationRow],
    ids: Sequence[str],
    page: ListPage,
) -> None:
    offset, time = time_column(zone, [row.last_ms for row in rows], narrow=screen.narrow)
    columns = [
        Column("id", [(shown, "bold") for shown in ids]),
        Column("state", [_marked(_state(row), row.id in page.unsound) for row in rows]),
        Column("agent", [(one_line(row.agent_name, 24), "") for row in rows]),
        Column("conversation", [(conversation_title(row), "") for row in rows]),
        Column("turns", [(f"{row.turns:>5,}", "") for row in rows], wide=True),
        Column("msgs", [(f"{row.messages:>4,}", "") for row in rows], wide=True),
        Column("tokens", [(conversation_tokens(row), "") for row in rows], wide=True),
        Column("cost", [(cost_text(page.costs.get(row.id), brief=True), "") for row in rows], wide=True),
        Column(f"last activity{offset}", [(time(row.last_ms), QUIET) for row in rows]),
    ]
    _table(screen, columns, "conversation")


def _marked(state: tuple[str, str], unsound: bool) -> tuple[str, str]:  # noqa: FBT001
    return (f"damaged, {state[0]}", BAD) if unsound else state


def _state(row: ConversationRow) -> tuple[str, str]:
    if row.waiting_turns:
        return f"{row.waiting_turns} waiting", status_style("waiting")
    if row.open_turns:
        return f"{row.open_turns} open", "cyan"
    if row.failed_turns:
        return f"{row.failed_turns} failed", status_style("failed")
    if row.owes_reply:
        return "owes a reply", "yellow"
    return ("ok", "green") if row.turns else ("no turn", QUIET)


def _show_turns(
    screen: Screen,
    zone: Zone,
    rows: Sequence[TurnRow],
    ids: Sequence[str],
    page: ListPage,
) -> None:
    silent = [page.silent.get(row.id) for row in rows]
    moments = [row.opened_ms for row in rows] + [since for since in silent if since is not None]
    offset, time = time_column(zone, moments, narrow=screen.narrow)
    room = None if screen.width is None else _CLASS + max(0, screen.width - _ALL_COLUMNS)
    states = [
        _turn_status(row, room) + silence_words(since, time) for row, since in zip(rows, silent, strict=True)
    ]
    keys = [one_line(page.names.get(row.conversation, short(row.conversation)), 60) for row in rows]
    columns = [
        Column("id", [(shown, "bold") for shown in ids]),
        Column(
            "status",
            [
                _marked((state, status_style(row.status)), row.id in page.unsound)
                for state, row in zip(states, rows, strict=True)
            ],
        ),
        Column("agent", [(one_line(row.agent_name, 24), "") for row in rows]),
        Column("conversation", [(key, "") for key in keys]),
        Column("took", [(_took(row), "") for row in rows]),
        Column("models", [(f"{row.model_calls:>6,}", "") for row in rows], wide=True),
        Column("tools", [(f"{row.tool_calls:>5,}", "") for row in rows], wide=True),
        Column("tokens", [(turn_tokens(row), QUIET) for row in rows], wide=True),
        Column("cost", [(_turn_cost(row, page.costs), "") for row in rows], wide=True),
        Column(f"opened{offset}", [(time(row.opened_ms), QUIET) for row in rows]),
    ]
    _table(screen, columns, "conversation")


def _turn_cost(row: TurnRow, costs: Mapping[UUID, CostSums]) -> str:
    return cost_text(costs.get(row.id), brief=True) if row.model_calls else "-"


def _took(row: TurnRow) -> str:
    if row.closed_ms is None:
        return "-"
    return "?" if row.ms is None else duration(row.ms)


def _turn_status(row: TurnRow, room: int | None) -> str:
    """The status, with an error class of at most ``room`` characters."""
    doubtful = f", {row.open_steps} in doubt" if row.open_steps > 0 and row.closed_ms is not None else ""
    return row.status + (f" {one_line(row.error_class, room)}" if row.error_class else "") + doubtful
