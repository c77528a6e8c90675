"""Actors, memory, incidents and the balance as answers."""

from __future__ import annotations

from typing import Literal, cast
from uuid import UUID

from turnledger.model.figures import ActorMessage, ActorRow, MemoryPlace, NoticeRow
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import DeliveryStatus
from turnledger.query.balance import GRACE_MS, MessageBalance
from turnledger.query.paging import Listed
from turnledger.server.answers import people
from turnledger.server.answers.form import instant
from turnledger.server.caller import Asking
from turnledger.server.render.conversations import message_answers
from turnledger.server.render.left_out import left_out_answer

__all__ = [
    "actor_timeline",
    "actors_answer",
    "balance_answer",
    "deliveries_answer",
    "disposals_answer",
    "memory_answer",
    "memory_entry",
]

UnaccountedReason = Literal["undecided", "engaged_without_turn", "turn_missing"]


def actors_answer(asking: Asking, page: Listed[ActorRow]) -> people.ActorList:
    """Who writes to an agent."""
    return people.ActorList(
        items=[
            people.Actor(
                id=row.id,
                name=row.name,
                messages=row.messages,
                conversations=row.conversations,
                first_at=instant(row.first_ms),
                last_at=instant(row.last_ms),
            )
            for row in page.items
        ],
        has_more=page.has_more,
        next=page.next,
        damaged=left_out_answer(asking, page.damaged),
    )


def actor_timeline(asking: Asking, actor: UUID, page: Listed[ActorMessage]) -> people.ActorTimeline:
    """One actor's messages."""
    return people.ActorTimeline(
        actor_id=actor,
        name=asking.reader.names([actor]).get(actor),
        items=message_answers(asking, [one.message for one in page.items], previews=True),
        has_more=page.has_more,
        next=page.next,
        damaged=left_out_answer(asking, page.damaged),
    )


def memory_answer(asking: Asking, page: Listed[MemoryPlace]) -> people.MemoryList:
    """Revisions of all entries."""
    return people.MemoryList(
        items=[_revision(one) for one in page.items],
        has_more=page.has_more,
        next=page.next,
        damaged=left_out_answer(asking, page.damaged),
    )


def memory_entry(asking: Asking, entry: UUID, page: Listed[MemoryPlace]) -> people.MemoryEntry:
    """Revisions of one entry."""
    return people.MemoryEntry(
        entry_id=entry,
        key=page.items[0].row.key if page.items else None,
        items=[_revision(one) for one in page.items],
        has_more=page.has_more,
        next=page.next,
        damaged=left_out_answer(asking, page.damaged),
    )


def _revision(place: MemoryPlace) -> people.MemoryRevision:
    row = place.row
    return people.MemoryRevision(
        entry_id=row.entry,
        key=row.key,
        revision=row.revision,
        op=row.op.value,
        created_at=instant(row.created_ms),
        event_id=row.event_id,
        conversation_id=row.conversation,
        turn_id=row.turn,
    )


def disposals_answer(asking: Asking, page: Listed[NoticeRow]) -> people.DisposalList:
    """Triggers that were dropped or folded."""
    return people.DisposalList(
        items=[_disposal(row) for row in page.items],
        has_more=page.has_more,
        next=page.next,
        damaged=left_out_answer(asking, page.damaged),
    )


def _disposal(row: NoticeRow) -> people.Disposal:
    tokens = parse_summary(row.tokens)
    return people.Disposal(
        kind="shed" if row.type == "SHED" else "collapsed",
        conversation_id=row.conversation,
        seq=row.seq,
        event_id=row.event_id,
        created_at=instant(row.created_ms),
        message_seq=row.message,
        into_seq=_number(tokens, "into"),
        reason=row.word,
        age_ms=_number(tokens, "ageMs"),
        stale_ms=_number(tokens, "staleMs"),
        depth=_number(tokens, "depth"),
        collapsed=_number(tokens, "collapsed"),
    )


def _number(tokens: dict[str, str], key: str) -> int | None:
    value = tokens.get(key, "")
    return int(value) if value.isascii() and value.isdigit() else None


def deliveries_answer(asking: Asking, page: Listed[NoticeRow]) -> people.DeliveryList:
    """Reports on deliveries; one in words that the contract does not have is passed over."""
    known = set(DeliveryStatus)
    return people.DeliveryList(
        items=[
            people.Delivery(
                conversation_id=row.conversation,
                seq=row.seq,
                event_id=row.event_id,
                created_at=instant(row.created_ms),
                message_seq=row.message,
                status=DeliveryStatus(row.word).value,
                attempt=_number(parse_summary(row.tokens), "attempt"),
            )
            for row in page.items
            if row.word in known and row.message is not None
        ],
        has_more=page.has_more,
        next=page.next,
        damaged=left_out_answer(asking, page.damaged),
    )


def balance_answer(asking: Asking, found: MessageBalance, live_cursor: str) -> people.Balance:
    """Every inbound message's fate, as it was no earlier than at ``live_cursor``."""
    return people.Balance(
        agent_id=found.agent,
        since=instant(found.since_ms),
        until=instant(found.until_ms),
        live_cursor=live_cursor,
        received=found.received,
        fates=found.fates,
        balanced=found.balanced,
        grace_ms=GRACE_MS,
        unaccounted=[
            people.Unaccounted(
                conversation_id=row.conversation,
                seq=row.seq,
                event_id=row.event_id,
                created_at=instant(row.created_ms),
                reason=cast("UnaccountedReason", row.reason),
            )
            for row in found.unaccounted
        ],
        damaged=left_out_answer(asking, found.damaged),
    )
