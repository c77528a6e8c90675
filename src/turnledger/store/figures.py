"""Figures over time and lists across conversations, always of one agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Final, TypeAlias
from uuid import UUID

from turnledger.model.figures import (
    ActorMessage,
    ActorRow,
    CallCounts,
    MemoryPlace,
    NoticeRow,
    SpanFigures,
    TokenCounts,
    TopConversation,
    TopName,
    TurnLease,
    UnaccountedRow,
    UnansweredRow,
)
from turnledger.model.rows import AgentRow, EventRow, MessageRow, Rows, TurnRow
from turnledger.model.vocabulary import InboundVerdict, TurnStatus
from turnledger.store.cells import (
    ACTOR,
    COUNTED_CONVERSATION,
    NOTICE,
    OF_CONVERSATION,
    TURN_LEASE,
    UNACCOUNTED,
    UNANSWERED,
    check,
)
from turnledger.store.contract import Reader
from turnledger.store.sql_mapping import Row, name_text
from turnledger.store.sql_rows import agent_row, event_row, filled, listed, memory_row, message_row, turn_row

__all__ = ["LAST", "FiguresReader"]

LAST: Final = 2**63 - 1
"""Beyond every key: where a list that goes backwards begins."""

_ANY: Final = b""
_NEWEST: Final = (LAST, LAST, LAST)

_Key: TypeAlias = Callable[[Row], tuple[int, ...]]
_CURSOR: Final[Callable[[Row], int]] = itemgetter(13)
_MESSAGE_KEY: Final[_Key] = itemgetter(6, 13, 0)
_MEMORY_KEY: Final[_Key] = itemgetter(4, 8, 9)
_REVISION_KEY: Final[_Key] = itemgetter(2, 8, 9)
_UNANSWERED_KEY: Final[_Key] = itemgetter(5, 1, 2)
_NOTICE_KEY: Final[_Key] = itemgetter(6, 1, 2)


class FiguresReader:
    """What a ledger's reader can count and list beside journals.  Safe to use from many threads."""

    def __init__(self, reader: Callable[[], Reader]) -> None:
        self._reader = reader

    def agent(self, agent: UUID) -> AgentRow | None:
        """The agent with this id."""
        rows = self._reader().ask("get_agent", agent=agent.bytes)
        return agent_row(rows[0]) if rows else None

    # --- figures -------------------------------------------------------------------------------

    def spans(self, agent: UUID, spans: Sequence[tuple[int, int]]) -> list[SpanFigures]:
        """Figures of each stretch (since, until in epoch ms); no two may begin at the same time."""
        found = {since: SpanFigures(since, until) for since, until in spans}
        for statement, take in _TAKERS:
            reader = self._reader()
            # Parameters come in the order in which a statement names them: since, agent, until.
            for row in reader.ask_each(statement, [(since, agent.bytes, until) for since, until in spans]):
                take(found[row[0]], row[1:])
        return list(found.values())

    def top_names(self, agent: UUID, kind: str, span: tuple[int, int], limit: int) -> list[TopName]:
        """Models (``model``) or tools (``tool``) that were called most."""
        rows = self._reader().ask(
            "list_top_names", agent=agent.bytes, kind=kind, since_ms=span[0], until_ms=span[1], limit=limit
        )
        return [
            TopName(name, CallCounts(calls, failed, TokenCounts(*tokens)), total_ms, max_ms)
            for name, calls, failed, *tokens, total_ms, max_ms in rows
        ]

    def top_conversations(self, agent: UUID, span: tuple[int, int], limit: int) -> Rows[TopConversation]:
        """Conversations whose model calls took most tokens."""
        rows = self._reader().ask(
            "list_top_conversations", agent=agent.bytes, since_ms=span[0], until_ms=span[1], limit=limit
        )
        return listed(_top_conversation, rows)

    # --- the balance ---------------------------------------------------------------------------

    def fates(self, agent: UUID, span: tuple[int, int], settled_ms: int) -> dict[str, int]:
        """Inbound messages by what became of them, as ``count_fates`` names it.

        One that nobody decided about by ``settled_ms`` is undecided, a younger one waits.
        """
        rows = self._reader().ask(
            "count_fates", agent=agent.bytes, since_ms=span[0], until_ms=span[1], settled_ms=settled_ms
        )
        return dict((fate, count) for fate, count in rows)  # noqa: C402  rows are of any type, pairs are not

    def unaccounted(
        self, agent: UUID, span: tuple[int, int], settled_ms: int, limit: int
    ) -> Rows[UnaccountedRow]:
        """Inbound messages that no fate was found for, newest first."""
        rows = self._reader().ask(
            "list_unaccounted",
            agent=agent.bytes,
            since_ms=span[0],
            until_ms=span[1],
            settled_ms=settled_ms,
            limit=limit,
        )
        return listed(_unaccounted, rows)

    def unanswered(
        self,
        agent: UUID | None,
        conversation: UUID | None,
        since_ms: int,
        after: tuple[int, ...] | None,
        limit: int,
    ) -> Rows[UnansweredRow]:
        """Inbound messages without a reply that no turn is at work on, newest first, short of a key."""

        def rows(before: tuple[int, ...]) -> list[Row]:
            return self._reader().ask(
                "list_unanswered",
                any=_ANY,
                agent=_ANY if agent is None else agent.bytes,
                conversation=_ANY if conversation is None else conversation.bytes,
                since_ms=since_ms,
                before_ms=before[0],
                before_cid=before[1],
                before_seq=before[2],
                limit=limit,
            )

        return filled(_unanswered, rows, _UNANSWERED_KEY, after or _NEWEST, limit)

    # --- lists ---------------------------------------------------------------------------------

    def actors(self, agent: UUID, after: tuple[int, UUID] | None, limit: int) -> Rows[ActorRow]:
        """Who wrote to the agent, latest message first; ``after`` is (last_ms, id) of the row before."""
        before_ms, before_actor = (LAST, _ANY) if after is None else (after[0], after[1].bytes)
        rows = self._reader().ask(
            "list_actors", agent=agent.bytes, before_ms=before_ms, before_actor=before_actor, limit=limit
        )
        return listed(_actor, rows)

    def messages_of(
        self, agent: UUID, actor: UUID, after: tuple[int, ...] | None, limit: int
    ) -> Rows[ActorMessage]:
        """One actor's messages in all conversations with the agent, newest first."""

        def rows(before: tuple[int, ...]) -> list[Row]:
            return self._reader().ask(
                "list_messages_of_actor",
                agent=agent.bytes,
                actor=actor.bytes,
                before_ms=before[0],
                before_cid=before[1],
                before_seq=before[2],
                limit=limit,
            )

        return filled(_message_of, rows, _MESSAGE_KEY, after or _NEWEST, limit)

    def memory(
        self,
        agent: UUID,
        conversation: UUID | None,
        after: tuple[int, ...] | None,
        limit: int,
    ) -> Rows[MemoryPlace]:
        """Revisions of all memory entries, newest first."""

        def rows(before: tuple[int, ...]) -> list[Row]:
            return self._reader().ask(
                "list_memory_page",
                any=_ANY,
                agent=agent.bytes,
                conversation=_ANY if conversation is None else conversation.bytes,
                before_ms=before[0],
                before_jid=before[1],
                before_seq=before[2],
                limit=limit,
            )

        def place(row: Row) -> MemoryPlace:
            return MemoryPlace(memory_row(row), _MEMORY_KEY(row))

        return filled(place, rows, _MEMORY_KEY, after or _NEWEST, limit)

    def revisions(
        self, agent: UUID, entry: UUID, after: tuple[int, ...] | None, limit: int
    ) -> Rows[MemoryPlace]:
        """Revisions of one memory entry, highest first."""

        def rows(before: tuple[int, ...]) -> list[Row]:
            return self._reader().ask(
                "list_memory_page_of_entry",
                agent=agent.bytes,
                entry=entry.bytes,
                before_revision=before[0],
                before_jid=before[1],
                before_seq=before[2],
                limit=limit,
            )

        def place(row: Row) -> MemoryPlace:
            return MemoryPlace(memory_row(row), _REVISION_KEY(row))

        return filled(place, rows, _REVISION_KEY, after or _NEWEST, limit)

    def notices(
        self,
        agent: UUID,
        kind: str,
        word: str | None,
        since_ms: int,
        after: tuple[int, ...],
        limit: int,
    ) -> Rows[NoticeRow]:
        """SHED, COLLAPSED or DELIVERY events (``kind``), newest first, short of the key ``after``."""

        def rows(before: tuple[int, ...]) -> list[Row]:
            return self._reader().ask(
                "list_notices",
                agent=agent.bytes,
                type=kind,
                word=word or "",
                since_ms=since_ms,
                before_ms=before[0],
                before_cid=before[1],
                before_seq=before[2],
                limit=limit,
            )

        return filled(_notice, rows, _NOTICE_KEY, after, limit)

    def last_messages(self, conversations: Sequence[UUID]) -> Rows[MessageRow]:
        """The newest message of each conversation that has one."""
        rows = self._reader().ask_each("get_last_message", [(one.bytes,) for one in conversations])
        return listed(_message, rows)

    def events(self, events: Sequence[UUID]) -> Rows[EventRow]:
        """The events with these ids, as far as there are such and their rows are sound."""
        return listed(event_row, self._reader().ask_each("get_event", [(one.bytes,) for one in events]))

    def children(self, turn: UUID, limit: int) -> Rows[TurnRow]:
        """Turns that this one started, of any agent."""
        return listed(turn_row, self._reader().ask("list_turns_of_parent", parent=turn.bytes, limit=limit))

    def events_back(self, cursor: int, limit: int) -> Rows[EventRow]:
        """Events of all agents short of ``cursor``, newest first."""

        def rows(before: int) -> list[Row]:
            return self._reader().ask("list_events_back", cursor=before, limit=limit)

        return filled(event_row, rows, _CURSOR, cursor, limit)

    def lease(self, turn: UUID) -> TurnLease | None:
        """Who holds a turn; None where there is no such turn."""
        rows = self._reader().ask("get_lease", turn=turn.bytes)
        if not rows:
            return None
        check(rows[0], TURN_LEASE)
        agent, conversation, holder, epoch, until_ms, closed = rows[0]
        return TurnLease(
            UUID(bytes=agent),
            UUID(bytes=conversation),
            None if holder is None else UUID(bytes=holder),
            epoch,
            until_ms,
            bool(closed),
        )

    def count_journals(self) -> int:
        """How many journals the ledger has."""
        return int(self._reader().ask("count_journals")[0][0])


