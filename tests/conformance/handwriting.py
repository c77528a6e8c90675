"""Changes written by hand: what a planner would ask of an engine, without a planner."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg

from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind
from turnledger.model.vocabulary import JournalKind
from turnledger.store.body_writer import BodyWriter
from turnledger.store.contract import StoredBody
from turnledger.store.postgres import PostgresDatabase
from turnledger.store.projection import Projected, Projection
from turnledger.store.sqlite import SqliteDatabase
from turnledger.store.state import (
    AgentState,
    Changes,
    ConversationState,
    IdKind,
    JournalState,
    Leaf,
    NewBody,
    NewEvent,
    Wants,
)
from turnledger.wire.commitment import NO_PAYLOAD, payload_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turnledger.store.contract import Engine, Reader
    from turnledger.store.state import AliasKey, Found

HOLDER = UUID(int=0xB0B)


def database(url: str) -> SqliteDatabase | PostgresDatabase:
    """The store that a URL names."""
    return PostgresDatabase(url) if url.startswith("postgresql://") else SqliteDatabase(url)


def tamper(url: str, *statements: str) -> None:
    """Run statements behind the ledger's back, as another program's owner of the database can."""
    if url.startswith("postgresql://"):
        with psycopg.connect(url) as connection:
            for statement in statements:
                connection.execute(statement.encode())
        return
    with closing(sqlite3.connect(url)) as file, file:
        for statement in statements:
            file.execute(statement)


def digest(text: object) -> bytes:
    return hashlib.sha256(repr(text).encode()).digest()


@dataclass
class Change:
    """One transaction: look up what was asked for, change it, save it."""

    hand: Hand
    found: Found
    changes: Changes = field(default_factory=Changes)
    bodies: list[NewBody] = field(default_factory=list)

    def __post_init__(self) -> None:
        journals = self.found.journals
        self.projection = Projection(lambda turn: journals[turn].jid if turn in journals else None)

    def agent(self, name: str = "support") -> UUID:
        state = AgentState(
            self.hand.engine.next_id(IdKind.AGENT), new_id(), name, self.found.now_ms, new=True
        )
        self.found.agents[state.id] = self.changes.agents[state.aid] = state
        return state.id

    def alias(self, kind: AliasKind, scope: UUID, name: str, target: UUID) -> None:
        self.changes.aliases.append(((kind, scope, name), target))

    def conversation(
        self,
        agent: UUID,
        *,
        connector: str | None = "slack",
        shape: str = "thread",
        place: UUID | None = None,
    ) -> UUID:
        owner = self.found.agents[agent]
        state = ConversationState(
            self.hand.engine.next_id(IdKind.CONVERSATION),
            new_id(),
            owner.aid,
            self.found.now_ms,
            connector,
            shape,
            place,
            new=True,
        )
        self.found.conversations[state.id] = self.changes.conversations[state.cid] = state
        self._journal(JournalKind.CONVERSATION, state.id, agent, state, owner.conversations)
        owner.conversations += 1
        self.changes.agents[owner.aid] = owner
        self.event(state.id, "OPENED")
        return state.id

    def turn(self, conversation: UUID, trigger: str = "api") -> UUID:
        owner = self.found.conversations[conversation]
        agent = next(one for one in self.found.agents.values() if one.aid == owner.aid)
        turn = new_id()
        journal = self._journal(JournalKind.TURN, turn, agent.id, owner, agent.turns)
        agent.turns += 1
        self.changes.agents[agent.aid] = agent
        journal.holder, journal.epoch, journal.until_ms = HOLDER, 1, self.found.now_ms + 60_000
        self.event(conversation, "TURN_OPENED", f"turn={turn} trigger={trigger}")
        self.event(turn, "INTAKE", "messageChars=5")
        return turn

    def close(self, turn: UUID, status: str = "completed", more: str = "") -> None:
        journal = self.found.journals[turn]
        self.event(turn, "COMMIT", f"status={status} open=0")
        journal.closed, journal.until_ms = True, None
        assert journal.conversation is not None
        tail = f"events={journal.next_seq} head={journal.head.hex()} ms=1200"
        self.event(journal.conversation, "TURN_CLOSED", f"turn={turn} status={status} {more}{tail}")

    def event(
        self,
        journal: UUID,
        kind: str,
        tokens: str = "",
        bodies: dict[str, bytes] | None = None,
        over: dict[str, object] | None = None,
    ) -> UUID:
        """Append an event; ``over`` takes the place of any of its columns."""
        state = self.found.journals[journal]
        conversation = None if state.conversation is None else self.found.conversations[state.conversation]
        event_id = new_id()
        payload, salt = (bodies or {}).get("payload"), os.urandom(32)
        values: dict[str, object] = {
            "jid": state.jid,
            "seq": state.next_seq,
            "cid": state.cid,
            "position": None if conversation is None else conversation.next_position,
            "event_id": event_id,
            "type": kind,
            "payload_hash": NO_PAYLOAD if payload is None else payload_hash(payload, salt),
            "tokens": f"{tokens} assurance=w".strip(),
            "detail": b'{"id":"%s"}' % event_id.hex.encode(),
            "hash": digest((journal, state.next_seq)),
            "created_ms": self.found.now_ms,
        }
        values |= over or {}
        event = NewEvent(**values)  # type: ignore[arg-type]
        self.changes.events.append(event)
        state.next_seq, state.head, state.last_ms = event.seq + 1, event.hash, event.created_ms
        self.changes.journals[state.jid] = state
        if conversation is not None:
            conversation.next_position += 1
            self.changes.conversations[conversation.cid] = conversation
        self.bodies += [
            NewBody(state.jid, event.seq, slot, state.aid, (kind, slot), salt, data)
            for slot, data in (bodies or {}).items()
        ]
        in_turn = state.kind is JournalKind.TURN
        self.projection.add(
            Projected(
                state.jid,
                state.aid,
                state.cid,
                in_turn,
                event.seq,
                event.type,
                event.tokens,
                event.created_ms,
            )
        )
        return event.event_id

    def leaf(self, journal: UUID, kind: str, status: str) -> None:
        state = self.found.journals[journal]
        self.changes.leaves.append(
            Leaf(kind, state.jid, state.next_seq, state.head, status, self.found.now_ms)
        )

    def ledger_journal(self) -> UUID:
        """The ledger's own journal, of no agent and no conversation."""
        journal = new_id()
        self._add(
            JournalState(
                self.hand.engine.next_id(IdKind.JOURNAL),
                JournalKind.LEDGER,
                journal,
                0,
                NIL,
                None,
                None,
                0,
                new=True,
            )
        )
        return journal

    def _journal(
        self, kind: JournalKind, journal: UUID, agent: UUID, conversation: ConversationState, ordinal: int
    ) -> JournalState:
        return self._add(
            JournalState(
                self.hand.engine.next_id(IdKind.JOURNAL),
                kind,
                journal,
                conversation.aid,
                agent,
                conversation.cid,
                conversation.id,
                ordinal,
                new=True,
            )
        )

    def _add(self, state: JournalState) -> JournalState:
        self.found.journals[state.id] = self.changes.journals[state.jid] = state
        return state


