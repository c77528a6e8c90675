"""The reader of both engines: the store's read contract over named statements."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
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
    MemoryRow,
    MessageRow,
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
_REBUILDER_BYTES = 8 << 20
_FIRST_MS, _LAST_MS = -(2**63), 2**63 - 1

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

    def agents(self) -> list[AgentRow]:
        """See ``contract.Reader``."""
        return sorted(map(sql_rows.agent_row, self._all("list_agents")), key=lambda row: (row.name, row.id))

    def conversations(self, where: ConversationFilter, page: Page) -> list[ConversationRow]:
        """See ``contract.Reader``."""
        statement = "list_conversations"
        if where.actor is not None:
            statement = "list_conversations_of_actor"
        elif where.agent is not None:
            statement = "list_conversations_of_agent"
        before_ms, before_cid = _before(where.until_ms, page.after)
        rows = self._all(
            statement,
            any=_ANY,
            agent=_bytes(where.agent),
            actor=_bytes(where.actor),
            connector=where.connector or "",
            shape=str(where.shape or ""),
            place=_bytes(where.place),
            open_turns=int(where.open_turns),
            failed_turns=int(where.failed_turns),
            since_ms=_FIRST_MS if where.since_ms is None else where.since_ms,
            before_ms=before_ms,
            before_cid=before_cid,
            limit=page.limit,
        )
        return [sql_rows.conversation_row(row) for row in rows]

    def conversation(self, conversation: UUID) -> ConversationRow | None:
        """See ``contract.Reader``."""
        return _mapped(
            sql_rows.conversation_row, self._one("get_conversation", conversation=conversation.bytes)
        )

    def conversation_key(self, row: ConversationRow) -> tuple[int, ...]:
        """See ``contract.Reader``."""
        return row.last_ms, self._all("get_conversation_key", conversation=row.id.bytes)[0][0]

    def turns(self, where: TurnFilter, page: Page) -> list[TurnRow]:
        """See ``contract.Reader``."""
        statuses: list[TurnStatus | None] = [*sorted(where.statuses)] or [None]
        lists = [self._turns(where, page, status) for status in statuses]
        merged = heapq.merge(*lists, key=lambda row: (row[8], row[23]), reverse=True)
        return [sql_rows.turn_row(row) for row, _ in zip(merged, range(page.limit), strict=False)]

    def _turns(self, where: TurnFilter, page: Page, status: TurnStatus | None) -> list[Row]:
        statement = "list_turns"
        if where.conversation is not None:
            statement = "list_turns_of_conversation"
        elif status is not None:
            statement = "list_turns_with_status"
        elif where.agent is not None:
            statement = "list_turns_of_agent"
        before_ms, before_jid = _before(where.until_ms, page.after)
        return self._all(
            statement,
            any=_ANY,
            agent=_bytes(where.agent),
            conversation=_bytes(where.conversation),
            status=str(status or ""),
            since_ms=_FIRST_MS if where.since_ms is None else where.since_ms,
            before_ms=before_ms,
            before_jid=before_jid,
            limit=page.limit,
        )

    def turn(self, turn: UUID) -> TurnRow | None:
        """See ``contract.Reader``."""
        return _mapped(sql_rows.turn_row, self._one("get_turn", turn=turn.bytes))

    def turn_key(self, row: TurnRow) -> tuple[int, ...]:
        """See ``contract.Reader``."""
        return row.opened_ms, self._all("get_journal_key", journal=row.id.bytes)[0][0]

    def messages(self, conversation: UUID, after_seq: int, limit: int) -> list[MessageRow]:
        """See ``contract.Reader``."""
        rows = self._all("list_messages", conversation=conversation.bytes, after_seq=after_seq, limit=limit)
        return [sql_rows.message_row(conversation, row) for row in rows]

    def memory(
        self, agent: UUID, entry: UUID | None, conversation: UUID | None, limit: int
    ) -> list[MemoryRow]:
        """See ``contract.Reader``."""
        rows = self._all(
            "list_memory" if entry is None else "list_memory_of_entry",
            any=_ANY,
            agent=agent.bytes,
            entry=_bytes(entry),
            conversation=_bytes(conversation),
            limit=limit,
        )
        return [sql_rows.memory_row(row) for row in rows]

    def leases(self, *, expired: bool, limit: int) -> list[LeaseRow]:
        """See ``contract.Reader``."""
        rows = self._all("list_leases", expired=int(expired), now_ms=self._session.now_ms(), limit=limit)
        return [lease_row(row) for row in rows]

    # --- journals ------------------------------------------------------------------------------

    def journal(self, journal_id: UUID) -> JournalRow | None:
        """See ``contract.Reader``."""
        return _mapped(sql_rows.journal_row, self._one("get_journal", journal=journal_id.bytes))

    def journals(self, kind: JournalKind | None, after: UUID | None, limit: int) -> list[JournalRow]:
        """See ``contract.Reader``."""
        key: Row | None = (-1,)
        if after is not None:
            key = self._one("get_journal_key", journal=after.bytes)
        if key is None:
            return []
        rows = self._all("list_journals", after_jid=key[0], kind=str(kind or ""), limit=limit)
        return [sql_rows.journal_row(row) for row in rows]

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``contract.Reader``."""
        return _mapped(sql_rows.event_row, self._one("get_event", event=event_id.bytes))

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``contract.Reader``."""
        rows = self._all("list_events", journal=journal_id.bytes, start_seq=start_seq, limit=limit)
        return [sql_rows.event_row(row) for row in rows]

    def flow(
        self, conversation: UUID, *, after: int | None, before: int | None, limit: int
    ) -> list[EventRow]:
        """See ``contract.Reader``; with both bounds, the last ``limit`` ones between them."""
        rows = self._all(
            "list_flow_after" if before is None else "list_flow_before",
            conversation=conversation.bytes,
            after=-1 if after is None else after,
            before=before,
            limit=limit,
        )
        return [sql_rows.event_row(row) for row in (rows if before is None else reversed(rows))]

    def since(self, cursor: int, limit: int, agent: UUID | None) -> tuple[list[EventRow], int]:
        """See ``contract.Reader``."""
        with self._session.snapshot():
            head = self.head_cursor()
            rows = self._all(
                "list_events_since", any=_ANY, agent=_bytes(agent), cursor=cursor, head=head, limit=limit
            )
        events = [sql_rows.event_row(row) for row in rows]
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
        return self._session.portions("list_recorded_events", {"journal": journal_id.bytes})

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
        return self._session.portions("list_recorded_bodies", {"journal": journal_id.bytes})

    def rebuilder(self) -> BodyReader:
        """See ``contract.Reader``."""
        return BodyReader(self._parts, kept_bytes=_REBUILDER_BYTES)

    def _parts(self, ids: Collection[int]) -> dict[int, bytes]:
        return dict(self._session.each("get_parts", [(pid,) for pid in ids]))

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