def _name(stored: bytes | None) -> str | None:
    return None if stored is None else name_text(stored)


def _top_conversation(row: Row) -> TopConversation:
    check(row, COUNTED_CONVERSATION)
    one, key, calls, *tokens = row
    return TopConversation(UUID(bytes=one), _name(key), CallCounts(calls, 0, TokenCounts(*tokens)))


def _unaccounted(row: Row) -> UnaccountedRow:
    check(row, UNACCOUNTED)
    one, seq, event, created_ms, reason = row
    return UnaccountedRow(UUID(bytes=one), seq, UUID(bytes=event), created_ms, reason)


def _unanswered(row: Row) -> UnansweredRow:
    check(row, UNANSWERED)
    one, _, seq, name, actor, created_ms, verdict, shed, turn, status, error_class = row
    return UnansweredRow(
        UUID(bytes=one),
        seq,
        name_text(name),
        None if actor is None else UUID(bytes=actor),
        created_ms,
        None if verdict is None else InboundVerdict(verdict),
        shed,
        None if turn is None else UUID(bytes=turn),
        None if status is None else TurnStatus(status),
        error_class,
        _UNANSWERED_KEY(row),
    )


def _actor(row: Row) -> ActorRow:
    check(row, ACTOR)
    actor, name, *counts = row
    return ActorRow(UUID(bytes=actor), _name(name), *counts)


