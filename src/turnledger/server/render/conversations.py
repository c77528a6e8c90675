"""Conversations and timelines as answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from turnledger.model.costs import CostSums
from turnledger.model.rows import ConversationRow, MessageRow
from turnledger.query.conversation_list import ConversationPage
from turnledger.query.timeline import Entry
from turnledger.query.windows import Window
from turnledger.server.answers import conversations
from turnledger.server.answers.events import Preview
from turnledger.server.answers.form import instant
from turnledger.server.answers.turns import Turn
from turnledger.server.caller import Asking
from turnledger.server.render.costs import cost_answer
from turnledger.server.render.events import entry_answers, event_entries, names_in, preview_answers
from turnledger.server.render.left_out import left_out_answer
from turnledger.server.render.turns import turn_answers

__all__ = ["conversation_answer", "conversations_answer", "message_answers", "timeline_answer"]


def conversations_answer(
    asking: Asking, page: ConversationPage, *, previews: bool
) -> conversations.ConversationList:
    """A list of conversations, each with its newest message."""
    newest = asking.service.figures.last_messages([row.id for row in page.rows])
    return conversations.ConversationList(
        items=_conversations(asking, page.rows, newest, previews=previews),
        has_more=page.has_more,
        next=page.next,
        live_cursor=page.live_cursor,
        damaged=left_out_answer(asking, [*page.damaged, *newest.damaged]),
    )


def conversation_answer(
    asking: Asking, row: ConversationRow, *, previews: bool
) -> conversations.Conversation:
    """One conversation."""
    newest = asking.service.figures.last_messages([row.id])
    (answer,) = _conversations(asking, [row], newest, previews=previews)
    return answer


def _conversations(
    asking: Asking, rows: Sequence[ConversationRow], newest: Sequence[MessageRow], *, previews: bool
) -> list[conversations.Conversation]:
    messages = message_answers(asking, newest, previews=previews)
    last = {message.conversation_id: message for message in messages}
    costs = asking.service.costs.of_conversations([row.id for row in rows])
    return [_conversation(row, last.get(row.id), costs.get(row.id)) for row in rows]


def _conversation(
    row: ConversationRow, newest: conversations.Message | None, cost: CostSums | None
) -> conversations.Conversation:
    return conversations.Conversation(
        id=row.id,
        agent_id=row.agent,
        agent_name=row.agent_name,
        key=row.key,
        connector=row.connector,
        shape=row.shape.value,
        place=row.place,
        opened_at=instant(row.opened_ms),
        last_at=instant(row.last_ms),
        events=row.events,
        turns=row.turns,
        messages=row.messages,
        open_turns=row.open_turns,
        waiting_turns=row.waiting_turns,
        failed_turns=row.failed_turns,
        owes_reply=row.owes_reply > 0,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        cost=cost_answer(cost),
        last_message=None if newest is None else _last(newest),
    )


def _last(message: conversations.Message) -> conversations.LastMessage:
    return conversations.LastMessage(
        event_id=message.event_id,
        direction=message.direction,
        created_at=message.created_at,
        fate=message.fate,
        preview=message.preview,
    )


def message_answers(
    asking: Asking, rows: Sequence[MessageRow], *, previews: bool
) -> list[conversations.Message]:
    """Messages and what became of them."""
    shown: Mapping[UUID, Preview] = {}
    if previews and asking.sees_bodies:
        found = asking.service.figures.events([row.event_id for row in rows])
        shown = preview_answers(asking, event_entries(found))
    return [_message(row, shown.get(row.event_id)) for row in rows]


def _message(row: MessageRow, preview: Preview | None) -> conversations.Message:
    return conversations.Message(
        conversation_id=row.conversation,
        seq=row.seq,
        event_id=row.event_id,
        direction=row.direction.value,
        actor_id=row.actor,
        actor_name=row.actor_name,
        chars=row.chars,
        created_at=instant(row.created_ms),
        verdict=None if row.verdict is None else row.verdict.value,
        turn_id=row.turn,
        fate=row.fate,
        preview=preview,
    )


def timeline_answer(
    asking: Asking, row: ConversationRow, window: Window, *, previews: bool
) -> conversations.Timeline:
    """A window on a conversation, with the turns that stand or are named in it."""
    return conversations.Timeline(
        conversation_id=row.id,
        agent_id=row.agent,
        entries=entry_answers(asking, window.entries, previews=previews),
        has_more=window.has_more,
        before=window.before,
        after=window.after,
        total=row.events,
        turns=_turns(asking, window.entries),
        names=names_in(asking.reader, window.entries),
        damaged=left_out_answer(asking, window.damaged),
    )


def _turns(asking: Asking, entries: Sequence[Entry]) -> list[Turn]:
    """The turns of a window, in the order in which they come up in it."""
    rows = (asking.reader.turn(turn) for turn in dict.fromkeys(_turn_ids(entries)))
    return turn_answers(asking, [row for row in rows if row is not None])


def _turn_ids(entries: Iterable[Entry]) -> Iterable[UUID]:
    for entry in entries:
        named = entry.tokens.get("turn")
        if entry.turn is not None:
            yield entry.turn
        elif named is not None:
            try:
                yield UUID(named)
            except ValueError:
                continue
