"""The reader of both engines: the store's read contract over named statements."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from itertools import islice
from operator import itemgetter
from typing import Protocol, TypeVar
from uuid import UUID

from turnledger.errors import LedgerUnavailableError
from turnledger.model.draft import AliasKind
from turnledger.model.rows import (
    AgentRow,
    BodyRow,
    ConversationRow,
    EventRow,
    JournalRow,
    LeaseRow,
    LostCall,
    MemoryRow,
    MessageRow,
    Rows,
    StepEvent,
    TurnRow,
)
from turnledger.model.vocabulary import JournalKind, TurnStatus
from turnledger.store import sql_rows
from turnledger.store.body_reader import BodyReader
from turnledger.store.contract import (
    BodyContent,
    ConversationFilter,
    Page,
    RecordedJournal,
    TurnFilter,
)
from turnledger.store.sql_mapping import Row, Values, alias_values, lease_row, name_text

__all__ = ["ReadSession", "SqlReader"]

_ANY = b""
_ALL = 2**62
_REBUILDER_BYTES = 8 << 20
_FIRST_MS, _LAST_MS = -(2**63), 2**63 - 1
_LAST_PART = 2**63 - 1
_PLACE: Callable[[Row], int] = itemgetter(11)
_CURSOR: Callable[[Row], int] = itemgetter(13)
_CONVERSATION_KEY: Callable[[Row], tuple[int, int]] = itemgetter(8, 18)
_TURN_KEY: Callable[[Row], tuple[int, int]] = itemgetter(8, 23)

_T = TypeVar("_T")


class ReadSession(Protocol):
    """What an engine gives the reader.  Safe to use from many threads; never writes.

    A statement's rows are what its text says; ids, digests and outside names are bytes.
    """

    def rows(self, statement: str, params: Mapping[str, object]) -> Iterator[Row]:
        """Rows of one statement; ``params`` may hold more than it uses."""
        ...

    def portions(self, statement: str, params: Mapping[str, object]) -> Iterator[list[Row]]:
        """The same, streamed: a few hundred rows at a time."""
        ...

    def each(self, statement: str, keys: Sequence[Values]) -> Iterator[Row]:
        """Rows of one statement for any of these keys (values in the order of its parameters)."""
        ...

    def parts(self, ids: Sequence[int]) -> Iterator[Row]:
        """Ids and stored data of those of these parts that there are."""
        ...

    def now_ms(self) -> int:
        """The clock that leases run by, where it is not the database's own (unused there)."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Reads of this thread inside see one state; may be nested."""
        ...

    def faults(self) -> list[str]:
        """What is wrong with the schema or the file, in sentences."""
        ...

    def close(self) -> None:
        """Give connections back; idempotent."""
        ...


class _Content:
    """See ``contract.BodyContent``."""

    def __init__(self, bodies: BodyReader, size: int, salt: bytes, recipe: bytes) -> None:
        self.size = size
        self.salt = salt
        self._bodies = bodies
        self._recipe = recipe

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        return self._bodies.read(self._recipe, start, stop)


