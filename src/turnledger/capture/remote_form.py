"""Batches as they are sent to a server: each body as what is new in it since the last one of its kind."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import UUID

from turnledger.model.draft import (
    Arrived,
    Batch,
    BatchResult,
    BatchStatus,
    Body,
    Draft,
    Lease,
    Placed,
    Refusal,
)
from turnledger.model.vocabulary import JournalKind
from turnledger.wire.capture_form import (
    CaptureArrived,
    CaptureBase,
    CaptureBatch,
    CaptureBody,
    CaptureClaim,
    CaptureClosing,
    CaptureEvent,
    CaptureLease,
    CaptureResult,
)

__all__ = ["RemoteForm", "common_head", "result_of", "size_of"]

SMALLEST: Final = 2048
"""Smaller bodies are sent whole."""
LARGEST: Final = 4 << 20
KEPT_BYTES: Final = 16 << 20

_Lane = tuple[UUID | None, str, str]
_Kept = tuple[UUID, bytes]


class RemoteForm:
    """Makes requests; remembers the last body of each kind that it sent.  For one thread at a time."""

    def __init__(self) -> None:
        self._last: OrderedDict[_Lane, _Kept] = OrderedDict()
        self._size = 0

    def batch(self, batch: Batch, *, whole: bool = False) -> CaptureBatch:
        """The batch as it is sent; with ``whole`` no body builds on another one."""
        claim = batch.claim
        return CaptureBatch(
            events=[self._event(draft, whole=whole) for draft in batch.drafts],
            claim=None
            if claim is None
            else CaptureClaim(kind=claim.kind.value, scope=claim.scope, name=claim.name, target=claim.target),
            arrived=None if batch.arrived is None else _arrived(batch.arrived),
        )

    def _event(self, draft: Draft, *, whole: bool) -> CaptureEvent:
        if draft.journal.kind is JournalKind.LEDGER:
            msg = "A recorder does not write the ledger's own journal."
            raise ValueError(msg)
        lease, closing = draft.lease, draft.closing
        return CaptureEvent(
            journal="turn" if draft.journal.kind is JournalKind.TURN else "conversation",
            journal_id=draft.journal.id,
            agent_id=draft.agent,
            conversation_id=draft.conversation,
            event_id=draft.event_id,
            type=draft.type,
            tokens=draft.tokens,
            detail=draft.detail,
            payload_hash=draft.payload_hash,
            bodies=[self._body(draft, body, whole=whole) for body in draft.bodies],
            place=draft.place,
            lease=None if lease is None else _lease(lease),
            closing=None
            if closing is None
            else CaptureClosing(status=closing.status.value, error_class=closing.error_class, ms=closing.ms),
            takeover=draft.takeover,
            lane=draft.lane,
            arrived=draft.arrived,
        )

    def _body(self, draft: Draft, body: Body, *, whole: bool) -> CaptureBody:
        data = body.data
        if not SMALLEST <= len(data) <= LARGEST:
            return CaptureBody(slot=body.slot, salt=body.salt, data=data)
        lane = (draft.conversation, draft.lane or draft.type, body.slot)
        before = self._last.get(lane)
        self._keep(lane, draft.event_id, data)
        if before is None or whole or before[0] == draft.event_id:
            return CaptureBody(slot=body.slot, salt=body.salt, data=data)
        event_id, base = before
        head = common_head(base, data)
        most = min(len(base), len(data)) - head
        tail = common_head(base[: -most - 1 : -1], data[: -most - 1 : -1]) if most else 0
        if head + tail < len(data) // 4:
            return CaptureBody(slot=body.slot, salt=body.salt, data=data)
        return CaptureBody(
            slot=body.slot,
            salt=body.salt,
            data=data[head : len(data) - tail],
            base=CaptureBase(event_id=event_id, slot=body.slot, head=head, tail=tail),
        )

    def _keep(self, lane: _Lane, event_id: UUID, data: bytes) -> None:
        before = self._last.pop(lane, None)
        self._last[lane] = event_id, data
        self._size += len(data) - (0 if before is None else len(before[1]))
        while self._size > KEPT_BYTES:
            _, (_, oldest) = self._last.popitem(last=False)
            self._size -= len(oldest)


def _arrived(arrived: Arrived) -> CaptureArrived:
    return CaptureArrived(
        journal_id=arrived.journal,
        agent_id=arrived.agent,
        conversation_id=arrived.conversation,
        call_id=arrived.call,
        start=arrived.start,
        data=arrived.data,
        lease=_lease(arrived.lease),
    )


def _lease(lease: Lease) -> CaptureLease:
    return CaptureLease(holder=lease.holder, epoch=lease.epoch, ttl_ms=lease.ttl_ms)


def common_head(one: bytes, other: bytes) -> int:
    """How many bytes both begin with, found by halving."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while high - low > 1:
        middle = (low + high) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle
    return low


def size_of(batch: Batch) -> int:
    """About how many bytes a batch takes on the way, if nothing of it is known there."""
    arriving = 0 if batch.arrived is None else len(batch.arrived.data)
    return (
        512
        + arriving
        + sum(
            512 + len(draft.detail) + sum(len(body.data) for body in draft.bodies) for draft in batch.drafts
        )
    )


def result_of(answer: CaptureResult) -> BatchResult:
    """The server's answer as a store's."""
    placed = tuple(
        [
            Placed(one.event_id, one.seq, one.hash or b"", one.created_ms or 0, one.position)
            for one in answer.events
            if one.seq is not None
        ]
    )
    refusal = None if answer.refusal is None else Refusal(answer.refusal)
    return BatchResult(BatchStatus(answer.status), placed, answer.target, refusal, answer.reason)
