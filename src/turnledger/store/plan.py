"""Where appends are decided: places, chains, leases, duplicates.  Pure: it sees states, never a database.

A batch is planned whole or not at all; what it changed is put back if one of its drafts is refused,
so that a bad record never breaks its neighbours.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from functools import partial
from uuid import UUID

from turnledger.ids import NIL, derived_id
from turnledger.integrity.chain import event_hash
from turnledger.model.draft import (
    ARRIVED_AT_MOST,
    AliasKind,
    Arrived,
    Batch,
    BatchResult,
    BatchStatus,
    Claim,
    Draft,
    Lease,
    Placed,
    Refusal,
)
from turnledger.model.events import Approval, ModelCall, ModelResult, TurnClosed
from turnledger.model.registry import FINAL_TYPES
from turnledger.model.tokens import read_token
from turnledger.model.vocabulary import ApprovalDecision, Assurance, JournalKind, TurnStatus
from turnledger.store.admission import assurance_of, opening_of, problem_of
from turnledger.store.projection import Projected, Projection
from turnledger.store.state import (
    AgentState,
    Changes,
    Conflict,
    ConversationState,
    Found,
    IdKind,
    JournalState,
    Leaf,
    LiveCall,
    NewArrival,
    NewBody,
    NewEvent,
    SeenEvent,
    Wants,
)
from turnledger.store.undo import Undo
from turnledger.wire.commitment import NO_PAYLOAD
from turnledger.wire.details import encode_detail

__all__ = ["LEDGER_AGENT_KEY", "Planner", "wants_of"]

LEDGER_AGENT_KEY = 0

_EXTENDING = frozenset({ModelCall.TYPE, ModelResult.TYPE})
"""Types whose bodies tend to extend the one before: requests carry the history, replies a frame."""
_PLACES = 1 << 53


def wants_of(batches: Iterable[Batch]) -> Wants:
    """Everything that planning these batches needs to look at."""
    wants = Wants()
    for batch in batches:
        if batch.arrived is not None:
            wants.journals.add(batch.arrived.journal)
        if batch.claim is not None:
            wants.aliases.add((batch.claim.kind, batch.claim.scope, batch.claim.name))
            if batch.claim.scope != NIL and batch.claim.kind is not AliasKind.MESSAGE:
                wants.agents.add(batch.claim.scope)
        for draft in batch.drafts:
            wants.journals.add(draft.journal.id)
            wants.events.add(draft.event_id)
            if draft.agent != NIL:
                wants.agents.add(draft.agent)
            if draft.conversation is not None:
                wants.conversations.add(draft.conversation)
    return wants


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal, reason: str) -> None:
        super().__init__(reason)
        self.refusal = refusal
        self.reason = reason


def _is_parked(draft: Draft, journal: JournalState) -> bool:
    """A turn is parked from the question of an approval to its decision, whatever is said in between."""
    if draft.type == Approval.TYPE:
        return f"decision={ApprovalDecision.REQUESTED}" in draft.tokens
    return journal.until_ms is None and journal.next_seq > 0


def _said_twice(batch: Batch) -> BatchResult | None:
    if len({draft.event_id for draft in batch.drafts}) == len(batch.drafts):
        return None
    reason = "The batch holds one event id twice."
    return BatchResult(BatchStatus.REFUSED, refusal=Refusal.GRAMMAR, reason=reason)


def _jid_of(found: Found, turn: UUID) -> int | None:
    journal = found.journals.get(turn)
    return None if journal is None else journal.jid


class Planner:
    """Plans the batches of one transaction in order; ``changes`` and ``projection`` are what to write."""

    def __init__(self, found: Found, next_id: Callable[[IdKind], int]) -> None:
        self._found = found
        self._next_id = next_id
        self.changes = Changes()
        self._undo = Undo(self.changes)
        self.projection = Projection(partial(_jid_of, found))

    # --- a batch -------------------------------------------------------------------------------

    def place(self, batch: Batch) -> BatchResult:
        """Plan one batch.  Never raises for what the batch holds; the result says what became of it."""
        if batch.arrived is not None:
            return self._arrive(batch, batch.arrived)
        repeated = self._repeated(batch)
        if repeated is not None:
            return repeated
        if batch.claim is not None:
            key = (batch.claim.kind, batch.claim.scope, batch.claim.name)
            owner = self._found.aliases.get(key)
            if owner is not None:
                return BatchResult(BatchStatus.EXISTING, target=owner)
        self._undo = Undo(self.changes)
        first = len(self.changes.events)
        try:
            if batch.claim is not None:
                self._claim(batch.claim)
            placed = tuple([self._append(draft) for draft in batch.drafts])
        except _RefusedError as refused:
            self._undo.back()
            return BatchResult(BatchStatus.REFUSED, refusal=refused.refusal, reason=refused.reason)
        self._accept(self.changes.events[first:])
        target = None if batch.claim is None else batch.claim.target
        return BatchResult(BatchStatus.APPENDED, placed, target)

    def _arrive(self, batch: Batch, arrived: Arrived) -> BatchResult:
        """Plan to keep bytes of a reply that still arrives, under the guards of an event of its turn.

        Outside any turn they are a sign of life of their own call.
        """
        try:
            journal = self._arriving_in(batch, arrived)
        except _RefusedError as refused:
            return BatchResult(BatchStatus.REFUSED, refusal=refused.refusal, reason=refused.reason)
        until_ms = self._found.now_ms + arrived.lease.ttl_ms
        if journal.kind is JournalKind.CONVERSATION:
            self.changes.live.append(LiveCall(journal.jid, arrived.call, until_ms))
        else:
            journal.until_ms = None if journal.until_ms is None else until_ms
            self.changes.journals[journal.jid] = journal
        if arrived.data:
            self.changes.arrivals.append(NewArrival(journal.jid, arrived.call, arrived.start, arrived.data))
        return BatchResult(BatchStatus.APPENDED)

    def _arriving_in(self, batch: Batch, arrived: Arrived) -> JournalState:
        if batch.drafts or batch.claim is not None or not 0 <= arrived.start < _PLACES:
            reason = "What arrived of a reply has a place in it, and is sent by itself."
            raise _RefusedError(Refusal.GRAMMAR, reason)
        if len(arrived.data) > ARRIVED_AT_MOST + 1:  # the first byte says how they are packed
            reason = f"At most {ARRIVED_AT_MOST} bytes of a reply are kept at once."
            raise _RefusedError(Refusal.TOO_LARGE, reason)
        journal = self._found.journals.get(arrived.journal)
        if journal is None or journal.kind is JournalKind.LEDGER:
            reason = f"There is no turn or conversation {arrived.journal}; it has to be opened first."
            raise _RefusedError(Refusal.UNKNOWN_JOURNAL, reason)
        self._check_owner(journal, arrived.agent, arrived.conversation)
        if journal.kind is JournalKind.TURN:
            self._check_open(journal)
            self._held(journal, arrived.lease)
        return journal

    def _repeated(self, batch: Batch) -> BatchResult | None:
        seen = [self._found.events.get(draft.event_id) for draft in batch.drafts]
        if not any(seen):
            return None if len(batch.drafts) == 1 else _said_twice(batch)
        placed: list[Placed] = []
        for draft, old in zip(batch.drafts, seen, strict=True):
            if old is None or not self._same(draft, old):
                self.changes.conflicts.append(
                    Conflict(draft.event_id, self._found.now_ms, draft.type, draft.tokens, draft.payload_hash)
                )
                reason = f"Event {draft.event_id} is on record with other content; the conflict was recorded."
                return BatchResult(BatchStatus.CONFLICT, reason=reason)
            placed.append(Placed(old.event_id, old.seq, old.hash, old.created_ms, old.position))
        target = None if batch.claim is None else batch.claim.target
        return BatchResult(BatchStatus.DUPLICATE, tuple(placed), target)

    def _same(self, draft: Draft, old: SeenEvent) -> bool:
        journal = self._found.journals.get(draft.journal.id)
        return (
            journal is not None
            and journal.jid == old.jid
            and (draft.type, draft.tokens, draft.payload_hash) == (old.type, old.tokens, old.payload_hash)
        )

    def _accept(self, events: list[NewEvent]) -> None:
        for event in events:
            # A batch behind this one, in the same transaction, may send the event again.
            self._found.events[event.event_id] = SeenEvent(
                event.event_id,
                event.jid,
                event.seq,
                event.type,
                event.tokens,
                event.payload_hash,
                event.hash,
                event.created_ms,
                event.position,
            )
            journal = self.changes.journals[event.jid]
            in_turn = journal.kind is JournalKind.TURN
            self.projection.add(
                Projected(
                    event.jid,
                    journal.aid,
                    event.cid,
                    in_turn,
                    event.seq,
                    event.type,
                    event.tokens,
                    event.created_ms,
                )
            )

    # --- names ---------------------------------------------------------------------------------

    def _claim(self, claim: Claim) -> None:
        key = (claim.kind, claim.scope, claim.name)
        self._found.aliases[key] = claim.target
        self._undo.added(self._found.aliases, key)
        self.changes.aliases.append((key, claim.target))
        if claim.kind is AliasKind.AGENT:
            agent = AgentState(
                self._next_id(IdKind.AGENT), claim.target, claim.name, self._found.now_ms, new=True
            )
            self._found.agents[agent.id] = agent
            self._undo.added(self._found.agents, agent.id)
            self.changes.agents[agent.aid] = agent
            self._undo.added(self.changes.agents, agent.aid)

    # --- an event ------------------------------------------------------------------------------

    def _append(self, draft: Draft) -> Placed:
        problem = problem_of(draft)
        if problem:
            raise _RefusedError(Refusal.GRAMMAR, f"Event {draft.event_id}: {problem}")
        journal = self._journal(draft)
        self._check_owner(journal, draft.agent, draft.conversation)
        if journal.kind is JournalKind.TURN:
            self._check_lease(draft, journal)
        if draft.place is not None and draft.place != journal.next_seq:
            reason = f"Journal {journal.id} stands at {journal.next_seq}, not at {draft.place}."
            raise _RefusedError(Refusal.OUT_OF_PLACE, reason)
        event = self._number(
            journal, draft.event_id, draft.type, draft.tokens, draft.detail, draft.payload_hash
        )
        self._keep_bodies(draft, event, journal)
        if draft.type == ModelResult.TYPE:
            self._settle(draft, journal)
        if event.seq == 0:
            status = TurnStatus.RUNNING if journal.kind is JournalKind.TURN else "none"
            self._leaf("open", journal, status)
        if journal.kind is JournalKind.TURN and draft.type in FINAL_TYPES:
            self._close(draft, journal)
        return Placed(event.event_id, event.seq, event.hash, event.created_ms, event.position)

    def _number(
        self,
        journal: JournalState,
        event_id: UUID,
        kind: str,
        tokens: str,
        detail: bytes,
        payload_hash: bytes,
    ) -> NewEvent:
        self._undo.touch(journal)
        self.changes.journals[journal.jid] = journal
        seq, now = journal.next_seq, self._found.now_ms
        digest = event_hash(
            journal.head.hex(),
            str(journal.id),
            str(journal.agent),
            seq,
            kind,
            payload_hash.hex(),
            f"{tokens} detail={hashlib.sha256(detail).hexdigest()}",
            now,
        )
        position = None
        if journal.conversation is not None:
            conversation = self._found.conversations[journal.conversation]
            self._undo.touch(conversation)
            self.changes.conversations[conversation.cid] = conversation
            position = conversation.next_position
            conversation.next_position = position + 1
        journal.next_seq, journal.head, journal.last_ms = seq + 1, bytes.fromhex(digest), now
        event = NewEvent(
            journal.jid,
            seq,
            journal.cid,
            position,
            event_id,
            kind,
            payload_hash,
            tokens,
            detail,
            journal.head,
            now,
        )
        self.changes.events.append(event)
        return event

    def _keep_bodies(self, draft: Draft, event: NewEvent, journal: JournalState) -> None:
        for body in draft.bodies:
            lane = (journal.cid, draft.lane or draft.type, body.slot) if draft.type in _EXTENDING else None
            self.changes.bodies.append(
                NewBody(event.jid, event.seq, body.slot, journal.aid, lane, body.salt, body.data)
            )

    def _settle(self, draft: Draft, journal: JournalState) -> None:
        call = read_token(draft.tokens, "call")
        if call.isdecimal() and int(call) < journal.next_seq:
            if draft.arrived:
                self.changes.settled.append((journal.jid, int(call)))
            if journal.kind is JournalKind.CONVERSATION:
                self.changes.ended.append((journal.jid, int(call)))

    def _leaf(self, kind: str, journal: JournalState, status: str) -> None:
        self.changes.leaves.append(
            Leaf(kind, journal.jid, journal.next_seq, journal.head, status, self._found.now_ms)
        )

    # --- journals ------------------------------------------------------------------------------

    def _journal(self, draft: Draft) -> JournalState:
        journal = self._found.journals.get(draft.journal.id)
        if journal is not None:
            if journal.kind is not draft.journal.kind:
                reason = f"Journal {journal.id} is of kind {journal.kind}, not {draft.journal.kind}."
                raise _RefusedError(Refusal.UNKNOWN_JOURNAL, reason)
            if draft.type == "INTAKE":
                raise _RefusedError(Refusal.TURN_EXISTS, f"Turn {journal.id} has begun already.")
            return journal
        if draft.journal.kind is JournalKind.LEDGER:
            return self._add_journal(draft, LEDGER_AGENT_KEY, None, 0)
        agent = self._found.agents.get(draft.agent)
        if agent is None:
            raise _RefusedError(Refusal.FOREIGN_AGENT, f"Agent {draft.agent} is not known to this ledger.")
        if draft.journal.kind is JournalKind.CONVERSATION and draft.type == "OPENED":
            return self._open_conversation(draft, agent)
        if draft.journal.kind is JournalKind.TURN and draft.type == "INTAKE" and draft.lease is not None:
            return self._open_turn(draft, agent)
        reason = f"There is no {draft.journal.kind} journal {draft.journal.id}; it has to be opened first."
        raise _RefusedError(Refusal.UNKNOWN_JOURNAL, reason)

    def _add_journal(
        self, draft: Draft, aid: int, conversation: ConversationState | None, ordinal: int
    ) -> JournalState:
        journal = JournalState(
            self._next_id(IdKind.JOURNAL),
            draft.journal.kind,
            draft.journal.id,
            aid,
            draft.agent,
            None if conversation is None else conversation.cid,
            None if conversation is None else conversation.id,
            ordinal,
            new=True,
        )
        self._found.journals[journal.id] = journal
        self._undo.added(self._found.journals, journal.id)
        self._undo.added(self.changes.journals, journal.jid)
        return journal

    def _open_conversation(self, draft: Draft, agent: AgentState) -> JournalState:
        opening = opening_of(draft.detail)
        if opening is None:
            reason = f"Conversation {draft.journal.id} names no connector, shape and place that are known."
            raise _RefusedError(Refusal.GRAMMAR, reason)
        conversation = ConversationState(
            self._next_id(IdKind.CONVERSATION),
            draft.journal.id,
            agent.aid,
            self._found.now_ms,
            *opening,
            new=True,
        )
        self._found.conversations[conversation.id] = conversation
        self._undo.added(self._found.conversations, conversation.id)
        self._undo.added(self.changes.conversations, conversation.cid)
        self._undo.touch(agent)
        self.changes.agents[agent.aid] = agent
        ordinal, agent.conversations = agent.conversations, agent.conversations + 1
        return self._add_journal(draft, agent.aid, conversation, ordinal)

    def _open_turn(self, draft: Draft, agent: AgentState) -> JournalState:
        conversation = (
            None if draft.conversation is None else self._found.conversations.get(draft.conversation)
        )
        if conversation is None or conversation.aid != agent.aid:
            reason = f"Turn {draft.journal.id} names no conversation of agent {agent.id}."
            raise _RefusedError(Refusal.UNKNOWN_JOURNAL, reason)
        self._undo.touch(agent)
        self.changes.agents[agent.aid] = agent
        ordinal, agent.turns = agent.turns, agent.turns + 1
        journal = self._add_journal(draft, agent.aid, conversation, ordinal)
        if draft.lease is not None:
            journal.holder, journal.epoch = draft.lease.holder, draft.lease.epoch
        return journal

    # --- leases and ends -----------------------------------------------------------------------

    @staticmethod
    def _check_owner(journal: JournalState, agent: UUID, conversation: UUID | None) -> None:
        if journal.agent != agent:
            raise _RefusedError(Refusal.FOREIGN_AGENT, f"Journal {journal.id} belongs to another agent.")
        if journal.conversation != conversation:
            reason = f"Journal {journal.id} belongs to another conversation than the event says."
            raise _RefusedError(Refusal.UNKNOWN_JOURNAL, reason)

    @staticmethod
    def _check_open(journal: JournalState) -> None:
        if journal.closed:
            raise _RefusedError(
                Refusal.TURN_CLOSED, f"Turn {journal.id} has ended; nothing can be added to it."
            )

    @staticmethod
    def _held(journal: JournalState, lease: Lease | None) -> Lease:
        if lease is None or lease.epoch != journal.epoch or lease.holder != journal.holder:
            raise _RefusedError(Refusal.TURN_LOST, f"Another writer holds turn {journal.id} now.")
        return lease

    def _check_lease(self, draft: Draft, journal: JournalState) -> None:
        self._check_open(journal)
        self._undo.touch(journal)
        if draft.takeover:
            if journal.until_ms is None or journal.until_ms >= self._found.now_ms:
                raise _RefusedError(Refusal.NOT_EXPIRED, f"Turn {journal.id} is held by a live writer.")
            journal.epoch += 1
            return
        lease = self._held(journal, draft.lease)
        journal.until_ms = None if _is_parked(draft, journal) else self._found.now_ms + lease.ttl_ms

    def _close(self, draft: Draft, journal: JournalState) -> None:
        closing = draft.closing
        if closing is None or journal.conversation is None:
            raise _RefusedError(
                Refusal.GRAMMAR, f"{draft.type} of turn {journal.id} does not say how it closes."
            )
        journal.closed, journal.until_ms = True, None
        self._leaf("close", journal, closing.status)
        owner = self._found.journals[journal.conversation]
        event_id = derived_id(draft.event_id, "turn-closed")
        closed = TurnClosed(
            turn=journal.id,
            status=closing.status,
            error_class=closing.error_class,
            events=journal.next_seq,
            head=journal.head.hex(),
            ms=closing.ms,
        )
        assurance = assurance_of(draft.tokens) or Assurance.OBSERVED
        detail = encode_detail({"id": event_id.hex})
        self._number(owner, event_id, TurnClosed.TYPE, closed.summary(assurance), detail, NO_PAYLOAD)
