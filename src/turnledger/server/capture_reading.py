"""What a recorder sent as what the ledger takes: allowed, whole, and true to its commitments."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.errors import GrammarError, LedgerCorruptError
from turnledger.ids import NIL
from turnledger.model.access import Grant
from turnledger.model.draft import (
    AliasKind,
    Arrived,
    Batch,
    BatchResult,
    BatchStatus,
    Body,
    Claim,
    Closing,
    Draft,
    Journal,
    Lease,
    Refusal,
)
from turnledger.model.rows import BodyRow
from turnledger.model.vocabulary import JournalKind, TurnStatus
from turnledger.server.recent_bodies import RecentBodies
from turnledger.store.contract import Reader
from turnledger.wire.capture_form import (
    CaptureArrived,
    CaptureBatch,
    CaptureBody,
    CaptureClaim,
    CaptureEvent,
    CaptureLease,
)
from turnledger.wire.commitment import NO_PAYLOAD, payload_hash
from turnledger.wire.details import decode_detail

__all__ = ["BODY_BYTES", "Reading"]

BODY_BYTES: Final = 100 << 20
"""The largest body that is taken over HTTP."""

_STATUSES: Final = frozenset(TurnStatus)


class _RefusedError(Exception):
    def __init__(self, refusal: Refusal, reason: str) -> None:
        super().__init__(reason)
        self.result = BatchResult(BatchStatus.REFUSED, refusal=refusal, reason=reason)


@dataclass(frozen=True, slots=True)
class Reading:
    """Reads the batches of one request."""

    reader: Callable[[], Reader]
    grant: Grant
    recent: RecentBodies

    def batch(self, asked: CaptureBatch) -> Batch | BatchResult:
        """The batch, or the answer no.  Raises LedgerError where the ledger cannot be read."""
        try:
            drafts = tuple([self._draft(event) for event in asked.events])
            claim = None if asked.claim is None else self._claim(asked.claim, asked)
            arrived = None if asked.arrived is None else self._arrived(asked.arrived)
        except _RefusedError as refused:
            return refused.result
        return Batch(drafts, claim, arrived)

    # --- who may -------------------------------------------------------------------------------

    def _allow(self, agent: UUID) -> None:
        if not self.grant.covers(agent):
            raise _RefusedError(Refusal.NOT_ALLOWED, f"This token does not record for agent {agent}.")

    def _claim(self, asked: CaptureClaim, batch: CaptureBatch) -> Claim:
        kind = AliasKind(asked.kind)
        if kind is AliasKind.AGENT:
            self._allow_agent_name(asked)
        elif kind is AliasKind.MESSAGE:
            if {event.conversation_id for event in batch.events} != {asked.scope}:
                reason = "A message's outside id is claimed with the message itself."
                raise _RefusedError(Refusal.NOT_ALLOWED, reason)
        else:
            self._allow(asked.scope)
        return Claim(kind, asked.scope, asked.name, asked.target)

    def _allow_agent_name(self, asked: CaptureClaim) -> None:
        if asked.scope != NIL:
            raise _RefusedError(Refusal.GRAMMAR, "An agent's name has the nil UUID for its scope.")
        if self.grant.agents is not None:
            owner = self.reader().alias(AliasKind.AGENT, NIL, asked.name)
            if owner is None or owner not in self.grant.agents:
                reason = f"This token does not record for an agent named {asked.name[:80]!r}."
                raise _RefusedError(Refusal.NOT_ALLOWED, reason)

    # --- what ----------------------------------------------------------------------------------

    def _draft(self, asked: CaptureEvent) -> Draft:
        self._allow(asked.agent_id)
        lease, closing = asked.lease, asked.closing
        if closing is not None and closing.status not in _STATUSES:
            raise _RefusedError(Refusal.GRAMMAR, f"A turn does not close as {closing.status[:40]!r}.")
        return Draft(
            journal=Journal(JournalKind(asked.journal), asked.journal_id),
            agent=asked.agent_id,
            conversation=asked.conversation_id,
            event_id=asked.event_id,
            type=asked.type,
            tokens=asked.tokens,
            detail=asked.detail,
            payload_hash=asked.payload_hash,
            bodies=self._bodies(asked),
            place=asked.place,
            lease=None if lease is None else _lease(lease),
            closing=None
            if closing is None
            else Closing(TurnStatus(closing.status), closing.error_class, closing.ms),
            takeover=asked.takeover,
            lane=asked.lane,
            arrived=asked.arrived,
        )

    def _arrived(self, asked: CaptureArrived) -> Arrived:
        self._allow(asked.agent_id)
        return Arrived(
            asked.journal_id,
            asked.agent_id,
            asked.conversation_id,
            asked.call_id,
            asked.start,
            asked.data,
            _lease(asked.lease),
        )

    def _bodies(self, asked: CaptureEvent) -> tuple[Body, ...]:
        promised = _promised(asked)
        if {body.slot for body in asked.bodies} != promised.keys() or len(asked.bodies) != len(promised):
            reason = f"Event {asked.event_id} does not bring the bodies that it commits to."
            raise _RefusedError(Refusal.GRAMMAR, reason)
        return tuple([self._body(asked, body, promised[body.slot]) for body in asked.bodies])

    def _body(self, asked: CaptureEvent, body: CaptureBody, commitment: bytes) -> Body:
        data = body.data if body.base is None else self._rebuilt(asked, body)
        if len(data) > BODY_BYTES:
            reason = (
                f"The body {body.slot[:40]!r} has {len(data)} bytes; at most {BODY_BYTES} are taken here."
            )
            raise _RefusedError(Refusal.TOO_LARGE, reason)
        try:
            is_true = hmac.compare_digest(payload_hash(data, body.salt), commitment)
        except GrammarError as error:
            raise _RefusedError(Refusal.GRAMMAR, error.message) from error
        if not is_true:
            # A base that was not what the recorder believed shows here too: it sends the body whole then.
            refusal = Refusal.GRAMMAR if body.base is None else Refusal.UNKNOWN_BASE
            reason = (
                f"The body {body.slot[:40]!r} of event {asked.event_id} is not what the event commits to."
            )
            raise _RefusedError(refusal, reason)
        self.recent.keep(asked.agent_id, asked.event_id, body.slot, data)
        return Body(body.slot, data, body.salt)

    def _rebuilt(self, asked: CaptureEvent, body: CaptureBody) -> bytes:
        base = body.base
        whole = None if base is None else self._base(asked.agent_id, base.event_id, base.slot)
        if base is None or whole is None or not _fits(base.head, base.tail, len(whole)):
            reason = f"The body {body.slot[:40]!r} builds on one that is not here."
            raise _RefusedError(Refusal.UNKNOWN_BASE, reason)
        return b"".join((whole[: base.head], body.data, whole[len(whole) - base.tail :]))

    def _base(self, agent: UUID, event: UUID, slot: str) -> bytes | None:
        """The body of an event of this agent; None where there is none, or it is another agent's."""
        found = self.recent.find(agent, event, slot)
        if found is not None:
            return found
        row = self.reader().event(event)
        if row is None or row.agent != agent:
            return None
        content = self.reader().body(event, slot)
        if content is None or isinstance(content, BodyRow) or content.size > BODY_BYTES:
            return None
        try:
            data = b"".join(content.read())
        except LedgerCorruptError:
            return None
        self.recent.keep(agent, event, slot, data)
        return data


def _lease(asked: CaptureLease) -> Lease:
    return Lease(asked.holder, asked.epoch, asked.ttl_ms)


def _fits(head: int, tail: int, size: int) -> bool:
    return head >= 0 and tail >= 0 and head + tail <= size


def _promised(asked: CaptureEvent) -> dict[str, bytes]:
    """Commitments by slot, as the event and its detail record name them."""
    promised = {} if asked.payload_hash == NO_PAYLOAD else {"payload": asked.payload_hash}
    try:
        slots = decode_detail(asked.detail).get("slots", {})
        if isinstance(slots, Mapping):
            promised |= {str(slot): bytes.fromhex(about["commitment"]) for slot, about in slots.items()}
    except (GrammarError, KeyError, TypeError, ValueError) as error:
        reason = f"The detail record of event {asked.event_id} cannot be read."
        raise _RefusedError(Refusal.GRAMMAR, reason) from error
    return promised
