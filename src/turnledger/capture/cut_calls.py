"""Replies that were still arriving when their turn lost its writer: what was kept of them is their result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.capture.composer import Composed, compose
from turnledger.capture.content import snapshot_body
from turnledger.capture.decoding import read_reply
from turnledger.capture.refusals import accepted, looked_up
from turnledger.capture.results import model_result, result_id
from turnledger.errors import DamagedRowError, GrammarError
from turnledger.model.draft import Batch, Draft, Journal, Lease
from turnledger.model.vocabulary import JournalKind, ModelStatus
from turnledger.wire.details import decode_detail

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.capture.sink import Sink
    from turnledger.capture.waiting import Work
    from turnledger.model.rows import EventRow, LeaseRow, LostCall

__all__ = ["cut_call", "cut_calls", "end_cut_calls"]


def cut_calls(sink: Sink, row: LeaseRow, lease: Lease | None = None) -> tuple[Draft, ...]:
    """Results of the turn's calls whose reply was still arriving, with status ``cut``.

    ``lease`` is that of the writer who goes on with the turn; without one they are for who ends it.
    """
    journal = Journal(JournalKind.TURN, row.turn)
    return tuple(
        [
            _result(seq, data, _provider(sink, row.turn, seq)).draft(
                journal, row.agent, row.conversation, lease=lease, takeover=lease is None
            )
            for seq, data in sink.arrived(row.turn).items()
        ]
    )


def cut_call(sink: Sink, lost: LostCall) -> Draft:
    """The result of a call outside any turn, whose writer shows no sign of life; the same one every time."""
    conversation = lost.conversation
    data = sink.arrived(conversation).get(lost.seq, b"")
    result = _result(lost.seq, data, _provider(sink, conversation, lost.seq), result_id(lost.event_id))
    return result.draft(Journal(JournalKind.CONVERSATION, conversation), lost.agent, conversation)


def end_cut_calls(sink: Sink, row: LeaseRow, lease: Lease) -> Work[None]:
    """Append them in the name of who has just taken the turn over.  Raises CaptureRefused."""
    what = "What arrived of a lost model call"
    drafts = looked_up(what, cut_calls, sink, row, lease)
    if drafts:
        yield from accepted(sink, Batch(drafts), what)


def _result(seq: int, data: bytes, provider: str | None, event_id: UUID | None = None) -> Composed:
    body = snapshot_body(data)
    reply, _ = read_reply(body, provider, None, None)
    event, facts = model_result(seq, ModelStatus.CUT, reply, reply.usage)
    return compose(event, body, facts=facts, event_id=event_id)._replace(arrived=True)


def _provider(sink: Sink, journal: UUID, seq: int) -> str | None:
    try:
        found: list[EventRow] = sink.events(journal, seq, 1)
        provider = decode_detail(found[0].detail).get("provider") if found else None
    except (GrammarError, DamagedRowError):  # another writer's, or damaged: nothing can be learnt from it
        return None
    return provider if isinstance(provider, str) else None