def _message(row: Row) -> MessageRow:
    check(row[12:], OF_CONVERSATION)
    return message_row(UUID(bytes=row[12]), row[:12])


def _message_of(row: Row) -> ActorMessage:
    return ActorMessage(_message(row), _MESSAGE_KEY(row))


def _notice(row: Row) -> NoticeRow:
    check(row, NOTICE)
    one, _, seq, type_, word, message, ms, event, tokens = row
    return NoticeRow(
        UUID(bytes=one), seq, UUID(bytes=event), type_, word, message, ms, tokens, _NOTICE_KEY(row)
    )


# --- rows of each statement into the figures of their stretch ------------------------------------


def _take_turns(figures: SpanFigures, row: Row) -> None:
    status, bin_ms, count, longest = row
    figures.statuses[status] += count
    if bin_ms is not None:
        figures.turn_ms.add({bin_ms: count}, longest)


def _take_calls(figures: SpanFigures, row: Row) -> None:
    kind, bin_ms, calls, longest, failed, *tokens = row
    counts = CallCounts(calls, failed, TokenCounts(*tokens))
    if kind != "model":
        figures.tools = figures.tools.plus(counts)
        return
    figures.models = figures.models.plus(counts)
    if bin_ms is not None:
        figures.model_ms.add({bin_ms: calls}, longest)


def _take_notices(figures: SpanFigures, row: Row) -> None:
    kind, word, count = row
    if kind == "SHED":
        figures.shed[word or "unknown"] += count
    elif word == "failed":
        figures.failed_deliveries += count


_TAKERS: Final[tuple[tuple[str, Callable[[SpanFigures, Row], None]], ...]] = (
    ("count_turns", _take_turns),
    ("count_calls", _take_calls),
    ("count_notices", _take_notices),
)
