"""The few things that a recorder has to know: places, leases, revisions.  Nothing that was said."""

from __future__ import annotations

from uuid import UUID

import msgspec

from turnledger.capture.cut_calls import end_cut_calls
from turnledger.capture.sink import StoreSink
from turnledger.capture.waiting import spawn
from turnledger.errors import NotFoundError
from turnledger.model.draft import Lease
from turnledger.model.figures import TurnLease
from turnledger.server.caller import Asking
from turnledger.server.problems import HttpError
from turnledger.wire import capture_lookups as wire

__all__ = ["acquire", "last_revision", "place_of", "renew", "turn_events"]


def renew(asking: Asking, asked: wire.RenewalRequest) -> wire.LostTurns:
    """Extend leases; turns that the caller may not record, or that there are not, are lost to it."""
    mine = [turn for turn in asked.turns if _lease(asking, turn.turn_id) is not None]
    lost = {turn.turn_id for turn in asked.turns} - {turn.turn_id for turn in mine}
    if mine:
        held = [(turn.turn_id, turn.epoch) for turn in mine]
        lost |= asking.service.store.renew(asked.holder, held, asked.ttl_ms)
    return wire.LostTurns(lost=sorted(lost))


def acquire(asking: Asking, asked: wire.TakeoverRequest) -> wire.LeaseAnswer:
    """Take over a turn that waits or whose lease ran out; what arrived of its replies is on record then.

    Raises NotFoundError.
    """
    if _lease(asking, asked.turn_id) is None:
        raise _no_turn(asked.turn_id)
    row = asking.service.store.acquire(asked.turn_id, asked.holder, asked.ttl_ms)
    lease = None
    if row is not None:
        held = Lease(asked.holder, row.epoch, asked.ttl_ms)
        spawn(end_cut_calls(StoreSink(asking.service.store), row, held)).result()
        lease = wire.TurnLease(
            turn_id=row.turn,
            agent_id=row.agent,
            conversation_id=row.conversation,
            holder=row.holder,
            epoch=row.epoch,
            until_ms=row.until_ms,
        )
    return wire.LeaseAnswer(lease=lease)


def turn_events(asking: Asking, turn: UUID, holder: UUID | None, start: int, limit: int) -> wire.TurnEvents:
    """Events of a turn that nobody else is writing.  Raises NotFoundError, HttpError 409."""
    lease = _lease(asking, turn)
    if lease is None:
        raise _no_turn(turn)
    now_ms = asking.service.clock.epoch_ms()
    is_held = lease.until_ms is not None and lease.until_ms >= now_ms and lease.holder != holder
    if lease.closed or is_held:
        msg = f"Turn {turn} has ended, or a live writer holds it."
        raise HttpError(409, "turn-lost", msg, "See what became of it in the console.")
    rows = asking.reader.events(turn, start, limit + 1)
    return wire.TurnEvents(
        agent_id=lease.agent,
        conversation_id=lease.conversation,
        events=[
            wire.TurnEvent(
                event_id=row.event_id,
                seq=row.seq,
                type=row.type,
                summary=row.summary,
                detail=msgspec.Raw(row.detail),
            )
            for row in rows[:limit]
        ],
        has_more=len(rows) > limit,
    )


def place_of(asking: Asking, event: UUID) -> wire.MessagePlace:
    """Where a message stands.  Raises NotFoundError for what is no message of the caller's agents."""
    row = asking.reader.event(event)
    if row is None or row.type != "MESSAGE" or not asking.caller.grant.covers(row.agent):
        msg = f"There is no message {event} here."
        raise NotFoundError(msg, next_step="Check the id.")
    return wire.MessagePlace(
        event_id=row.event_id,
        agent_id=row.agent,
        conversation_id=row.conversation,
        journal_id=row.journal.id,
        seq=row.seq,
    )


def last_revision(asking: Asking, agent: UUID, entry: UUID) -> wire.LastRevision:
    """Number of the newest revision of a memory entry.  Raises NotFoundError for a foreign agent."""
    newest = asking.reader.memory(asking.covered(agent), entry, None, 1)
    return wire.LastRevision(revision=newest[0].revision if newest else 0)


def _lease(asking: Asking, turn: UUID) -> TurnLease | None:
    lease = asking.service.figures.lease(turn)
    return lease if lease is not None and asking.caller.grant.covers(lease.agent) else None


def _no_turn(turn: UUID) -> NotFoundError:
    return NotFoundError(f"There is no turn {turn} here.", next_step="Check the id.")