class Hand:
    """A store and a hand that writes into it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.database = database(url)
        self.engine: Engine = self.database.engine()
        self.writer = BodyWriter(self.engine)
        self.projections: list[Projection] = []
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        if self._reader is None:
            self._reader = self.database.reader()
        return self._reader

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
        self.engine.close()

    def load(self, *ids: UUID, aliases: tuple[AliasKey, ...] = ()) -> Found:
        """What there is of these, read in a transaction that ends without a trace."""
        self.engine.begin()
        try:
            return self.engine.load(wants(*ids, aliases=aliases))
        finally:
            self.engine.rollback()

    @contextmanager
    def change(self, *ids: UUID) -> Iterator[Change]:
        """A transaction that is committed at the end of the block."""
        self.engine.begin()
        self.writer.begin()
        try:
            change = Change(self, self.engine.load(wants(*ids)))
            yield change
            stored = [self._store(body) for body in change.bodies]
            self.engine.save(change.changes, stored, change.projection)
            self.engine.commit()
        except BaseException:
            self.writer.rollback()
            self.engine.rollback()
            raise
        self.writer.commit()
        self.projections.append(change.projection)

    def _store(self, body: NewBody) -> StoredBody:
        planned = self.writer.plan(body.aid, body.lane, body.data)
        return StoredBody(body.jid, body.seq, body.slot, planned.size, body.salt, planned.recipe)

    def opened(self, name: str = "support") -> tuple[UUID, UUID, UUID]:
        """A new agent, a conversation of it, and a running turn."""
        with self.change() as change:
            agent = change.agent(name)
            conversation = change.conversation(agent)
            turn = change.turn(conversation)
        return agent, conversation, turn


def wants(*ids: UUID, aliases: tuple[AliasKey, ...] = ()) -> Wants:
    """Everything that these ids may be."""
    return Wants(set(ids), set(ids), set(ids), set(ids), set(aliases))
