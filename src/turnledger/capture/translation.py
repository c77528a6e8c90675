"""A batch that was made while the ledger was away, in the ledger's own places and ids.

Stand-ins for places are exchanged in tokens and details, ids that a name had already are put where the
proposed ones stand.  The same batch and the same answers give the same bytes: a second try is a duplicate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from turnledger.errors import GrammarError
from turnledger.model.draft import AliasKind, Arrived, Batch, Claim, Draft
from turnledger.model.vocabulary import Assurance, MemoryOp
from turnledger.wire.details import decode_detail, encode_detail

__all__ = ["Absent", "Translation", "as_spooled", "with_revision"]

_PLACES: Final = re.compile(
    r"(?P<before>^| )(?P<key>message|into|replyTo|trigger|call|prompt|from|subject)=(?P<place>-\d+)(?= |$)"
)
_OPTIONAL: Final = frozenset({"replyTo", "trigger", "prompt", "from", "subject"})
_PLACES_IN_DETAIL: Final = ("trigger", "retryOf", "step")
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_WRITE_AHEAD: Final = re.compile(rf"(?<=assurance=){Assurance.WRITE_AHEAD}(?= |$)")
_REVISION: Final = re.compile(r"(?P<before>^| )revision=-?\d+(?= |$)")
_OP: Final = re.compile(r"(?P<before>^| )op=(?:create|update)(?= |$)")
_SUB_AGENT: Final = "agent:"


class Absent(Exception):  # noqa: N818  what is not there is no error of anybody's
    """The batch speaks of an event that is not in the ledger."""


class Translation:
    """``seq_of`` gives the seq for a stand-in, or None where that event is not in the ledger."""

    def __init__(self, seq_of: Callable[[int], int | None], ids: Mapping[UUID, UUID]) -> None:
        self._seq_of = seq_of
        self._ids = ids

    def batch(self, batch: Batch) -> Batch:
        """The batch in the ledger's words.  Raises Absent, and whatever ``seq_of`` raises."""
        claim = batch.claim
        return Batch(
            tuple([self._draft(draft) for draft in batch.drafts]),
            None if claim is None else self._claim(claim),
            None if batch.arrived is None else self._arrived(batch.arrived),
        )

    def id(self, proposed: UUID) -> UUID:
        """The ledger's id for a proposed one."""
        return self._ids.get(proposed, proposed)

    def _claim(self, claim: Claim) -> Claim:
        name = claim.name
        if self._ids and claim.kind is AliasKind.CONVERSATION and name.startswith(_SUB_AGENT):
            name = self._text(name)
        return Claim(claim.kind, self.id(claim.scope), name, claim.target)

    def _arrived(self, arrived: Arrived) -> Arrived:
        return arrived._replace(
            journal=self.id(arrived.journal),
            agent=self.id(arrived.agent),
            conversation=self.id(arrived.conversation),
        )

    def _draft(self, draft: Draft) -> Draft:
        tokens, detail = draft.tokens, draft.detail
        if "=-" in tokens:
            tokens = _PLACES.sub(self._place, tokens).removeprefix(" ")
        if b":-" in detail:
            detail = self._detail(detail)
        if tokens == draft.tokens and detail == draft.detail and not self._ids:
            return draft
        if not self._ids:
            return draft._replace(tokens=tokens, detail=detail)
        return draft._replace(
            journal=draft.journal._replace(id=self.id(draft.journal.id)),
            agent=self.id(draft.agent),
            conversation=None if draft.conversation is None else self.id(draft.conversation),
            tokens=self._text(tokens),
            detail=self._text(detail.decode()).encode(),
        )

    def _place(self, found: re.Match[str]) -> str:
        seq = self._seq_of(int(found["place"]))
        if seq is not None:
            return f"{found['before']}{found['key']}={seq}"
        if found["key"] in _OPTIONAL:
            return ""
        msg = f"It speaks of an event that is not in the ledger ({found['key']})."
        raise Absent(msg)

    def _detail(self, detail: bytes) -> bytes:
        try:
            record = decode_detail(detail)
        except GrammarError:  # the ledger will say so
            return detail
        for key in _PLACES_IN_DETAIL:
            place = record.get(key)
            if isinstance(place, int) and place < 0:
                seq = self._seq_of(place)
                record.pop(key)
                record |= {} if seq is None else {key: seq}
        return encode_detail(record)

    def _text(self, text: str) -> str:
        return _UUID.sub(lambda found: str(self.id(UUID(found[0]))), text)


def as_spooled(batch: Batch) -> Batch:
    """The batch with the assurance of events that were durable in the spool before they ran.

    What had a lower one keeps it.
    """
    drafts = [
        draft._replace(tokens=_WRITE_AHEAD.sub(Assurance.SPOOLED, draft.tokens)) for draft in batch.drafts
    ]
    return batch._replace(drafts=tuple(drafts))


def with_revision(draft: Draft, revision: int) -> Draft:
    """A MEMORY_WRITE with the number that its entry's next revision has in the ledger."""
    tokens = _REVISION.sub(rf"\g<before>revision={revision}", draft.tokens)
    op = MemoryOp.CREATE if revision == 1 else MemoryOp.UPDATE
    return draft._replace(tokens=_OP.sub(rf"\g<before>op={op}", tokens))
