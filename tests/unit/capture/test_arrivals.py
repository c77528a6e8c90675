"""Streams that break off with their process: what had arrived of a reply is kept, and becomes its result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from tests.adapters.stub import anthropic_events, chat_events
from tests.patience import eventually
from tests.unit.capture.house import House, opened
from turnledger.capture.ledger import Ledger
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import StoreSink
from turnledger.capture.turn import Turn
from turnledger.errors import CaptureRefused, LedgerUnavailableError
from turnledger.model.draft import ARRIVED_AT_MOST, Batch, BatchResult
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.timeline import Entry
from turnledger.store.arrivals import arrived_replies

REQUEST = json.dumps({"model": "gpt-asked", "stream": True, "messages": [{"role": "user", "content": "Hi"}]})
PIECES = chat_events("Your ", "order ", "is ", "here").pieces


@pytest.fixture
def house() -> Iterator[House]:
    """Nothing happens by itself here: a test says when what arrived is kept."""
    with opened(lease_s=600) as one:
        one.ledger._core.arrivals.stop()
        yield one


def streaming(house: House, turn: Turn | None = None) -> tuple[Turn, ModelCallStep]:
    """A turn with a call that has had no output yet."""
    if turn is None:
        turn = house.agent.conversation("c").turn()
        turn.__enter__()
    call = turn.model_call(request=REQUEST, provider="openai")
    call.__enter__()
    return turn, call


def keep(house: House) -> None:
    """Keep what is new, until that is answered."""
    arrivals = house.ledger._core.arrivals
    arrivals.keep(all_of_them=True)
    for reply in arrivals._replies:
        if reply._sent is not None:
            reply._sent.exception(10)


def kept(house: House, turn: Turn) -> dict[int, bytes]:
    return arrived_replies(house.sink.store.reader, turn.id)


def fall_silent(house: House) -> None:
    """As a process that is killed: its lease runs out."""
    house.ledger._core.heartbeat.stop()
    house.clock.move(601)


def sweep(house: House) -> None:
    assert Sweeper(StoreSink(house.sink.store)).sweep() == 1


def late(house: House, turn: Turn) -> list[Entry]:
    conversation = house.reading.turn(turn.id).turn.conversation
    return house.all(conversation, "LATE")


def test_what_arrived_grows_beside_the_journal_and_is_no_event(house: House) -> None:
    turn, call = streaming(house)
    before = house.types(turn.id)
    keep(house)
    assert kept(house, turn) == {}
    for number, piece in enumerate(PIECES, 1):
        call.chunk(piece)
        keep(house)
        assert kept(house, turn) == {call.seq: b"".join(PIECES[:number])}
    assert house.types(turn.id) == before
    batches = house.sink.batches
    keep(house)
    assert house.sink.batches == batches  # nothing was new


def test_the_thread_keeps_it_by_itself() -> None:
    with opened() as house:
        turn, call = streaming(house)
        call.chunk(PIECES[0])
        eventually(lambda: kept(house, turn) == {call.seq: PIECES[0]})
        call.chunk(PIECES[1])
        eventually(lambda: kept(house, turn) == {call.seq: b"".join(PIECES[:2])})


def test_a_reply_that_ends_takes_what_was_kept_with_it(house: House) -> None:
    turn, call = streaming(house)
    call.chunk(PIECES[0])
    keep(house)
    for piece in PIECES[1:]:
        call.chunk(piece)
    call.result()
    call.__exit__(None, None, None)
    for _ in range(2):
        assert kept(house, turn) == {}
        keep(house)
    assert house.ledger._core.arrivals._replies == []
    result = house.only(turn.id, "MODEL_RESULT")
    assert (result.tokens["status"], house.body(result)) == ("ok", b"".join(PIECES))


def test_a_killed_stream_is_cut_and_shows_what_had_arrived(house: House) -> None:
    turn, call = streaming(house)
    for piece in PIECES[:2]:
        call.chunk(piece)
    keep(house)
    call.chunk(PIECES[2])  # not kept any more
    fall_silent(house)
    sweep(house)
    result = house.only(turn.id, "MODEL_RESULT")
    assert result.tokens == {
        "call": str(call.seq), "status": "cut", "model": "gpt-served", "assurance": "w",
        "detail": result.tokens["detail"],
    }  # fmt: skip
    assert house.body(result) == b"".join(PIECES[:2])
    assert (result.detail["usage"], result.detail["flags"]) == ("absent", ["cut"])
    report = house.reading.turn(turn.id)
    assert report.turn.status is TurnStatus.INTERRUPTED
    assert [step.doubt for step in report.steps] == [None]
    assert house.types(turn.id)[-2:] == ["MODEL_RESULT", "ABORT"]
    assert kept(house, turn) == {}


def test_early_counts_of_a_cut_reply_are_partial(house: House) -> None:
    turn, call = streaming(house)
    for piece in anthropic_events("Your ", "order").pieces[:3]:
        call.chunk(piece)
    keep(house)
    fall_silent(house)
    sweep(house)
    result = house.only(turn.id, "MODEL_RESULT")
    assert (result.tokens["in"], result.tokens.get("out")) == ("9", None)
    assert result.detail["usageFlags"] == ["partial"]


def test_several_streams_of_a_turn_are_cut_each_with_its_own(house: House) -> None:
    turn, first = streaming(house)
    _, second = streaming(house, turn)
    _, silent = streaming(house, turn)
    second.chunk(PIECES[1])
    first.chunk(PIECES[0])
    keep(house)
    fall_silent(house)
    sweep(house)
    results = house.all(turn.id, "MODEL_RESULT")
    assert [(one.tokens["call"], house.body(one)) for one in results] == [
        (str(first.seq), PIECES[0]),
        (str(second.seq), PIECES[1]),
    ]
    doubts = {step.intent.row.seq: step.doubt for step in house.reading.turn(turn.id).steps}
    assert doubts[silent.seq] == "in doubt: may have happened"


def test_a_process_that_comes_back_records_all_of_it_late(house: House) -> None:
    turn, call = streaming(house)
    call.chunk(PIECES[0])
    keep(house)
    fall_silent(house)
    sweep(house)
    for piece in PIECES[1:]:
        call.chunk(piece)
        keep(house)
    assert kept(house, turn) == {}
    call.result()
    call.__exit__(None, None, None)
    (outcome,) = late(house, turn)
    assert (outcome.tokens["type"], outcome.tokens["call"]) == ("MODEL_RESULT", str(call.seq))
    assert house.body(outcome) == b"".join(PIECES)
    assert house.only(turn.id, "MODEL_RESULT").tokens["status"] == "cut"
    assert house.ledger._core.arrivals._replies == []


def test_a_turn_that_is_taken_over_knows_what_had_arrived(house: House) -> None:
    turn, call = streaming(house)
    call.chunk(PIECES[0])
    keep(house)
    _, silent = streaming(house, turn)
    other = Ledger(StoreSink(house.sink.store), lease_s=600, clock=house.clock)
    house.others.append(other)
    fall_silent(house)
    with other.agent("support").resume(turn.id) as resumed:
        first, second = house.all(turn.id, "MODEL_RESULT")
        assert (first.tokens["call"], first.tokens["status"]) == (str(call.seq), "cut")
        assert house.body(first) == PIECES[0]
        assert (second.tokens["call"], second.tokens["status"]) == (str(silent.seq), "unknown")
        call.result(PIECES[0] + PIECES[1])
        call.__exit__(None, None, None)
        resumed.commit("Anew.")
    assert kept(house, turn) == {}
    assert [one.tokens["type"] for one in late(house, turn)] == ["MODEL_RESULT"]


def test_what_could_not_be_kept_is_kept_when_the_ledger_is_back(house: House) -> None:
    turn, call = streaming(house)
    call.chunk(PIECES[0])
    house.fail_on()
    keep(house)
    call.chunk(PIECES[1])
    keep(house)
    assert kept(house, turn) == {}
    house.heal()
    keep(house)
    keep(house)
    assert kept(house, turn) == {call.seq: b"".join(PIECES[:2])}


def test_one_answer_is_waited_for_before_more_is_sent(house: House) -> None:
    _, call = streaming(house)
    sent: list[Batch] = []
    never: Future[BatchResult] = Future()

    def stuck(batch: Batch) -> Future[BatchResult]:
        sent.append(batch)
        return never

    real, house.sink.append = house.sink.append, stuck
    arrivals = house.ledger._core.arrivals
    for piece in PIECES[:3]:
        call.chunk(piece)
        arrivals.keep(all_of_them=True)
    assert len(sent) == 1
    house.sink.append = real
    never.set_exception(LedgerUnavailableError("It is away."))


def test_a_torrent_is_kept_in_portions(house: House) -> None:
    turn, call = streaming(house)
    torrent = bytes(range(256)) * (ARRIVED_AT_MOST // 256) + b"and a bit more"
    call.chunk(torrent)
    keep(house)
    assert kept(house, turn) == {call.seq: torrent[:ARRIVED_AT_MOST]}
    keep(house)
    assert kept(house, turn) == {call.seq: torrent}


@pytest.mark.parametrize("end", ["commit", "abort", "leave"])
def test_a_turn_that_ends_before_its_stream_keeps_what_had_arrived(house: House, end: str) -> None:
    turn, call = streaming(house)
    call.chunk(PIECES[0])
    keep(house)
    if end == "commit":
        receipt = turn.commit("Enough.")
        assert house.entries(turn.id)[receipt.future.result().seq].row.type == "COMMIT"
    elif end == "abort":
        turn.abort("Enough.")
    turn.__exit__(None, None, None)
    result = house.only(turn.id, "MODEL_RESULT")
    assert (result.tokens["status"], house.body(result)) == ("aborted", PIECES[0])
    last = house.entries(turn.id)[-1]
    assert last.tokens.get("open", "0") == "0"
    assert house.reading.turn(turn.id).turn.open_steps == 0
    for piece in PIECES[1:]:
        call.chunk(piece)
    keep(house)
    assert kept(house, turn) == {}
    call.result()
    call.__exit__(None, None, None)
    (outcome,) = late(house, turn)
    assert house.body(outcome) == b"".join(PIECES)
    assert "status=ok" in str(outcome.detail["tokens"])


def test_what_is_no_output_and_what_stands_outside_of_a_turn_is_not_kept(house: House) -> None:
    turn, call = streaming(house)
    call.chunk(b"{", is_output=False)
    with house.agent.conversation("c").model_call(request=REQUEST) as outside:
        outside.chunk(PIECES[0])
        keep(house)
        outside.result()
    assert kept(house, turn) == {}


def test_a_ledger_that_refuses_harms_no_stream(house: House) -> None:
    turn, call = streaming(house)
    call.chunk(PIECES[0])
    house.ledger._core.sink.close()
    keep(house)
    assert house.ledger._core.arrivals._replies == []
    call.chunk(PIECES[1])
    with pytest.raises(CaptureRefused):
        turn.progress("more")
