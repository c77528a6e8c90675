"""Events made ready in the caller's thread: id, salts, commitments, detail record.  The place is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast
from uuid import UUID

from turnledger.capture.content import JSON, Attachment, Content, snapshot
from turnledger.errors import GrammarError
from turnledger.ids import new_id, new_salt
from turnledger.model.draft import Body, Closing, Draft, Journal, Lease
from turnledger.model.events import Event
from turnledger.model.tokens import cut_value
from turnledger.model.vocabulary import Assurance
from turnledger.wire.commitment import NO_PAYLOAD, payload_hash
from turnledger.wire.details import encode_detail

__all__ = ["Composed", "attachment_slots", "compose", "name_token"]

DETAIL_BYTES = 200_000
_ALWAYS = frozenset({"id", "slots", "mediaType", "lossy"})

Facts = Mapping[str, object]


class Composed(NamedTuple):
    """One event with its bodies; it can be sent as often as needed and stays one event."""

    event: Event
    event_id: UUID
    detail: bytes
    payload_hash: bytes
    bodies: tuple[Body, ...]
    assurance: Assurance
    lane: str
    closing: Closing | None
    arrived: bool = False

    def draft(
        self,
        journal: Journal,
        agent: UUID,
        conversation: UUID,
        *,
        place: int | None = None,
        lease: Lease | None = None,
        takeover: bool = False,
    ) -> Draft:
        """The event as the ledger takes it."""
        return Draft(
            journal=journal,
            agent=agent,
            conversation=conversation,
            event_id=self.event_id,
            type=self.event.TYPE,
            tokens=self.event.summary(self.assurance),
            detail=self.detail,
            payload_hash=self.payload_hash,
            bodies=self.bodies,
            place=place,
            lease=lease,
            closing=self.closing,
            takeover=takeover,
            lane=self.lane,
            arrived=self.arrived,
        )

    def saying(self, event: Event) -> Composed:
        """The same with other tokens, before it was sent for the first time."""
        return self._replace(event=event)

    def closing_with(self, event: Event, closing: Closing) -> Composed:
        """The same as the turn's last event."""
        return self._replace(event=event, closing=closing)


def compose(
    event: Event,
    payload: Content | None = None,
    *,
    slots: Mapping[str, Content] | None = None,
    facts: Facts | None = None,
    event_id: UUID | None = None,
    assurance: Assurance = Assurance.WRITE_AHEAD,
    lane: str = "",
    closing: Closing | None = None,
) -> Composed:
    """An event ready to be sent.

    ``facts`` go into the detail record; those that are None are left out.  What would make the record too
    large for the ledger is left out too and named under ``truncated``.
    """
    event_id = event_id or new_id()
    bodies: list[Body] = []
    detail: dict[str, object] = {"id": event_id.hex}
    digest = NO_PAYLOAD
    if payload is not None:
        body = Body("payload", payload.data, new_salt())
        digest = payload_hash(body.data, body.salt)
        bodies.append(body)
        if payload.media_type != JSON:
            detail["mediaType"] = payload.media_type
        if payload.lossy:
            detail["lossy"] = True
    if slots:
        detail["slots"] = {slot: _slot(slot, content, bodies) for slot, content in slots.items()}
    if facts:
        detail.update((key, value) for key, value in facts.items() if value is not None)
    return Composed(event, event_id, _bounded(detail), digest, tuple(bodies), assurance, lane, closing)


def _slot(slot: str, content: Content, bodies: list[Body]) -> dict[str, object]:
    body = Body(slot, content.data, new_salt())
    bodies.append(body)
    entry: dict[str, object] = {
        "commitment": payload_hash(body.data, body.salt).hex(),
        "bytes": len(body.data),
        "mediaType": content.media_type,
    }
    if content.lossy:
        entry["lossy"] = True
    return entry


def _bounded(detail: dict[str, object]) -> bytes:
    data = encode_detail(detail)
    if len(data) <= DETAIL_BYTES:
        return data
    kept = {key: value for key, value in detail.items() if key in _ALWAYS}
    left_out: list[str] = []
    for key in detail.keys() - kept.keys():
        whole = kept | {key: detail[key]}
        if len(encode_detail(whole)) <= DETAIL_BYTES // 2:
            kept = whole
        else:
            left_out.append(key[:64])
    return encode_detail(kept | {"truncated": sorted(left_out)[:64]})


def name_token(facts: dict[str, object], key: str, name: object) -> str:
    """``name`` as a token can hold it; where that is not the whole name as it was, the detail gets that.

    Raises GrammarError where it is no text.
    """
    if not issubclass(type(name), str):  # isinstance would ask the object for its __class__
        msg = f"The {key} is named with text, and this is of type {type(name).__name__}."
        raise GrammarError(msg, next_step="Pass its name, or str(…) of it.")
    whole = "".join((cast("str", name),))  # without the methods of a subclass
    short, changed = cut_value(whole)
    if changed:
        facts[key] = whole
    return short


def attachment_slots(attachments: tuple[Attachment, ...]) -> dict[str, Content]:
    """The slots of a message's attachments, in order."""
    return {
        f"attachment-{number}": snapshot(item.data, item.media_type)
        for number, item in enumerate(attachments)
    }
