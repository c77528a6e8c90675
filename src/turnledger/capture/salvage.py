"""What is still true of a batch whose turn has ended, or is another writer's, when it is forwarded."""

from __future__ import annotations

from turnledger.capture.translation import as_spooled
from turnledger.errors import GrammarError
from turnledger.ids import derived_id
from turnledger.model.draft import Batch, BatchResult, Draft, Journal, Refusal
from turnledger.model.events import Late, TurnOpened
from turnledger.model.registry import OUTCOME_TYPES
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import Assurance, JournalKind
from turnledger.store.admission import assurance_of
from turnledger.store.spool import Refused, SpoolRow
from turnledger.wire.details import decode_detail, encode_detail

__all__ = ["late", "salvaged"]

_OVER = frozenset({Refusal.TURN_CLOSED, Refusal.TURN_LOST, Refusal.OUT_OF_PLACE, Refusal.UNKNOWN_JOURNAL})


def salvaged(row: SpoolRow, result: BatchResult) -> tuple[SpoolRow | None, Refused]:
    """The row that takes the refused one's place (None: nothing does), and what is refused for good.

    Outcomes become LATE in their conversation, and what was said there stays.  A row is salvaged once.
    """
    batch = row.batch
    may_be_split = row.kept is None and result.refusal in _OVER
    kept: dict[int, Draft] = {}
    for number, draft in enumerate(batch.drafts) if may_be_split and _has_turn(batch) else ():
        part = _part(draft)
        if part is not None:
            kept[number] = part
    rest = tuple([draft for number, draft in enumerate(batch.drafts) if number not in kept])
    refused = Refused(Batch(rest, batch.claim), result.refusal, result.reason)
    if not kept:
        return None, refused
    return row._replace(batch=Batch(tuple(kept.values())), tried=False, kept=tuple(kept)), refused


def _has_turn(batch: Batch) -> bool:
    return any(draft.journal.kind is JournalKind.TURN for draft in batch.drafts)


def _part(draft: Draft) -> Draft | None:
    if draft.journal.kind is JournalKind.CONVERSATION:
        return None if draft.type == TurnOpened.TYPE else draft
    return late(draft) if draft.type in OUTCOME_TYPES else None


def late(draft: Draft) -> Draft | None:
    """An outcome as LATE of its conversation, the same one every time; None where it has no conversation."""
    conversation = draft.conversation
    if conversation is None:
        return None
    try:
        record = decode_detail(draft.detail)
    except GrammarError:
        return None
    (draft,) = as_spooled(Batch((draft,))).drafts
    event_id = derived_id(draft.event_id, "late")
    call = parse_summary(draft.tokens).get("call", "")
    event = Late(turn=draft.journal.id, type=draft.type, call=int(call) if call.isdigit() else None)
    return draft._replace(
        journal=Journal(JournalKind.CONVERSATION, conversation),
        event_id=event_id,
        type=Late.TYPE,
        tokens=event.summary(assurance_of(draft.tokens) or Assurance.OBSERVED),
        detail=encode_detail(record | {"id": event_id.hex, "tokens": draft.tokens}),
        place=None,
        lease=None,
        closing=None,
    )
