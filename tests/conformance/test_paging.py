"""Keyset pages and cursors: nothing twice, nothing left out, however many rows share a time."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.handwriting import Hand
from turnledger.model.vocabulary import TurnStatus
from turnledger.store.contract import ConversationFilter, Page, RowConflictError, TurnFilter

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.model.rows import EventRow

TIES = 173


def _turns(hand: Hand) -> tuple[UUID, UUID, list[UUID]]:
    """173 turns opened in one transaction, so at one time; two in three have ended."""
    with hand.change() as change:
        agent = change.agent("support")
        talk = change.conversation(agent)
        turns = [change.turn(talk) for _ in range(TIES)]
        for number, turn in enumerate(turns):
            if number % 3:
                change.close(turn, "failed" if number % 3 == 1 else "completed")
    return agent, talk, turns


@pytest.mark.parametrize("limit", [50, 1, 1000])
@pytest.mark.parametrize("scope", ["install", "agent", "conversation", "status", "statuses"])
def test_r03_turns_with_one_opening_time(hand: Hand, limit: int, scope: str) -> None:
    agent, talk, turns = _turns(hand)
    where = {
        "install": TurnFilter(),
        "agent": TurnFilter(agent=agent),
        "conversation": TurnFilter(conversation=talk),
        "status": TurnFilter(statuses=frozenset({TurnStatus.FAILED})),
        "statuses": TurnFilter(agent=agent, statuses=frozenset({TurnStatus.FAILED, TurnStatus.RUNNING})),
    }[scope]
    expected = {
        "status": [turn for number, turn in enumerate(turns) if number % 3 == 1],
        "statuses": [turn for number, turn in enumerate(turns) if number % 3 != 2],
    }.get(scope, turns)
    assert len({row.opened_ms for row in hand.reader.turns(TurnFilter(), Page(limit=1000))}) == 1
    walked: list[UUID] = []
    page = Page(limit=limit)
    while rows := hand.reader.turns(where, page):
        assert len(rows) <= limit
        walked += [row.id for row in rows]
        page = Page(limit=limit, after=hand.reader.turn_key(rows[-1]))
    assert walked == expected[::-1]


@pytest.mark.parametrize("limit", [50, 1])
@pytest.mark.parametrize("scope", ["install", "agent", "actor"])
def test_r03_conversations_with_one_time_of_activity(hand: Hand, limit: int, scope: str) -> None:
    with hand.change() as change:
        agent = change.agent("support")
        talks = [change.conversation(agent) for _ in range(TIES)]
        for talk in talks:
            change.event(talk, "MESSAGE", f"direction=inbound actor={agent} chars=1")
    where = {
        "install": ConversationFilter(),
        "agent": ConversationFilter(agent=agent),
        "actor": ConversationFilter(actor=agent),
    }[scope]
    walked: list[UUID] = []
    page = Page(limit=limit)
    while rows := hand.reader.conversations(where, page):
        assert len(rows) <= limit
        walked += [row.id for row in rows]
        page = Page(limit=limit, after=hand.reader.conversation_key(rows[-1]))
    assert walked == talks[::-1]


def test_latest_first_across_times(hand: Hand) -> None:
    made: list[UUID] = []
    for number in range(4):
        with hand.change() as change:
            talk = change.conversation(change.agent(str(number)))
            made.append(change.turn(talk))
        time.sleep(0.003)
    rows = hand.reader.turns(TurnFilter(), Page())
    assert [row.id for row in rows] == made[::-1]
    talks = [row.conversation for row in rows]
    with hand.change(talks[2], rows[2].agent) as change:
        change.event(talks[2], "MESSAGE", "direction=inbound chars=1")
    recent = hand.reader.conversations(ConversationFilter(), Page())
    assert [row.id for row in recent] == [talks[2], talks[0], talks[1], talks[3]]
    halfway = rows[1].opened_ms
    assert len(hand.reader.turns(TurnFilter(since_ms=halfway), Page())) == 2
    assert len(hand.reader.turns(TurnFilter(until_ms=halfway), Page())) == 2
    behind = Page(after=hand.reader.turn_key(rows[0]))
    assert [row.id for row in hand.reader.turns(TurnFilter(until_ms=halfway), behind)] == [made[1], made[0]]


@pytest.mark.parametrize("limit", [50, 1])
def test_r03_a_conversations_flow_in_both_directions(hand: Hand, limit: int) -> None:
    _, talk, _ = _turns(hand)
    everything = hand.reader.flow(talk, after=None, before=None, limit=10_000)
    positions = [row.position for row in everything]
    assert positions == list(range(len(everything)))
    up: list[EventRow] = []
    while rows := hand.reader.flow(talk, after=up[-1].position if up else None, before=None, limit=limit):
        up += rows
    assert up == everything
    down: list[EventRow] = []
    before: int | None = len(everything)
    while rows := hand.reader.flow(talk, after=None, before=before, limit=limit):
        down = rows + down
        before = rows[0].position
    assert down == everything
    between = hand.reader.flow(talk, after=4, before=9, limit=3)
    assert [row.position for row in between] == [6, 7, 8]


def test_events_of_a_journal_from_any_place(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent, talk, turn) as change:
        for number in range(20):
            change.event(turn, "PROGRESS", f"kind=ack chars={number}")
    assert [row.seq for row in hand.reader.events(turn, 0, 5)] == [0, 1, 2, 3, 4]
    assert [row.seq for row in hand.reader.events(turn, 18, 50)] == [18, 19, 20]
    assert hand.reader.events(turn, 21, 50) == []


# --- since -----------------------------------------------------------------------------------------


def _follow(hand: Hand, cursor: int, limit: int, agent: UUID | None = None) -> tuple[list[EventRow], int]:
    """Everything beyond the cursor, page by page."""
    found: list[EventRow] = []
    while True:
        rows, cursor = hand.reader.since(cursor, limit, agent)
        found += rows
        if not rows:
            return found, cursor


@pytest.mark.parametrize("limit", [1, 7, 1000])
def test_since_gives_every_event_once(hand: Hand, limit: int) -> None:
    assert hand.reader.since(0, 10, None) == ([], hand.reader.head_cursor())
    agent, _, turn = hand.opened("one")
    middle = hand.reader.head_cursor()
    other_agent, _, other_turn = hand.opened("two")
    found, cursor = _follow(hand, 0, limit)
    assert [row.type for row in found] == ["OPENED", "TURN_OPENED", "INTAKE"] * 2
    assert [row.cursor for row in found] == sorted({row.cursor for row in found})
    assert cursor == hand.reader.head_cursor()
    assert [row.agent for row in _follow(hand, middle, limit)[0]] == [other_agent] * 3
    assert [row.agent for row in _follow(hand, 0, limit, agent)[0]] == [agent] * 3
    assert _follow(hand, 0, limit, agent)[1] == cursor
    assert _follow(hand, cursor, limit) == ([], cursor)
    assert {turn, other_turn} <= {row.journal.id for row in found}


def test_since_never_skips_what_commits_late(hand: Hand, other: Hand) -> None:
    first = hand.opened("first")
    second = hand.opened("second")
    cursor = hand.reader.head_cursor()
    following: list[EventRow] = []

    def write_beside() -> None:
        while True:
            try:
                with other.change(*second) as change:
                    change.event(second[2], "PROGRESS", "kind=ack chars=2")
            except RowConflictError:
                continue
            return

    beside = threading.Thread(target=write_beside)
    with hand.change(*first) as change:
        change.event(first[2], "PROGRESS", "kind=ack chars=1")
        beside.start()
        beside.join(0.5)  # where two can write at once, the other one is done by now
        rows, cursor = hand.reader.since(cursor, 100, None)
        following += rows
    beside.join()
    following += _follow(hand, cursor, 100)[0]
    assert sorted(row.journal.id for row in following) == sorted([first[2], second[2]])


def test_since_follows_two_busy_writers(hand: Hand, other: Hand) -> None:
    places = [hand.opened("first"), hand.opened("second")]
    cursor = hand.reader.head_cursor()
    done = threading.Event()
    following: list[EventRow] = []

    def follow() -> None:
        nonlocal cursor
        last = False
        while True:
            rows, cursor = hand.reader.since(cursor, 5, None)
            following.extend(rows)
            if last and not rows:
                return
            last = done.is_set()

    def write(writer: Hand, place: tuple[Any, ...]) -> None:
        written = 0
        while written < 40:
            try:
                with writer.change(*place) as change:
                    change.event(place[2], "PROGRESS", f"kind=ack chars={written}")
                written += 1
            except RowConflictError:
                continue

    follower = threading.Thread(target=follow)
    writers = [threading.Thread(target=write, args=pair) for pair in zip((hand, other), places, strict=True)]
    follower.start()
    for thread in writers:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    follower.join()
    for _, _, turn in places:
        assert [row.seq for row in following if row.journal.id == turn] == list(range(1, 41))
    assert len(following) == 80
