"""Pricing what is on record: once, in portions, and again on demand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.conformance.handwriting import tamper
from tests.patience import eventually
from turnledger.capture.ledger import Ledger
from turnledger.capture.recovery import Sweeper
from turnledger.capture.sink import StoreSink
from turnledger.clock import SYSTEM
from turnledger.engine import pricing
from turnledger.engine.price_book import PRICES, price_book
from turnledger.engine.pricing import FollowingPricer, Pricer, PricingResult, Which
from turnledger.engine.recorder import open_ledger, store_of_recorder
from turnledger.errors import ForeignFileError
from turnledger.model.costs import CallCost
from turnledger.pricing.book import PriceBook
from turnledger.pricing.table import read_table
from turnledger.query.verify import verify_ledger
from turnledger.store.costs import CostReader
from turnledger.store.ledger_store import Store

OLD = '[[price]]\nmodel = "gpt"\ninput = 3.00\noutput = 15\n'
NEW = '[[price]]\nmodel = "gpt"\ninput = 1.50\noutput = 7.50\n[[price]]\nmodel = "mine"\ninput = 0\n'


@pytest.fixture
def ledger(engine: str) -> Iterator[Ledger]:
    ledger = open_ledger(engine)
    yield ledger
    ledger.close()


@pytest.fixture
def store(ledger: Ledger) -> Store:
    return store_of_recorder(ledger)


def _book(text: str) -> PriceBook:
    return PriceBook(read_table(text.encode(), "t"))


def _price(store: Store, text: str, which: Which = Which.NEW, **more: Any) -> PricingResult:  # noqa: ANN401
    agents = [row.id for row in store.reader.agents()]
    return Pricer(store, _book(text), SYSTEM).price(agents, which, **more)


def _reply(model: str, tokens: int, answer: str | None = None, **more: object) -> dict[str, object]:
    usage = {"prompt_tokens": tokens, "completion_tokens": 0, "total_tokens": tokens}
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "x"}}
    reply = {"object": "chat.completion", "model": model, "choices": [choice], "usage": usage, **more}
    return reply if answer is None else {**reply, "id": answer}


def _turn(ledger: Ledger, *replies: dict[str, object] | None) -> UUID:
    """A turn with a call for each reply; None is a call that fails."""
    with ledger.agent("support").conversation("c").turn() as turn:
        for reply in replies:
            try:
                with turn.model_call(
                    model="gpt", request={"messages": []}, provider="api.openai.com"
                ) as call:
                    call.result(_sent(reply))
            except ConnectionError:
                continue
        turn.commit("done")
    return turn.id


def _sent(reply: dict[str, object] | None) -> dict[str, object]:
    if reply is None:
        raise ConnectionError
    return reply


def _records(store: Store, turn: UUID) -> list[CallCost]:
    return [one for records in CostReader(lambda: store.reader).of_journal(turn).values() for one in records]


def test_each_call_is_priced_once(ledger: Ledger, store: Store) -> None:
    turn = _turn(ledger, _reply("gpt", 19), _reply("unheard-of", 1), None)
    result = _price(store, OLD)
    assert (result.calls, result.priced, result.unpriced, result.repriced) == (3, 2, 1, 0)
    assert result.nano == {"USD": 57_000 + 3_000}  # the second by the model that was asked for
    assert result.reasons == {"no-usage": 1}
    assert _price(store, OLD).calls == 0
    first, second, third = _records(store, turn)
    assert (first.nano, first.currency, first.provider, first.model) == (57_000, "USD", "openai", "gpt")
    assert (second.model, third.nano, third.reason) == ("gpt", None, "no-usage")
    assert store.reader.journal(store.reader.ledger_id()) is None


def test_t06_a_price_change_leaves_old_records_and_repricing_adds(ledger: Ledger, store: Store) -> None:
    turn = _turn(ledger, _reply("gpt", 1000))
    _price(store, OLD)
    assert _price(store, NEW).calls == 0
    assert _price(store, NEW, Which.UNPRICED).calls == 0
    assert [one.nano for one in _records(store, turn)] == [3_000_000]
    result = _price(store, NEW, Which.ALL)
    assert (result.repriced, result.unchanged) == (1, 0)
    assert [(one.edition, one.nano) for one in _records(store, turn)] == [(0, 3_000_000), (1, 1_500_000)]
    again = _price(store, NEW, Which.ALL)
    assert (again.repriced, again.unchanged) == (0, 1)
    sums = CostReader(lambda: store.reader).of_turns([turn])[turn]
    assert sums.nano == {"USD": 1_500_000}


def test_repricing_is_put_down_in_the_ledgers_journal(ledger: Ledger, store: Store) -> None:
    _turn(ledger, _reply("gpt", 1), _reply("gpt", 2))
    _price(store, OLD)
    _price(store, NEW, Which.ALL)
    (event,) = store.reader.events(store.reader.ledger_id(), 0, 10)
    assert (event.type, event.summary.split(" detail=")[0]) == ("REPRICED", "calls=2 assurance=o")
    assert all(finding.sound for finding in verify_ledger(store.reader, bodies=False))


def test_repricing_that_is_broken_off_is_put_down_too(ledger: Ledger, store: Store) -> None:
    _turn(ledger, _reply("gpt", 1))
    _price(store, OLD)

    def interrupt(_more: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _price(store, NEW, Which.ALL, advance=interrupt)
    assert len(store.reader.events(store.reader.ledger_id(), 0, 10)) == 1


def test_unpriced_calls_are_tried_again(ledger: Ledger, store: Store) -> None:
    with ledger.agent("support").conversation("c").turn() as turn:
        with turn.model_call(model="mine", request={}) as call:
            call.result(_reply("mine", 7))
        turn.commit("done")
    assert _price(store, OLD).reasons == {"no-price-library": 1}
    assert _price(store, OLD, Which.UNPRICED).unchanged == 1
    assert _price(store, NEW, Which.UNPRICED).priced == 1
    unpriced, priced = _records(store, turn.id)
    assert (unpriced.nano, unpriced.reason) == (None, "no-price-library")
    assert (priced.edition, priced.nano, priced.reason) == (1, 0, None)  # a price of 0 that is configured


def test_t08_t10_an_answer_is_billed_once_in_a_conversation(ledger: Ledger, store: Store) -> None:
    """A cache of the agent's own, or a reply that is fetched again, comes with the same id and counts."""
    answer = "chatcmpl-0123456789abcdef0123456789"
    first = _turn(ledger, _reply("gpt", 10, answer), _reply("gpt", 10, answer))
    later = _turn(
        ledger, _reply("gpt", 10, answer), _reply("gpt", 10, "chatcmpl-9"), _reply("gpt", 10, "chatcmpl-9")
    )
    result = _price(store, OLD)
    assert (result.priced, result.unbilled, result.reasons) == (3, 2, {"seen-before": 2})
    assert [one.nano for one in _records(store, first)] == [30_000, None]
    assert [one.nano for one in _records(store, later)] == [None, 30_000, 30_000]
    assert _price(store, OLD, Which.ALL).unchanged == 5


