"""Verdicts, search hits and the ledger's state as answers."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from turnledger.integrity.verdict import worst
from turnledger.model.rows import ConversationRow
from turnledger.model.vocabulary import JournalKind
from turnledger.query.findings import Finding as FoundOut
from turnledger.query.search import Found, Hit
from turnledger.query.verify import Verification
from turnledger.server.answers import findings
from turnledger.server.answers.form import instant, moment
from turnledger.server.caller import Asking
from turnledger.server.ledger_check import CheckState
from turnledger.server.render.left_out import left_out_answer

__all__ = ["finding_answer", "findings_answer", "integrity_answer", "job_answer", "search_answer"]

_NO_CHECKPOINTS = (
    "Heads of journals are not signed yet: a privileged rewrite of a whole conversation, or its deletion, "
    "cannot be told from the record alone."
)


def finding_answer(found: Verification) -> findings.Finding:
    """What was found about one journal."""
    said = FoundOut.of_journal(found)
    return findings.Finding(
        target=found.id,
        agent_id=found.agent,
        kind=said.kind,
        verdict=said.verdict.value,
        broken_at_seq=said.broken_at_seq,
        reason=said.reason,
        explanation=said.explanation,
        warnings=list(said.warnings),
        events=said.events,
        bodies=findings.BodyCounts(
            checked=found.bodies.checked, pruned=found.bodies.pruned, not_checked=found.bodies.skipped
        ),
        not_covered=list(said.not_covered),
        head=said.head or None,
    )


def findings_answer(found: Iterable[Verification]) -> findings.FindingList:
    """Findings, and the lowest verdict among them."""
    all_found = list(found)
    return findings.FindingList(
        verdict=worst(one.verdict for one in all_found).value,
        items=[finding_answer(one) for one in all_found],
        has_more=False,
    )


def job_answer(state: CheckState) -> findings.VerificationJob:
    """A verification of the whole ledger, as far as it is."""
    return findings.VerificationJob(
        state=state.state,
        started_at=instant(state.started_ms),
        finished_at=moment(state.finished_ms),
        journals=state.journals,
        checked=state.checked,
        events=state.events,
        verdict=None if state.verdict is None else state.verdict.value,
        faults=list(state.faults),
        unsound=[finding_answer(one) for one in state.unsound],
        unsound_count=state.unsound_count,
        error=state.error,
    )


def integrity_answer(asking: Asking) -> findings.Integrity:
    """How far the ledger can be trusted."""
    state = asking.service.check.latest
    return findings.Integrity(
        ledger_id=asking.reader.ledger_id(),
        checkpoints=findings.Checkpoints(state="none", explanation=_NO_CHECKPOINTS),
        verification=None if state is None else job_answer(state),
    )


def search_answer(asking: Asking, found: Found) -> findings.SearchAnswer:
    """A page of hits with the names of where they stand, and how far the search came."""
    wanted = {hit.row.conversation for hit in found.hits if hit.row.conversation is not None}
    rows: dict[UUID | None, ConversationRow | None] = {one: asking.reader.conversation(one) for one in wanted}
    return findings.SearchAnswer(
        items=[_hit(hit, rows.get(hit.row.conversation)) for hit in found.hits],
        has_more=found.next is not None,
        next=found.next,
        complete=found.complete,
        requests_searched=found.requests,
        searched_events=found.events,
        searched_bytes=found.bytes,
        searched_back_to=moment(found.back_to_ms),
        unreadable_bodies=found.unreadable,
        damaged=left_out_answer(asking, found.damaged),
    )


def _hit(hit: Hit, talk: ConversationRow | None) -> findings.SearchHit:
    row = hit.row
    return findings.SearchHit(
        agent_id=row.agent,
        agent_name=None if talk is None else talk.agent_name,
        conversation_id=row.conversation,
        conversation_key=None if talk is None else talk.key,
        turn_id=_turn(row.journal.kind, row.journal.id),
        event_id=row.event_id,
        seq=row.seq,
        position=row.position,
        type=row.type,
        slot=hit.slot,
        created_at=instant(row.created_ms),
        snippets=[
            findings.Snippet(before=one.before, match=one.match, after=one.after) for one in hit.excerpts
        ],
    )


def _turn(kind: JournalKind, journal: UUID) -> UUID | None:
    return journal if kind is JournalKind.TURN else None
