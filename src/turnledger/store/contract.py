"""The store's contract: what an engine owes the append path, and what a reader owes everybody else.

An engine is one write connection of one database.  It is used by one thread at a time (the writer's)
and knows nothing of chains, leases or grammar: those are the planner's.  A reader is safe to use from
many threads and never writes.  An implementation that passes ``tests/conformance`` is a store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from uuid import UUID

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
from turnledger.model.vocabulary import JournalKind, Shape, TurnStatus
from turnledger.store.projection import Projection
from turnledger.store.state import Changes, Found, IdKind, Wants

__all__ = [
    "BodyContent",
    "ConversationFilter",
    "Engine",
    "Listener",
    "Page",
    "Reader",
    "Rebuilder",
    "RecordedBody",
    "RecordedEvent",
    "RecordedJournal",
    "RowConflictError",
    "StoredBody",
    "TurnFilter",
]


class RowConflictError(Exception):
    """A unique key was taken by another writer, or the database asks for a retry; stays in the store.

    The engine MUST have changed nothing when it raises this; the appender rolls back and plans again.
    """


class StoredBody(NamedTuple):
    """A slot ready for its row: the recipe that rebuilds its ``size`` bytes from parts."""

    jid: int
    seq: int
    slot: str
    size: int
    salt: bytes
    recipe: bytes


class Engine(Protocol):
    """One write connection.

    Order of calls in a transaction: ``begin``, ``load``, any number of ``next_id``, ``find_parts``,
    ``add_part``, then ``save``, then ``commit`` (or ``rollback`` at any point).  After an error other
    than RowConflictError the caller MUST call ``rollback`` before anything else.
    """

    def begin(self) -> None:
        """Start a transaction that may write.

        SQLite: holds the write lock when it returns.  Raises LedgerBusyError when another program held it
        longer than the configured wait, LedgerUnavailableError when there is no reaching or writing it.
        """
        ...

    def load(self, wants: Wants) -> Found:
        """Read what there is of ``wants``.

        Rows found are locked against other writers until the transaction ends, in the order conversations,
        journals, agents, each by id, so that two writers never deadlock.  An engine may answer from memory
        instead where it checks before it writes, under these locks, that all of it is still so.
        A conversation's journal has the conversation's own id; asking for a conversation loads both states.
        """
        ...

    def next_id(self, kind: IdKind) -> int:
        """A small key never given before; may come from a block reserved earlier (holes are fine)."""
        ...

    def find_parts(self, aid: int, keys: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        """``(key, part id, stored data)`` of all the agent's parts under these 64-bit keys."""
        ...

    def add_part(self, aid: int, key: int, data: bytes, size: int) -> int:
        """Queue a part for insertion and return its id; the row is written by ``save`` at the latest."""
        ...

    def save(self, changes: Changes, bodies: Sequence[StoredBody], projection: Projection) -> None:
        """Write everything: states, aliases, events, bodies, leaves, conflicts, then the projections.

        Raises RowConflictError where a unique key is taken.
        """
        ...

    def commit(self) -> None:
        """Make the transaction durable: when this returns the data survives a crash of the machine.

        Raises RowConflictError where it is worth planning again: the database asked for it, or the
        connection broke in the middle and event ids will tell what is there.  Raises LedgerUnavailableError
        where certainly nothing was written (disk full).  After any other error the state is unknown and
        the writer stops for good: it never retries blindly.
        """
        ...

    def rollback(self) -> None:
        """End the transaction without a trace; never raises on a dead connection."""
        ...

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """Own transaction: extend the leases of ``(turn, epoch)`` that still hold; give the lost ones.

        A parked turn (waiting) stays parked and is not lost.
        """
        ...

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """Own transaction: take over a turn that is parked or ran out; None where somebody holds it."""
        ...

    def change(self, statement: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """Own transaction: run a named statement on tables that are no journal's, and give its rows."""
        ...

    def change_each(self, statement: str, rows: Sequence[Sequence[object]]) -> list[list[tuple[Any, ...]]]:
        """The same with each of these rows of values, in the order of the statement's parameters, or none."""
        ...

    def notify(self) -> None:
        """After a commit: tell other processes that there is something new (coalesced; may do nothing)."""
        ...

    def rebuilding(self) -> AbstractContextManager[Callable[[Projection], None]]:
        """One transaction around a rebuild of the read models.

        Empties them on entry, gives a function that applies a projection, commits on a clean exit.
        """
        ...

    def close(self) -> None:
        """Give the connection back; idempotent."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A keyset page: rows beyond ``after``, the key of the last row of the page before."""

    limit: int = 50
    after: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationFilter:
    """Which conversations; None leaves a field open.  Times bound ``last_ms``, half-open.

    ``owes_reply``: with an inbound message that was shed, that no decision or no turn followed, or whose turn
    ended without a result, and that got no reply: none that names it, none after it that names no message.
    """

    agent: UUID | None = None
    connector: str | None = None
    shape: Shape | None = None
    place: UUID | None = None
    actor: UUID | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    open_turns: bool = False
    waiting_turns: bool = False
    failed_turns: bool = False
    owes_reply: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFilter:
    """Which turns; every field narrows, None leaves open.  Times bound the opening, half-open."""

    agent: UUID | None = None
    conversation: UUID | None = None
    statuses: frozenset[TurnStatus] = field(default_factory=frozenset)
    since_ms: int | None = None
    until_ms: int | None = None


class RecordedJournal(NamedTuple):
    """A journal row as it lies in the database; ``positions`` is the next place of its conversation."""

    kind: str
    id: bytes
    agent: bytes | None
    conversation: bytes | None
    ordinal: int
    events: int
    head: bytes
    positions: int | None


class RecordedEvent(NamedTuple):
    """An event row as it lies in the database: nothing is parsed, nothing is trusted; text is UTF-8 bytes."""

    seq: object
    type: object
    payload_hash: object
    tokens: object
    detail: object
    hash: object
    created_ms: object
    event_id: object
    position: object


class RecordedBody(NamedTuple):
    """A body row as it lies in the database."""

    seq: int
    slot: str
    size: int
    salt: bytes | None
    recipe: bytes | None


class BodyContent(Protocol):
    """One body, read lazily."""

    size: int
    salt: bytes

    def read(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Chunks of bytes ``start`` to ``stop`` (end where None); memory stays bounded by one chunk."""
        ...


class Listener(Protocol):
    """Waits for news of appends, of this program and of all others."""

    def wait(self, seconds: float) -> bool:
        """Return True as soon as there may be something new, False after ``seconds`` without, or once closed.

        For one thread.  News can be missed while the ledger cannot be reached: look now and then anyway.
        """
        ...

    def close(self) -> None:
        """End a running ``wait`` and give the connection back; for any thread.  Idempotent."""
        ...


class Rebuilder(Protocol):
    """Follows recipes.  Raises LedgerCorruptError for a damaged recipe, and for a part missing or damaged."""

    def read_all(self, recipes: Iterable[bytes]) -> Iterator[tuple[int, Iterable[bytes]]]:
        """For each recipe in order how many bytes it stands for, and these in pieces; fetched together."""
        ...

    def heads(self, wanted: Sequence[tuple[bytes, int]]) -> list[bytes | None]:
        """For each ``(recipe, stop)`` the first ``stop`` bytes, fetched together; None for a damaged one."""
        ...


class Reader(Protocol):
    """Read access.  Lists give at most ``limit`` rows; ask for one more to know whether there is more.

    ``Rows`` name damaged rows beside the sound ones; all else raises DamagedRowError.
    """

    def ledger_id(self) -> UUID:
        """Id of this ledger, made with it."""
        ...

    def alias(self, kind: AliasKind, scope: UUID, name: str) -> UUID | None:
        """What an outside name stands for."""
        ...

    def names(self, targets: Sequence[UUID]) -> dict[UUID, str]:
        """Outside names of these ids, as far as they have one that was not erased."""
        ...

    def agents(self) -> Rows[AgentRow]:
        """All agents by name."""
        ...

    def conversations(self, where: ConversationFilter, page: Page) -> Rows[ConversationRow]:
        """Latest activity first; page key ``(last_ms, small key)`` as in ``conversation_key``."""
        ...

    def conversation(self, conversation: UUID) -> ConversationRow | None:
        """One conversation."""
        ...

    def conversation_key(self, row: ConversationRow) -> tuple[int, ...]:
        """The page key of a row."""
        ...

    def turns(self, where: TurnFilter, page: Page) -> Rows[TurnRow]:
        """Latest opening first; page key as in ``turn_key``."""
        ...

    def turn(self, turn: UUID) -> TurnRow | None:
        """One turn."""
        ...

    def turn_key(self, row: TurnRow) -> tuple[int, ...]:
        """The page key of a row."""
        ...

    def messages(self, conversation: UUID, after_seq: int, limit: int) -> Rows[MessageRow]:
        """Messages of a conversation in order, from beyond ``after_seq`` (-1 for all)."""
        ...

    def memory(
        self, agent: UUID, entry: UUID | None, conversation: UUID | None, limit: int
    ) -> Rows[MemoryRow]:
        """Revisions of memory entries, newest first."""
        ...

    def leases(self, *, expired: bool, limit: int) -> Rows[LeaseRow]:
        """Leases of open turns; with ``expired`` only those that ran out by the database's clock."""
        ...

    def lost_calls(self, limit: int) -> Rows[LostCall]:
        """Calls outside any turn that show no sign of life by the database's clock."""
        ...

    def journal(self, journal_id: UUID) -> JournalRow | None:
        """Head of a journal."""
        ...

    def journals(self, kind: JournalKind | None, after: UUID | None, limit: int) -> Rows[JournalRow]:
        """All journals in the order they were opened, from beyond ``after``."""
        ...

    def event(self, event_id: UUID) -> EventRow | None:
        """One event."""
        ...

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """Events of a journal in order from ``start_seq`` on."""
        ...

    def step_events(self, journal_id: UUID, start_seq: int, limit: int) -> list[StepEvent]:
        """The events of a journal from ``start_seq`` on that its steps and sums are made of, in order."""
        ...

    def flow(
        self, conversation: UUID, *, after: int | None, before: int | None, limit: int
    ) -> Rows[EventRow]:
        """Events of a conversation and its turns by position, ascending.

        From beyond ``after``; or, with ``before``, the last ``limit`` ones short of it.
        """
        ...

    def since(self, cursor: int, limit: int, agent: UUID | None) -> tuple[Rows[EventRow], int]:
        """Events of all agents (or one) beyond ``cursor``, and the cursor to go on from.

        Never skips an event that commits late.
        """
        ...

    def head_cursor(self) -> int:
        """The cursor behind the newest event, for following from now on."""
        ...

    def body(self, event_id: UUID, slot: str) -> BodyContent | BodyRow | None:
        """A body; its row where it was pruned or erased; None where the event has no such slot."""
        ...

    def recorded_journals(self, journal_ids: Sequence[UUID]) -> list[RecordedJournal]:
        """Rows of those of these journals that there are, in this order."""
        ...

    def recorded_events(self, journal_id: UUID) -> Iterator[list[tuple[Any, ...]]]:
        """Rows of a journal by seq in portions, each with the columns of ``RecordedEvent``."""
        ...

    def recorded_bodies(self, journal_id: UUID) -> Iterator[list[tuple[Any, ...]]]:
        """Body rows of a journal by seq and slot in portions, each with the columns of ``RecordedBody``."""
        ...

    def rebuilder(self) -> Rebuilder:
        """What rebuilds bodies, with a memory of some MB; for one thread inside a snapshot."""
        ...

    def strays(self) -> int:
        """How many journals are named by events or bodies and do not exist."""
        ...

    def find(self, prefix: str, limit: int) -> list[tuple[str, UUID]]:
        """``("turn" | "conversation" | "agent" | "event", id)`` of ids that begin with this text."""
        ...

    def ask(self, statement: str, **params: object) -> list[tuple[Any, ...]]:
        """Rows of a named statement: the door for rooms of the store that read other tables."""
        ...

    def ask_each(self, statement: str, keys: Sequence[tuple[object, ...]]) -> list[tuple[Any, ...]]:
        """Rows of a named statement for each key (values in the order of its parameters), in one go."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Reads inside see one state of the database."""
        ...

    def faults(self) -> list[str]:
        """What is wrong with the database's guards: missing triggers, failed integrity check, conflicts."""
        ...

    def close(self) -> None:
        """Give connections back; idempotent."""
        ...
