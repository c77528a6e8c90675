"""Figures and lists across conversations: the same counts from every engine, of one agent only."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from turnledger.ids import new_id
from turnledger.model.draft import AliasKind
from turnledger.model.figures import CallCounts, Durations, TokenCounts
from turnledger.store.figures import LAST, FiguresReader

if TYPE_CHECKING:
    from tests.conformance.handwriting import Change, Hand

DAY = 86_400_000
BEGIN = LAST, LAST, LAST


@dataclass
class Scene:
    agent: UUID
    other: UUID
    talk: UUID
    aside: UUID
    actor: UUID
    turns: list[UUID]


def _at(ms: int) -> dict[str, object]:
    return {"created_ms": ms}


def _message(change: Change, talk: UUID, ms: int, actor: UUID) -> int:
    change.event(talk, "MESSAGE", f"direction=inbound actor={actor} chars=2", over=_at(ms))
    return change.found.journals[talk].next_seq - 1


@pytest.fixture
def scene(hand: Hand) -> Scene:
    """Day 0: three turns, one shed and one collapsed message; day 1: one turn of another agent."""
    actor, stranger = new_id(), new_id()
    with hand.change() as change:
        agent, other = change.agent("support"), change.agent("ops")
        change.alias(AliasKind.ACTOR, agent, "slack:U7", actor)
        talk, aside = change.conversation(agent), change.conversation(agent)
        change.alias(AliasKind.CONVERSATION, agent, "slack:C042", talk)
        foreign = change.conversation(other)
        turns: list[UUID] = []
        for number in range(3):
            seq = _message(change, talk, 1000 + number, actor)
            turn = change.turn(talk, str(seq))
            change.projection.turns[change.found.journals[turn].jid].opened_ms = 1000 + number
            change.event(turn, "MODEL_CALL", over=_at(2000))
            change.event(
                turn,
                "MODEL_RESULT",
                f"call=1 status=ok model=gpt in=10 out={number} ms={100 * (number + 1)}",
                over=_at(2000),
            )
            turns.append(turn)
        change.event(turns[0], "TOOL_CALL", "tool=look", over=_at(2000))
        change.event(turns[0], "TOOL_RESULT", "call=3 tool=look status=error ms=7", over=_at(2001))
        change.close(turns[0])
        change.close(turns[1], "failed", "class=ValueError ")
        shed = _message(change, aside, 3000, actor)
        change.event(aside, "SHED", f"message={shed} reason=queue_full ageMs=31 depth=9", over=_at(3001))
        folded = _message(change, aside, 3002, actor)
        change.event(aside, "COLLAPSED", f"message={folded} into={shed}", over=_at(3003))
        change.event(aside, "SHED", "reason=stale", over=_at(3004))
        change.event(aside, "MESSAGE", "direction=outbound chars=3", over=_at(3005))
        sent = change.found.journals[aside].next_seq - 1
        change.event(aside, "DELIVERY", f"message={sent} status=sending attempt=1", over=_at(3006))
        change.event(aside, "DELIVERY", f"message={sent} status=failed attempt=1", over=_at(3007))
        _message(change, foreign, 3000, stranger)
        change.event(foreign, "MODEL_RESULT", "call=1 status=ok model=gpt in=99", over=_at(2000))
    return Scene(agent, other, talk, aside, actor, turns)


@pytest.fixture
def figures(hand: Hand) -> FiguresReader:
    return FiguresReader(lambda: hand.reader)


def test_figures_of_a_stretch(figures: FiguresReader, scene: Scene) -> None:
    first, second = figures.spans(scene.agent, [(0, DAY), (DAY, 2 * DAY)])
    assert first.statuses == {"completed": 1, "failed": 1, "running": 1}
    assert first.models == CallCounts(3, 0, TokenCounts(30, 3))
    assert first.tools == CallCounts(1, 1, TokenCounts())
    assert first.model_ms == Durations(Counter({100: 1, 200: 1, 300: 1}), 300)
    assert first.turn_ms == Durations(Counter({1200: 2}), 1200)
    assert [first.model_ms.percentile(percent) for percent in (1, 34, 50, 67, 100)] == [
        100,
        200,
        200,
        300,
        300,
    ]
    assert first.shed == {"queue_full": 1, "stale": 1}
    assert first.failed_deliveries == 1
    assert (second.statuses, second.models, second.turn_ms) == ({}, CallCounts(), Durations())


def test_what_comes_late_is_no_further_call(hand: Hand, figures: FiguresReader) -> None:
    with hand.change() as change:
        agent = change.agent("late")
        talk = change.conversation(agent)
        turn = change.turn(talk)
        for kind in ("MODEL_RESULT", "TOOL_RESULT"):
            change.event(talk, "LATE", f"turn={turn} type={kind} call=1", over=_at(4000))
    (span,) = figures.spans(agent, [(0, DAY)])
    assert (span.models, span.tools) == (CallCounts(), CallCounts())


def test_stretches_are_half_open(figures: FiguresReader, scene: Scene) -> None:
    spans = figures.spans(scene.agent, [(0, 1001), (1001, 1002), (1002, DAY)])
    assert [sum(span.statuses.values()) for span in spans] == [1, 1, 1]


def test_what_was_used_most(figures: FiguresReader, scene: Scene) -> None:
    (model,) = figures.top_names(scene.agent, "model", (0, DAY), 5)
    assert (model.name, model.counts.calls, model.total_ms, model.max_ms) == ("gpt", 3, 600, 300)
    (tool,) = figures.top_names(scene.agent, "tool", (0, DAY), 5)
    assert (tool.name, tool.counts.failed) == ("look", 1)
    (most,) = figures.top_conversations(scene.agent, (0, DAY), 5)
    assert (most.conversation, most.key, most.counts.tokens.tokens_in) == (scene.talk, "slack:C042", 30)
    assert figures.top_names(scene.agent, "model", (DAY, 2 * DAY), 5) == []


def test_tokens_from_the_cache_count_where_most_were_used(hand: Hand, figures: FiguresReader) -> None:
    with hand.change() as change:
        agent = change.agent("thrifty")
        new, cached = change.conversation(agent), change.conversation(agent)
        for talk, tokens in ((new, "in=50 out=5"), (cached, "in=1 out=1 cacheRead=900 reasoning=7")):
            turn = change.turn(talk)
            change.event(turn, "MODEL_CALL", "bytes=1 form=wire")
            change.event(turn, "MODEL_RESULT", f"call=1 status=ok {tokens}")
    found = figures.top_conversations(agent, (0, 2**62), 5)
    assert [one.conversation for one in found] == [cached, new]


def test_fates_add_up(figures: FiguresReader, scene: Scene) -> None:
    fates = figures.fates(scene.agent, (0, DAY), 0)
    assert fates == {"completed": 1, "failed": 1, "running": 1, "shed": 1, "collapsed": 1}
    assert figures.unaccounted(scene.agent, (0, DAY), 0, 9) == []
    assert figures.fates(scene.other, (0, DAY), 0) == {"waiting": 1}
    assert figures.fates(scene.other, (0, DAY), DAY) == {"undecided": 1}
    (lost,) = figures.unaccounted(scene.other, (0, DAY), DAY, 9)
    assert (lost.seq, lost.created_ms, lost.reason) == (1, 3000, "undecided")


def test_a_message_whose_turn_is_gone_is_unaccounted_for(
    hand: Hand, figures: FiguresReader, scene: Scene
) -> None:
    with hand.change(scene.agent, scene.talk) as change:
        seq = _message(change, scene.talk, 5000, scene.actor)
        change.projection.messages[change.found.conversations[scene.talk].cid, seq].turn = new_id()
        engaged = _message(change, scene.talk, 5001, scene.actor)
        change.event(scene.talk, "VERDICT", f"message={engaged} verdict=engage", over=_at(5002))
    found = {row.seq: row.reason for row in figures.unaccounted(scene.agent, (0, DAY), DAY, 9)}
    assert found == {seq: "turn_missing", engaged: "engaged_without_turn"}


def test_what_got_no_reply_is_listed_with_what_is_on_record_of_why(
    figures: FiguresReader, scene: Scene
) -> None:
    (mine,) = figures.unanswered(scene.agent, None, 0, None, 50)
    assert (mine.conversation, mine.turn, mine.turn_status) == (scene.talk, scene.turns[1], "failed")
    assert (mine.error_class, mine.shed, mine.created_ms) == ("ValueError", None, 1001)
    theirs, same = figures.unanswered(None, None, 0, None, 50)
    assert (theirs.agent_name, theirs.verdict, theirs.turn, same) == ("ops", None, None, mine)
    assert figures.unanswered(None, None, 0, theirs.key, 50) == [mine]
    assert figures.unanswered(None, None, 1002, None, 50) == [theirs]
    assert figures.unanswered(None, scene.aside, 0, None, 50) == []  # a later message names none of them


def test_actors_and_their_messages(figures: FiguresReader, scene: Scene) -> None:
    (row,) = figures.actors(scene.agent, None, 9)
    assert (row.id, row.name, row.messages, row.conversations) == (scene.actor, "slack:U7", 5, 2)
    assert (row.first_ms, row.last_ms) == (1000, 3002)
    assert figures.actors(scene.agent, (row.last_ms, row.id), 9) == []
    messages = figures.messages_of(scene.agent, scene.actor, None, 9)
    assert [one.message.created_ms for one in messages] == [3002, 3000, 1002, 1001, 1000]
    assert [one.message.fate for one in messages] == ["collapsed", "shed", "turn", "turn", "turn"]
    assert figures.messages_of(scene.other, scene.actor, None, 9) == []


def test_r03_pages_of_equal_times_repeat_and_skip_nothing(hand: Hand, figures: FiguresReader) -> None:
    actor = new_id()
    with hand.change() as change:
        agent = change.agent("ties")
        talks = [change.conversation(agent) for _ in range(3)]
        for number in range(23):
            _message(change, talks[number % 3], 7000, actor)
    met: list[tuple[int, ...]] = []
    after: tuple[int, ...] | None = None
    while page := figures.messages_of(agent, actor, after, 4):
        met += [one.key for one in page]
        after = page[-1].key
    assert len(met) == len(set(met)) == 23


def test_notices_by_kind_and_word(figures: FiguresReader, scene: Scene) -> None:
    shed = figures.notices(scene.agent, "SHED", None, 0, BEGIN, 9)
    assert [(row.word, row.message) for row in shed] == [("stale", None), ("queue_full", 1)]
    assert "ageMs=31" in shed[1].tokens
    assert figures.notices(scene.agent, "SHED", None, 0, shed[0].key, 9) == shed[1:]
    assert figures.notices(scene.agent, "SHED", "stale", 0, BEGIN, 9) == shed[:1]
    assert figures.notices(scene.agent, "SHED", None, 3002, BEGIN, 9) == shed[:1]
    assert [row.word for row in figures.notices(scene.agent, "DELIVERY", None, 0, BEGIN, 9)] == [
        "failed",
        "sending",
    ]
    assert figures.notices(scene.other, "SHED", None, 0, BEGIN, 9) == []


def test_memory_in_pages(hand: Hand, figures: FiguresReader, scene: Scene) -> None:
    entry = new_id()
    with hand.change(scene.agent, scene.talk, scene.turns[2]) as change:
        for revision in range(1, 4):
            change.event(scene.turns[2], "MEMORY_WRITE", f"entry={entry} revision={revision} op=update")
    page = figures.memory(scene.agent, None, None, 2)
    rest = figures.memory(scene.agent, scene.talk, page[-1].key, 9)
    assert [one.row.revision for one in [*page, *rest]] == [3, 2, 1]
    assert {one.row.turn for one in page} == {scene.turns[2]}
    assert figures.memory(scene.agent, scene.aside, None, 9) == []
    first = figures.revisions(scene.agent, entry, None, 1)
    assert [one.row.revision for one in first] == [3]
    assert [one.row.revision for one in figures.revisions(scene.agent, entry, first[0].key, 9)] == [2, 1]
    assert figures.revisions(scene.agent, new_id(), None, 9) == []
    assert figures.revisions(scene.other, entry, None, 9) == []


def test_newest_messages(figures: FiguresReader, scene: Scene) -> None:
    found = figures.last_messages([scene.talk, scene.aside, new_id()])
    assert {row.conversation: row.created_ms for row in found} == {scene.talk: 1002, scene.aside: 3005}


def test_turns_that_a_turn_started(hand: Hand, figures: FiguresReader, scene: Scene) -> None:
    with hand.change() as change:
        agent = change.agent("helper")
        talk = change.conversation(agent)
        turn = change.turn(talk)
        change.projection.turns[change.found.journals[turn].jid].parent = scene.turns[0]
    (child,) = figures.children(scene.turns[0], 9)
    assert (child.id, child.agent, child.parent) == (turn, agent, scene.turns[0])
    assert figures.children(turn, 9) == []


def test_an_agent_by_its_id(figures: FiguresReader, scene: Scene) -> None:
    row = figures.agent(scene.other)
    assert row is not None
    assert (row.id, row.name) == (scene.other, "ops")
    assert figures.agent(new_id()) is None


def test_journals_are_counted(figures: FiguresReader, scene: Scene) -> None:
    assert scene.turns
    assert figures.count_journals() == 6


def test_a_lease_as_it_stands(hand: Hand, figures: FiguresReader, scene: Scene) -> None:
    running, closed = figures.lease(scene.turns[2]), figures.lease(scene.turns[0])
    assert running is not None
    assert closed is not None
    assert (running.agent, running.conversation, running.epoch) == (scene.agent, scene.talk, 1)
    assert (running.closed, running.until_ms is None) == (False, False)
    assert (closed.closed, closed.until_ms) == (True, None)
    assert figures.lease(scene.talk) is None
    assert hand.reader.turn(scene.turns[2]) is not None


def test_events_from_the_newest_back(figures: FiguresReader, scene: Scene) -> None:
    page = figures.events_back(LAST, 5)
    rest = figures.events_back(page[-1].cursor, 1000)
    cursors = [row.cursor for row in [*page, *rest]]
    assert cursors == sorted(set(cursors), reverse=True)
    assert {row.agent for row in rest} == {scene.agent, scene.other}
    assert rest[-1].type == "OPENED"


def test_durations_are_told_to_one_sixty_fourth(hand: Hand, figures: FiguresReader) -> None:
    lengths = [0, 1, 127, 128, 129, 255, 256, 1000, 65_535, 3_600_001, 10**9, 10**14]
    with hand.change() as change:
        agent = change.agent("timed")
        talk = change.conversation(agent)
        for ms in lengths:
            change.event(talk, "MODEL_RESULT", f"call=1 status=ok ms={ms}", over=_at(5))
    (found,) = figures.spans(agent, [(0, DAY)])
    assert found.model_ms.count == len(lengths)
    assert found.model_ms.longest == 10**14
    for ms, told in zip(lengths[:-1], sorted(found.model_ms.bins.elements()), strict=False):
        assert told <= ms <= told * 65 / 64 + 1