def test_t04_attempts_cost_what_each_of_them_used(ledger: Ledger, store: Store) -> None:
    with ledger.agent("support").conversation("c").turn() as turn:
        with turn.model_call(model="gpt", request={}) as first:
            first.result({"error": {"message": "slow down"}}, http_status=429)
        with turn.model_call(model="gpt", request={}, retry_of=first) as second:
            second.result(_reply("gpt", 10))
        turn.commit("done")
    result = _price(store, OLD)
    assert (result.priced, result.unbilled, result.nano) == (1, 1, {"USD": 30_000})
    assert [one.reason for one in _records(store, turn.id)] == ["error-answer", None]


def test_an_outcome_that_comes_late_is_priced_as_any(ledger: Ledger, store: Store) -> None:
    conversation = ledger.agent("support").conversation("c")
    with conversation.turn() as turn:
        call = turn.model_call(model="gpt", request={}, provider="api.openai.com").__enter__()
        tool = turn.tool_call("look").__enter__()
        turn.commit("done")
    call.result(_reply("unheard-of", 1000))
    call.__exit__(None, None, None)
    tool.result("seen")
    tool.__exit__(None, None, None)
    result = _price(store, OLD)
    assert (result.calls, result.priced) == (1, 1)
    assert _records(store, turn.id) == []
    (late,) = _records(store, conversation.id)
    assert (late.nano, late.provider, late.model) == (3_000_000, "openai", "gpt")
    costs = CostReader(lambda: store.reader)
    assert costs.of_conversations([conversation.id])[conversation.id].nano == {"USD": 3_000_000}
    assert costs.of_turns([turn.id])[turn.id].nano == {"USD": 3_000_000}
    now, (agent,) = SYSTEM.epoch_ms(), store.reader.agents()
    assert costs.of_models(agent.id, (now - 60_000, now + 60_000))["gpt"].nano == {"USD": 3_000_000}
    assert _price(store, OLD).calls == 0
    assert _price(store, OLD, Which.ALL).unchanged == 1


