"""Cost records: append-only, summed by the record that counts, untouched by a rebuild, on every engine."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass
from uuid import UUID

import psycopg
import pytest

from tests.conformance.handwriting import Hand, tamper
from turnledger.model.costs import CallCost, CostState, CostSums, NewCost
from turnledger.store.costs import FIRST, CostReader
from turnledger.store.rebuild import differences, rebuild

DAY = 86_400_000


@dataclass
class Scene:
    agent: UUID
    other: UUID
    talk: UUID
    turn: UUID
    jid: int
    cid: int
    aid: int


@pytest.fixture
def scene(hand: Hand) -> Scene:
    """A turn with three ended model calls and a tool call, and a call of another agent."""
    with hand.change() as change:
        agent, other = change.agent("support"), change.agent("ops")
        talk, foreign = change.conversation(agent), change.conversation(other)
        turn, theirs = change.turn(talk), change.turn(foreign)
        for number in range(3):
            change.event(turn, "MODEL_CALL", "model=gpt", over={"created_ms": 1000 + number})
            change.event(
                turn,
                "MODEL_RESULT",
                f"call={1 + 2 * number} status=ok model=gpt-{number % 2} in=10 out=1",
                over={"created_ms": 2000 + number},
            )
        change.event(turn, "TOOL_RESULT", "call=7 tool=look status=ok", over={"created_ms": 2003})
        change.event(theirs, "MODEL_RESULT", "call=1 status=ok in=5", over={"created_ms": 2000})
        journal = change.found.journals[turn]
        aid = change.found.agents[agent].aid
    return Scene(agent, other, talk, turn, journal.jid, journal.cid or 0, aid)


@pytest.fixture
def costs(hand: Hand) -> CostReader:
    return CostReader(lambda: hand.reader)


def _priced(scene: Scene, number: int, nano: int, edition: int = 0, currency: str = "USD") -> NewCost:
    seq = 2 + 2 * number
    key = (scene.aid, 2000 + number, scene.jid, seq, edition, scene.cid)
    return NewCost(*key, "priced", nano, currency, None, "openai", "gpt", "list 1", b"\x01" * 16, 9000)


def _unknown(scene: Scene, number: int, state: str, reason: str, edition: int = 0) -> NewCost:
    key = (scene.aid, 2000 + number, scene.jid, 2 + 2 * number, edition, scene.cid)
    return NewCost(*key, state, None, None, reason, None, None, "list 1", None, 9000)


def _add(hand: Hand, *rows: NewCost) -> int:
    return sum(map(len, hand.engine.change_each("insert_cost", rows)))


def test_calls_are_listed_until_they_have_a_record(hand: Hand, costs: CostReader, scene: Scene) -> None:
    calls, going_on = costs.calls(scene.agent, FIRST, None, 0, 10)
    assert [(call.jid, call.seq, call.called_ms, call.edition) for call in calls] == [
        (scene.jid, 2, 2000, None),
        (scene.jid, 4, 2001, None),
        (scene.jid, 6, 2002, None),
    ]
    assert going_on is None
    _add(hand, _priced(scene, 0, 5), _unknown(scene, 1, "unpriced", "no-model"))
    assert [
        [call.seq for call in costs.calls(scene.agent, FIRST, None, which, 10)[0]] for which in (0, 1, 2)
    ] == [
        [6],
        [4, 6],
        [2, 4, 6],
    ]


def test_what_a_model_came_to_late_is_listed_too(hand: Hand, costs: CostReader) -> None:
    with hand.change() as change:
        agent = change.agent("late")
        talk = change.conversation(agent)
        turn = change.turn(talk)
        for kind in ("MODEL_RESULT", "TOOL_RESULT"):
            change.event(talk, "LATE", f"turn={turn} type={kind} call=1", over={"created_ms": 3000})
    (late,), _ = costs.calls(agent, FIRST, None, 0, 10)
    assert late.called_ms == 3000
    assert "type=MODEL_RESULT" in late.tokens
    assert costs.count_calls(agent, 3000, None) == 1
    key = (late.aid, late.called_ms, late.jid, late.seq, 0, late.cid)
    _add(hand, NewCost(*key, "priced", 7, "USD", None, "openai", "gpt-late", "list 1", None, 9000))
    assert costs.of_models(agent, (0, DAY))["gpt-late"].nano == {"USD": 7}


def _late(hand: Hand, scene: Scene, seq: int, aid: int, nano: int) -> NewCost:
    cid, jid = (
        hand.load(scene.talk).conversations[scene.talk].cid,
        hand.load(scene.talk).journals[scene.talk].jid,
    )
    key = (aid, 3000 + seq, jid, seq, 0, cid)
    return NewCost(*key, "priced", nano, "USD", None, "openai", "gpt", "list 1", None, 9000)


@pytest.fixture
def late(hand: Hand, scene: Scene) -> Scene:
    """What two calls of the turn came to after its end, one of them priced together with one in the turn."""
    with hand.change(scene.talk, scene.turn) as change:
        for _ in range(2):
            seq = change.found.journals[scene.talk].next_seq
            change.event(
                scene.talk,
                "LATE",
                f"turn={scene.turn} type=MODEL_RESULT call=1",
                over={"created_ms": 3000 + seq},
            )
    _add(hand, _priced(scene, 0, 5), _late(hand, scene, seq, scene.aid, 7))
    return scene


def test_what_came_late_is_in_the_sum_of_its_turn(hand: Hand, costs: CostReader, late: Scene) -> None:
    assert costs.of_turns([late.turn])[late.turn] == CostSums(Counter({"USD": 12}), priced=2)
    assert costs.of_conversations([late.talk])[late.talk] == costs.of_turns([late.turn])[late.turn]
    assert list(differences(hand.reader, lambda _: None)) == []
    tamper(hand.url, "UPDATE calls SET turn = NULL")
    assert [one.table for one in differences(hand.reader, lambda _: None)] == ["calls"]
    rebuild(hand.reader, hand.engine, lambda _: None)
    assert list(differences(hand.reader, lambda _: None)) == []
    assert costs.of_turns([late.turn])[late.turn].nano == {"USD": 12}


def test_what_came_late_counts_for_no_turn_of_another_agent(
    hand: Hand, costs: CostReader, late: Scene
) -> None:
    with hand.change() as change:
        other = change.agent("third")
        talk = change.conversation(other)
        change.event(talk, "LATE", f"turn={late.turn} type=MODEL_RESULT call=1", over={"created_ms": 4000})
    (foreign,), _ = costs.calls(other, (3999, 0, 0), None, 0, 10)
    key = (foreign.aid, foreign.called_ms, foreign.jid, foreign.seq, 0, foreign.cid)
    _add(hand, NewCost(*key, "priced", 100, "USD", None, "openai", "gpt", "list 1", None, 9000))
    assert costs.of_turns([late.turn])[late.turn].nano == {"USD": 12}


def test_a_ledger_from_before_has_them_after_its_migration(
    hand: Hand, costs: CostReader, late: Scene
) -> None:
    hand.close()
    tamper(
        hand.url,
        "DROP INDEX calls_late",
        "ALTER TABLE calls DROP COLUMN turn",
        "DROP TABLE live_calls",
        "DELETE FROM migrations WHERE number >= 9",
    )
    again = Hand(hand.url)
    try:
        assert list(differences(again.reader, lambda _: None)) == []
        costs = CostReader(lambda: again.reader)
        assert costs.of_turns([late.turn])[late.turn].nano == {"USD": 12}
    finally:
        again.close()


def test_calls_come_in_pages_and_within_times(costs: CostReader, scene: Scene) -> None:
    first, key = costs.calls(scene.agent, FIRST, None, 0, 2)
    assert key is not None
    assert key == (2001, scene.jid, 4)
    rest, end = costs.calls(scene.agent, key, None, 0, 2)
    assert ([call.seq for call in first + rest], end) == ([2, 4, 6], None)
    within, _ = costs.calls(scene.agent, (2001, -1, -1), 2002, 0, 10)
    assert [call.seq for call in within] == [4]
    assert costs.count_calls(scene.agent, 2001, None) == 2


def test_intents_are_found_by_their_place(costs: CostReader, scene: Scene) -> None:
    found = costs.intents([(scene.jid, 1), (scene.jid, 2), (scene.jid, 99)])
    assert list(found) == [(scene.jid, 1)]
    tokens, _, created_ms = found[scene.jid, 1]
    assert (tokens, created_ms) == ("model=gpt assurance=w", 1000)


def test_a_record_that_is_there_already_is_left_as_it_is(hand: Hand, costs: CostReader, scene: Scene) -> None:
    assert _add(hand, _priced(scene, 0, 5)) == 1
    assert _add(hand, _priced(scene, 0, 7), _priced(scene, 1, 1)) == 1
    assert costs.of_turns([scene.turn])[scene.turn].nano == {"USD": 6}


@pytest.mark.parametrize("statement", ["UPDATE costs SET nano = 1", "DELETE FROM costs"])
def test_records_refuse_to_be_changed(hand: Hand, scene: Scene, statement: str) -> None:
    _add(hand, _priced(scene, 0, 5))
    with pytest.raises((psycopg.Error, sqlite3.Error), match="append-only"):
        tamper(hand.url, statement)


def test_t06_a_new_edition_counts_and_the_old_one_stays(hand: Hand, costs: CostReader, scene: Scene) -> None:
    _add(hand, _priced(scene, 0, 5))
    _add(hand, _priced(scene, 0, 3, edition=1))
    assert costs.of_turns([scene.turn])[scene.turn] == CostSums(Counter({"USD": 3}), priced=1)
    assert costs.of_journal(scene.turn) == {
        2: [
            CallCost(2, 0, CostState.PRICED, 5, "USD", None, "openai", "gpt", "list 1", 9000),
            CallCost(2, 1, CostState.PRICED, 3, "USD", None, "openai", "gpt", "list 1", 9000),
        ]
    }


def test_sums_by_turn_conversation_agent_model_and_time(hand: Hand, costs: CostReader, scene: Scene) -> None:
    _add(
        hand,
        _priced(scene, 0, 5),
        _priced(scene, 1, 7, currency="EUR"),
        _unknown(scene, 2, "unbilled", "fetched"),
        _unknown(scene, 0, "unpriced", "no-usage", edition=1),
        _priced(scene, 0, 6, edition=2),
    )
    whole = CostSums(Counter(USD=6, EUR=7), priced=2, unbilled=1, reasons=Counter(fetched=1))
    assert costs.of_turns([scene.turn]) == {scene.turn: whole}
    assert costs.of_conversations([scene.talk]) == {scene.talk: whole}
    assert costs.of_conversations([scene.talk], (2001, 2002)) == {
        scene.talk: CostSums(Counter(EUR=7), priced=1)
    }
    assert costs.of_spans(scene.agent, [(0, DAY)]) == {0: whole}
    assert costs.of_spans(scene.agent, [(2000, 2001), (2002, 2003), (2003, DAY)]) == {
        2000: CostSums(Counter(USD=6), priced=1),
        2002: CostSums(unbilled=1, reasons=Counter(fetched=1)),
    }
    assert costs.of_models(scene.agent, (0, DAY)) == {
        "gpt-0": CostSums(Counter(USD=6), priced=1, unbilled=1, reasons=Counter(fetched=1)),
        "gpt-1": CostSums(Counter(EUR=7), priced=1),
    }
    assert costs.of_spans(scene.other, [(0, DAY)]) == {}


def test_an_answer_that_was_billed_is_found_in_its_conversation(
    hand: Hand, costs: CostReader, scene: Scene
) -> None:
    _add(hand, _priced(scene, 1, 5))
    answer = b"\x01" * 16
    found = costs.billed([(scene.cid, answer), (scene.cid, b"\x02" * 16), (scene.cid + 1, answer)])
    assert found == {(scene.cid, answer): [(2001, scene.jid, 4)]}


def test_a_rebuild_leaves_cost_records_alone(hand: Hand, costs: CostReader, scene: Scene) -> None:
    _add(hand, _priced(scene, 0, 5), _unknown(scene, 1, "unpriced", "no-model"))
    before = costs.of_journal(scene.turn)
    rebuild(hand.reader, hand.engine, lambda _more: None)
    assert costs.of_journal(scene.turn) == before
    assert [call.seq for call in costs.calls(scene.agent, FIRST, None, 0, 10)[0]] == [6]
    assert costs.of_models(scene.agent, (0, DAY))["gpt-0"].nano == {"USD": 5}


def test_large_amounts_are_summed_exactly(hand: Hand, costs: CostReader, scene: Scene) -> None:
    """Beyond 2^53, where floating point would lose the last digits."""
    _add(hand, _priced(scene, 0, 2**60 + 1), _priced(scene, 1, 2**60 + 2))
    assert costs.of_turns([scene.turn])[scene.turn].nano == {"USD": 2**61 + 3}