class SqlReader:
    """See ``contract.Reader``."""

    def __init__(self, session: ReadSession) -> None:
        self._session = session
        self._bodies = BodyReader(self._parts)

    def _all(self, statement: str, **params: object) -> list[Row]:
        return list(self._session.rows(statement, params))

    def _one(self, statement: str, **params: object) -> Row | None:
        rows = self._all(statement, **params)
        return rows[0] if rows else None

    # --- names ---------------------------------------------------------------------------------

    def ledger_id(self) -> UUID:
        """See ``contract.Reader``."""
        row = self._one("get_ledger_id")
        if row is None:
            msg = "The ledger is being made at this moment and has no id yet."
            raise LedgerUnavailableError(msg, next_step="Try again.")
        return UUID(bytes=row[0])

    def alias(self, kind: AliasKind, scope: UUID, name: str) -> UUID | None:
        """See ``contract.Reader``."""
        for row in self._session.each("find_aliases", [alias_values(kind, scope, name)]):
            return UUID(bytes=row[3])
        return None

    def names(self, targets: Sequence[UUID]) -> dict[UUID, str]:
        """See ``contract.Reader``."""
        keys = [(target.bytes,) for target in targets]
        return {
            UUID(bytes=target): name_text(name) for target, name in self._session.each("list_names", keys)
        }

    def find(self, prefix: str, limit: int) -> list[tuple[str, UUID]]:
        """See ``contract.Reader``."""
        digits = prefix.replace("-", "")
        try:
            low, high = UUID(digits.ljust(32, "0")), UUID(digits.ljust(32, "f"))
        except ValueError:
            return []
        if not str(low).startswith(prefix):
            return []
        rows = self._all("find_ids", low=low.bytes, high=high.bytes, limit=limit)
        return [(kind, UUID(bytes=found)) for kind, found in rows]

    # --- read models ---------------------------------------------------------------------------

    def agents(self) -> Rows[AgentRow]:
        """See ``contract.Reader``."""
        found = sql_rows.listed(sql_rows.agent_row, self._all("list_agents"))
        found.sort(key=lambda row: (row.name, row.id))
        return found

    def conversations(self, where: ConversationFilter, page: Page) -> Rows[ConversationRow]:
        """See ``contract.Reader``."""
        statement = "list_conversations"
        if where.actor is not None:
            statement = "list_conversations_of_actor"
        elif where.place is not None:
            statement = "list_conversations_in_place"
        elif where.agent is not None:
            statement = "list_conversations_of_agent"

        def rows(before: tuple[int, int]) -> list[Row]:
            return self._all(
                statement,
                any=_ANY,
                agent=_bytes(where.agent),
                actor=_bytes(where.actor),
                connector=where.connector or "",
                shape=str(where.shape or ""),
                place=_bytes(where.place),
                open_turns=int(where.open_turns),
                waiting_turns=int(where.waiting_turns),
                failed_turns=int(where.failed_turns),
                owes_reply=int(where.owes_reply),
                since_ms=_FIRST_MS if where.since_ms is None else where.since_ms,
                before_ms=before[0],
                before_cid=before[1],
                limit=page.limit,
            )

        start = _before(where.until_ms, page.after)
        return sql_rows.filled(sql_rows.conversation_row, rows, _CONVERSATION_KEY, start, page.limit)

    def conversation(self, conversation: UUID) -> ConversationRow | None:
        """See ``contract.Reader``."""
        return _mapped(
            sql_rows.conversation_row, self._one("get_conversation", conversation=conversation.bytes)
        )

    def conversation_key(self, row: ConversationRow) -> tuple[int, ...]:
        """See ``contract.Reader``."""
        return row.last_ms, self._all("get_conversation_key", conversation=row.id.bytes)[0][0]

    def turns(self, where: TurnFilter, page: Page) -> Rows[TurnRow]:
        """See ``contract.Reader``."""
        statuses: list[TurnStatus | None] = [*sorted(where.statuses)] or [None]

        def rows(before: tuple[int, int]) -> list[Row]:
            lists = [self._turns(where, before, page.limit, status) for status in statuses]
            return list(islice(heapq.merge(*lists, key=_TURN_KEY, reverse=True), page.limit))

        start = _before(where.until_ms, page.after)
        return sql_rows.filled(sql_rows.turn_row, rows, _TURN_KEY, start, page.limit)

    def _turns(
        self, where: TurnFilter, before: tuple[int, int], limit: int, status: TurnStatus | None
    ) -> list[Row]:
        statement = "list_turns"
        if where.conversation is not None:
            statement = "list_turns_of_conversation"
        elif status is not None and (where.agent is None or status is not TurnStatus.COMPLETED):
            statement = "list_turns_with_status"  # those that are no rule: they are few, whosever they are
        elif where.agent is not None:
            statement = "list_turns_of_agent"
        return self._all(
            statement,
            any=_ANY,
            agent=_bytes(where.agent),
            conversation=_bytes(where.conversation),
            status=str(status or ""),
            since_ms=_FIRST_MS if where.since_ms is None else where.since_ms,
            before_ms=before[0],
            before_jid=before[1],
            limit=limit,
        )

    def turn(self, turn: UUID) -> TurnRow | None:
        """See ``contract.Reader``."""
        return _mapped(sql_rows.turn_row, self._one("get_turn", turn=turn.bytes))

    def turn_key(self, row: TurnRow) -> tuple[int, ...]:
        """See ``contract.Reader``."""
        return row.opened_ms, self._all("get_journal_key", journal=row.id.bytes)[0][0]

    def messages(self, conversation: UUID, after_seq: int, limit: int) -> Rows[MessageRow]:
        """See ``contract.Reader``."""

        def rows(after: int) -> list[Row]:
            return self._all("list_messages", conversation=conversation.bytes, after_seq=after, limit=limit)

        make = partial(sql_rows.message_row, conversation)
        return sql_rows.filled(make, rows, itemgetter(0), after_seq, limit)

    def memory(
        self, agent: UUID, entry: UUID | None, conversation: UUID | None, limit: int
    ) -> Rows[MemoryRow]:
        """See ``contract.Reader``."""
        rows = self._all(
            "list_memory" if entry is None else "list_memory_of_entry",
            any=_ANY,
            agent=agent.bytes,
            entry=_bytes(entry),
            conversation=_bytes(conversation),
            limit=limit,
        )
        return sql_rows.listed(sql_rows.memory_row, rows)

    def leases(self, *, expired: bool, limit: int) -> Rows[LeaseRow]:
        """See ``contract.Reader``."""
        rows = self._all("list_leases", expired=int(expired), now_ms=self._session.now_ms(), limit=limit)
        return sql_rows.listed(lease_row, rows)

    def lost_calls(self, limit: int) -> Rows[LostCall]:
        """See ``contract.Reader``."""
        rows = self._all("list_lost_calls", now_ms=self._session.now_ms(), limit=limit)
        return sql_rows.listed(sql_rows.lost_call, rows)

    # --- journals ------------------------------------------------------------------------------

    def journal(self, journal_id: UUID) -> JournalRow | None:
        """See ``contract.Reader``."""
        return _mapped(sql_rows.journal_row, self._one("get_journal", journal=journal_id.bytes))

    def journals(self, kind: JournalKind | None, after: UUID | None, limit: int) -> Rows[JournalRow]:
        """See ``contract.Reader``."""
        key: Row | None = (-1,)
        if after is not None:
            key = self._one("get_journal_key", journal=after.bytes)
        if key is None:
            return Rows()

        def rows(after: int) -> list[Row]:
            return self._all("list_journals", after_jid=after, kind=str(kind or ""), limit=limit)

        return sql_rows.filled(sql_rows.journal_row, rows, itemgetter(7), key[0], limit)

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``contract.Reader``."""
        return _mapped(sql_rows.event_row, self._one("get_event", event=event_id.bytes))

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``contract.Reader``."""
        rows = self._all("list_events", journal=journal_id.bytes, start_seq=start_seq, limit=limit)
        return [sql_rows.event_row(row) for row in rows]

    def step_events(self, journal_id: UUID, start_seq: int, limit: int) -> list[StepEvent]:
        """See ``contract.Reader``."""
        rows = self._all("list_step_events", journal=journal_id.bytes, start_seq=start_seq, limit=limit)
        return [sql_rows.step_event(row) for row in rows]

    def flow(
        self, conversation: UUID, *, after: int | None, before: int | None, limit: int
    ) -> Rows[EventRow]:
        """See ``contract.Reader``; with both bounds, the last ``limit`` ones between them."""
        first = -1 if after is None else after
        if before is None:

            def rows_after(place: int) -> list[Row]:
                return self._all("list_flow_after", conversation=conversation.bytes, after=place, limit=limit)

            return sql_rows.filled(sql_rows.event_row, rows_after, _PLACE, first, limit)

        def rows_before(place: int) -> list[Row]:
            return self._all(
                "list_flow_before", conversation=conversation.bytes, after=first, before=place, limit=limit
            )

        found = sql_rows.filled(sql_rows.event_row, rows_before, _PLACE, before, limit)
        found.reverse()
        return found

    def since(self, cursor: int, limit: int, agent: UUID | None) -> tuple[Rows[EventRow], int]:
        """See ``contract.Reader``."""

        def rows(beyond: int) -> list[Row]:
            return self._all(
                "list_events_since", any=_ANY, agent=_bytes(agent), cursor=beyond, head=head, limit=limit
            )

        with self._session.snapshot():
            head = self.head_cursor()
            events = sql_rows.filled(sql_rows.event_row, rows, _CURSOR, cursor, limit)
        return events, events[-1].cursor if len(events) == limit and events else max(cursor, head)

    def head_cursor(self) -> int:
        """See ``contract.Reader``."""
        return int(self._all("get_head_cursor")[0][0])

    def recorded_journals(self, journal_ids: Sequence[UUID]) -> list[RecordedJournal]:
        """See ``contract.Reader``."""
        keys = [(journal_id.bytes,) for journal_id in journal_ids]
        return [RecordedJournal(*row) for row in self.ask_each("get_recorded_journal", keys)]

    def recorded_events(self, journal_id: UUID) -> Iterator[list[Row]]:
        """See ``contract.Reader``."""
        return self._session.portions("list_recorded_events", {"journal": journal_id.bytes, "limit": _ALL})

    def strays(self) -> int:
        """See ``contract.Reader``."""
        return int(self._all("count_strays")[0][0])

    # --- bodies --------------------------------------------------------------------------------

    def body(self, event_id: UUID, slot: str) -> BodyContent | BodyRow | None:
        """See ``contract.Reader``."""
        row = self._one("get_body", event=event_id.bytes, slot=slot)
        if row is None:
            return None
        size, salt, recipe = row
        if salt is None or recipe is None:
            return BodyRow(slot, size, present=False)
        return _Content(self._bodies, size, salt, recipe)

    def recorded_bodies(self, journal_id: UUID) -> Iterator[list[Row]]:
        """See ``contract.Reader``."""
        return self._session.portions("list_recorded_bodies", {"journal": journal_id.bytes, "limit": _ALL})

    def rebuilder(self) -> BodyReader:
        """See ``contract.Reader``."""
        return BodyReader(self._parts, kept_bytes=_REBUILDER_BYTES)

    def _parts(self, ids: Collection[int]) -> dict[int, bytes]:
        # A damaged recipe may name one that no column can hold: it is missing as any other that is not there.
        return dict(self._session.parts([pid for pid in ids if pid <= _LAST_PART]))

    # --- the database --------------------------------------------------------------------------

    def ask(self, statement: str, **params: object) -> list[Row]:
        """See ``contract.Reader``."""
        return self._all(statement, **params)

    def ask_each(self, statement: str, keys: Sequence[Values]) -> list[Row]:
        """See ``contract.Reader``."""
        return list(self._session.each(statement, keys)) if keys else []

    def snapshot(self) -> AbstractContextManager[None]:
        """See ``contract.Reader``."""
        return self._session.snapshot()

    def faults(self) -> list[str]:
        """See ``contract.Reader``."""
        conflicts = self._all("count_conflicts")[0][0]
        found = self._session.faults()
        if conflicts:
            found.append(f"{conflicts} event ids came again with other content (see table conflicts).")
        return found

    def close(self) -> None:
        """See ``contract.Reader``."""
        self._session.close()


def _bytes(value: UUID | None) -> bytes:
    return _ANY if value is None else value.bytes


def _mapped(make: Callable[[Row], _T], row: Row | None) -> _T | None:
    return None if row is None else make(row)


def _before(until_ms: int | None, after: tuple[int, ...] | None) -> tuple[int, int]:
    """The key that rows must be below: the page's start, or the end of the time asked for."""
    bounds = [(_LAST_MS, _LAST_MS)]
    if until_ms is not None:
        bounds.append((until_ms, _FIRST_MS))
    if after is not None:
        bounds.append((after[0], after[1]))
    return min(bounds)
