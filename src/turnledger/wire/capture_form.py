"""How a recorder and a server speak: batches of drafts as MessagePack, or as JSON with bytes in base64.

A body may be sent as its difference from an earlier one of the same agent: the head and tail that they have
in common are counted, only what stands between them is sent.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec

__all__ = [
    "JSON",
    "MSGPACK",
    "CaptureAnswer",
    "CaptureArrived",
    "CaptureBase",
    "CaptureBatch",
    "CaptureBody",
    "CaptureClaim",
    "CaptureClosing",
    "CaptureEvent",
    "CaptureLease",
    "CapturePlaced",
    "CaptureRequest",
    "CaptureResult",
]

JSON: Final = "application/json"
MSGPACK: Final = "application/msgpack"


class _Form(msgspec.Struct, rename="camel", omit_defaults=True):
    """An object of the protocol; fields with their default are left out."""


class CaptureBase(_Form):
    """The body that another one begins and ends like: ``head`` and ``tail`` count its bytes."""

    event_id: UUID
    slot: str
    head: int
    tail: int


class CaptureBody(_Form):
    """The bytes of a slot: ``data``, or where ``base`` is given, what stands between its head and tail."""

    slot: str
    salt: bytes
    data: bytes
    base: CaptureBase | None = None


class CaptureLease(_Form):
    """The writer's hold on its turn."""

    holder: UUID
    epoch: int
    ttl_ms: int


class CaptureClosing(_Form):
    """How a turn ends; needed on COMMIT and ABORT."""

    status: str
    error_class: str | None = None
    ms: int | None = None


class CaptureEvent(_Form):
    """One event as its writer made it.

    ``tokens`` is the summary without ``detail=``, ``detail`` the detail record's bytes, ``payload_hash`` the
    payload's commitment; ``place`` the seq that the writer counts on.  ``arrived``: bytes of its reply were
    kept as they arrived, and go with this result.
    """

    journal: Literal["turn", "conversation"]
    journal_id: UUID
    agent_id: UUID
    event_id: UUID
    type: str
    tokens: str
    detail: bytes
    payload_hash: bytes
    conversation_id: UUID | None = None
    bodies: list[CaptureBody] = []
    place: int | None = None
    lease: CaptureLease | None = None
    closing: CaptureClosing | None = None
    takeover: bool = False
    lane: str = ""
    arrived: bool = False


class CaptureClaim(_Form):
    """An outside name and the id it shall have, unless it has one already."""

    kind: Literal["agent", "conversation", "actor", "place", "message", "memory"]
    scope: UUID
    name: str
    target: UUID


class CaptureArrived(_Form):
    """Bytes of a reply that still arrives, behind its first ``start`` ones, until its call has a result.

    ``call_id`` is the event id of the MODEL_CALL in the journal: a turn's, or the conversation's own, where
    no ``data`` is a sign of life.  The first byte of ``data`` says how to read the rest: 0 as
    it is, 1 as a Zstandard frame, 2 as one made with the ledger's own dictionary.
    """

    journal_id: UUID
    agent_id: UUID
    conversation_id: UUID
    call_id: UUID
    start: int
    data: bytes
    lease: CaptureLease


class CaptureBatch(_Form):
    """All or nothing: the claim, then the events in order; or what arrived of a reply, alone."""

    events: list[CaptureEvent] = []
    claim: CaptureClaim | None = None
    arrived: CaptureArrived | None = None


class CaptureRequest(_Form):
    """Batches, each of which stands or falls alone."""

    batches: Annotated[list[CaptureBatch], msgspec.Meta(max_length=1024)]


class CapturePlaced(_Form):
    """What became of one event, and the place it has."""

    event_id: UUID
    status: Literal["appended", "duplicate", "conflict", "refused"]
    seq: int | None = None
    hash: bytes | None = None
    created_ms: int | None = None
    position: int | None = None


class CaptureResult(_Form):
    """What became of one batch; its events are answered one by one.

    ``existing``: the claim's name was taken, ``target`` is its owner, and nothing was appended.  ``refusal``
    is a word, ``reason`` a sentence.  ``unknown_base``: send the bodies whole.
    """

    status: Literal["appended", "duplicate", "existing", "conflict", "refused"]
    events: list[CapturePlaced] = []
    target: UUID | None = None
    refusal: str | None = None
    reason: str = ""


class CaptureAnswer(_Form):
    """Results in the order of the batches; what is appended is durable."""

    results: list[CaptureResult]