def test_an_outcome_outside_any_turn_that_comes_late_is_priced_too(
    ledger: Ledger, store: Store, engine: str
) -> None:
    conversation = ledger.agent("support").conversation("c")
    call = conversation.model_call(model="gpt", request={}, provider="api.openai.com").__enter__()
    call.chunk(b"data: {}\n\n")

    def is_lost() -> bool:
        tamper(engine, "UPDATE live_calls SET until_ms = 1")
        return bool(store.reader.lost_calls(1))

    eventually(is_lost)
    ledger._core.arrivals.stop()
    Sweeper(StoreSink(store)).sweep()
    call.result(_reply("unheard-of", 1000))
    call.__exit__(None, None, None)
    result = _price(store, OLD)
    assert (result.calls, result.priced, result.nano) == (2, 1, {"USD": 3_000_000})


def test_what_comes_late_and_was_billed_in_its_turn_is_billed_once(ledger: Ledger, store: Store) -> None:
    """A turn that was taken over has the reply that arrived; its first writer tells of it again."""
    answer = "chatcmpl-0123456789abcdef0123456789"
    conversation = ledger.agent("support").conversation("c")
    with conversation.turn() as turn:
        call = turn.model_call(model="gpt", request={}, provider="api.openai.com").__enter__()
        with turn.model_call(model="gpt", request={}, provider="api.openai.com") as same:
            same.result(_reply("gpt", 10, answer))
        turn.commit("done")
    call.result(_reply("gpt", 10, answer))
    call.__exit__(None, None, None)
    result = _price(store, OLD)
    assert (result.nano, result.reasons) == ({"USD": 30_000}, {"seen-before": 1})


def test_portions_and_times(ledger: Ledger, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing, "AT_ONCE", 2)
    turn = _turn(ledger, *[_reply("gpt", count) for count in range(1, 6)])
    now = SYSTEM.epoch_ms()
    assert _price(store, OLD, span=(now + 60_000, None)).calls == 0
    assert _price(store, OLD, span=(None, 1)).calls == 0
    portions: list[int] = []
    _price(store, OLD, span=(now - 60_000, now + 60_000), advance=portions.append)
    assert portions == [2, 2, 1]
    assert sum(one.nano or 0 for one in _records(store, turn)) == 15 * 3_000


def test_the_follower_prices_what_is_new(ledger: Ledger, store: Store) -> None:
    follower = FollowingPricer(store, Pricer(store, _book(OLD), SYSTEM))
    assert follower.price_new().calls == 0
    _turn(ledger, _reply("gpt", 1))
    assert follower.price_new().priced == 1
    assert follower.price_new().calls == 0
    _turn(ledger, _reply("gpt", 1), _reply("gpt", 2))
    assert follower.price_new().priced == 2


def test_prices_are_named_by_option_or_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(OLD)
    monkeypatch.delenv(PRICES, raising=False)
    assert price_book().table is None
    monkeypatch.setenv(PRICES, str(file))
    assert len(price_book().table or ()) == 1
    assert price_book(file).version.startswith("table ")
    with pytest.raises(ForeignFileError, match="cannot be read"):
        price_book(tmp_path / "missing.toml")
