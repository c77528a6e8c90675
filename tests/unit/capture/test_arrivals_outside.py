"""Calls outside any turn show signs of life of their own: without them what arrived becomes the result."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.adapters.stub import chat_events
from tests.unit.capture.house import House, opened
from turnledger.capture import arrivals
from turnledger.capture.conversation import Conversation
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import StoreSink
from turnledger.query.timeline import Entry
from turnledger.query.verify import verify_ledger
from turnledger.store.arrivals import arrived_replies

REQUEST = json.dumps({"model": "gpt-asked", "stream": True, "messages": [{"role": "user", "content": "Hi"}]})
PIECES = chat_events("Your ", "order ", "is ", "here").pieces


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """Nothing happens by itself here: a test says when what arrived is kept, with a sign of life."""
    monkeypatch.setattr(arrivals, "SIGNS", 10**9)
    with opened(lease_s=600) as one:
        one.ledger._core.arrivals.stop()
        yield one


@pytest.fixture
def talk(house: House) -> Conversation:
    return house.agent.conversation("c")


def streaming(talk: Conversation) -> ModelCallStep:
    call = talk.model_call(request=REQUEST, provider="openai")
    return call.__enter__()


def keep(house: House) -> None:
    kept = house.ledger._core.arrivals
    kept.keep(all_of_them=True)
    for reply in kept._replies:
        if reply._sent is not None:
            reply._sent.exception(10)


def sweep(house: House) -> None:
    Sweeper(StoreSink(house.sink.store)).sweep()


def results(house: House, talk: Conversation) -> list[Entry]:
    return house.all(talk.id, "MODEL_RESULT")


def lost(house: House) -> int:
    return len(house.sink.store.reader.lost_calls(10))


def test_what_arrived_is_the_result_when_nothing_is_heard_any_more(house: House, talk: Conversation) -> None:
    call = streaming(talk)
    for piece in PIECES[:3]:
        call.chunk(piece)
    keep(house)
    assert arrived_replies(house.sink.store.reader, talk.id) == {call.seq: b"".join(PIECES[:3])}
    sweep(house)
    assert results(house, talk) == []  # it lives
    house.clock.move(601)
    for _ in range(2):
        sweep(house)
        (result,) = results(house, talk)
    assert (result.tokens["call"], result.tokens["status"]) == (str(call.seq), "cut")
    assert result.tokens["model"] == "gpt-served"
    assert house.reading.body(result.row.event_id) == b"".join(PIECES[:3])
    assert arrived_replies(house.sink.store.reader, talk.id) == {}
    assert lost(house) == 0
    assert all(finding.sound for finding in verify_ledger(house.sink.store.reader))


def test_a_reply_that_pauses_shows_that_it_lives(house: House, talk: Conversation) -> None:
    call = streaming(talk)
    call.chunk(PIECES[0])
    for _ in range(3):
        keep(house)
        house.clock.move(500)
    assert lost(house) == 0
    call.chunk(PIECES[1])
    keep(house)
    assert arrived_replies(house.sink.store.reader, talk.id) == {call.seq: b"".join(PIECES[:2])}
    house.clock.move(601)
    assert lost(house) == 1


def test_a_call_that_ends_is_not_lost(house: House, talk: Conversation) -> None:
    call = streaming(talk)
    for piece in PIECES:
        call.chunk(piece)
        keep(house)
    call.result()
    call.__exit__(None, None, None)
    keep(house)
    house.clock.move(601)
    sweep(house)
    (result,) = results(house, talk)
    assert result.tokens["status"] == "ok"
    assert arrived_replies(house.sink.store.reader, talk.id) == {}


def test_the_whole_reply_of_one_that_was_taken_for_lost_comes_late(house: House, talk: Conversation) -> None:
    call = streaming(talk)
    call.chunk(PIECES[0])
    keep(house)
    house.clock.move(601)
    sweep(house)
    for piece in PIECES[1:]:
        call.chunk(piece)
    keep(house)
    call.result()
    call.__exit__(None, None, None)
    (result,) = results(house, talk)
    assert result.tokens["status"] == "cut"
    (late,) = house.all(talk.id, "LATE")
    assert (late.tokens["type"], late.tokens["call"]) == ("MODEL_RESULT", str(call.seq))
    assert "turn" not in late.tokens
    assert house.reading.body(late.row.event_id) == b"".join(PIECES)
    assert lost(house) == 0


def test_calls_in_parallel_are_told_apart(house: House, talk: Conversation) -> None:
    gone, done = streaming(talk), streaming(talk)
    for call, piece in ((gone, PIECES[0]), (done, PIECES[1])):
        call.chunk(piece)
    keep(house)
    done.result()
    done.__exit__(None, None, None)
    house.clock.move(601)
    sweep(house)
    assert {entry.tokens["call"]: entry.tokens["status"] for entry in results(house, talk)} == {
        str(done.seq): "cut",  # its stream has no end
        str(gone.seq): "cut",
    }
