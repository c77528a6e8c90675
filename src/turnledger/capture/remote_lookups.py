"""The few things that a recorder asks a server: places, leases, revisions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from turnledger.capture.http_link import HttpLink
from turnledger.errors import LedgerUnavailableError, NotFoundError
from turnledger.model.draft import Journal
from turnledger.model.rows import EventRow, LeaseRow
from turnledger.model.vocabulary import JournalKind
from turnledger.wire.capture_form import JSON
from turnledger.wire.capture_lookups import (
    LastRevision,
    LeaseAnswer,
    LostTurns,
    MessagePlace,
    RenewalRequest,
    TakeoverRequest,
    TurnEvents,
    TurnHold,
)

__all__ = ["RemoteLookups"]

_AT_ONCE: Final = 1000

T = TypeVar("T")


class RemoteLookups:
    """Asks one question at a time.  Safe to use from many threads."""

    def __init__(self, link: HttpLink) -> None:
        self._link = link
        self._asking = threading.Lock()
        self._holders: dict[UUID, UUID] = {}

    def _ask(self, kind: type[T], method: str, path: str, body: object = None) -> T:
        data = None if body is None else msgspec.json.encode(body)
        with self._asking:
            answer = self._link.ask(method, f"/api/capture{path}", data, JSON)
        try:
            return msgspec.json.decode(answer, type=kind)
        except msgspec.DecodeError as error:
            msg = "The server's answer cannot be read."
            next_step = "Check that TURNLEDGER_URL names a Turnledger server of this version."
            raise LedgerUnavailableError(msg, next_step=next_step) from error

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """See ``sink.Sink``."""
        lost: set[UUID] = set()
        for start in range(0, len(turns), _AT_ONCE):
            held = [TurnHold(turn_id=turn, epoch=epoch) for turn, epoch in turns[start : start + _AT_ONCE]]
            asked = RenewalRequest(holder=holder, turns=held, ttl_ms=ttl_ms)
            lost |= set(self._ask(LostTurns, "POST", "/renewals", asked).lost)
        return lost

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """See ``sink.Sink``."""
        asked = TakeoverRequest(turn_id=turn, holder=holder, ttl_ms=ttl_ms)
        try:
            lease = self._ask(LeaseAnswer, "POST", "/takeovers", asked).lease
        except NotFoundError:
            return None
        if lease is None:
            return None
        self._holders[turn] = lease.holder
        return LeaseRow(
            lease.turn_id, lease.agent_id, lease.conversation_id, lease.holder, lease.epoch, lease.until_ms
        )

    def event(self, event_id: UUID) -> EventRow | None:
        """See ``sink.Sink``; where it stands is all that is told of it."""
        try:
            place = self._ask(MessagePlace, "GET", f"/places/{event_id}")
        except NotFoundError:
            return None
        journal = Journal(JournalKind.CONVERSATION, place.journal_id)
        return _row(journal, place.agent_id, place.conversation_id, place.seq, event_id, "MESSAGE")

    def events(self, journal_id: UUID, start_seq: int, limit: int) -> list[EventRow]:
        """See ``sink.Sink``.  Raises TurnLost where the turn has ended or a live writer holds it."""
        holder = self._holders.get(journal_id)
        asked = f"?start={start_seq}&limit={min(limit, 500)}" + (f"&holder={holder}" if holder else "")
        try:
            found = self._ask(TurnEvents, "GET", f"/turns/{journal_id}/events{asked}")
        except NotFoundError:
            return []
        journal = Journal(JournalKind.TURN, journal_id)
        return [
            _row(
                journal,
                found.agent_id,
                found.conversation_id,
                one.seq,
                one.event_id,
                one.type,
                summary=one.summary,
                detail=bytes(one.detail),
            )
            for one in found.events
        ]

    def last_revision(self, agent: UUID, entry: UUID) -> int:
        """See ``sink.Sink``."""
        return self._ask(LastRevision, "GET", f"/memory/{agent}/{entry}").revision

    def close(self) -> None:
        """Give the connection back."""
        with self._asking:
            self._link.close()

    def leave_to_parent(self) -> None:
        """In a forked child: forget what is the parent's."""
        self._link.leave_to_parent()


def _row(
    journal: Journal,
    agent: UUID,
    conversation: UUID | None,
    seq: int,
    event_id: UUID,
    kind: str,
    *,
    summary: str = "",
    detail: bytes = b"{}",
) -> EventRow:
    return EventRow(
        journal, agent, conversation, seq, kind, b"", summary, b"", 0, event_id, None, detail, 0, ()
    )
