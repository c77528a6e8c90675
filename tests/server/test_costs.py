"""What the API says of costs, and the pricing that a server does by itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

import turnledger
from tests.patience import eventually
from tests.server.kit import HERE, Served, story, tell, told
from turnledger.clock import SYSTEM
from turnledger.engine import pricing as engine_pricing
from turnledger.engine.location import database_at
from turnledger.engine.pricing import FollowingPricer, Pricer, Which
from turnledger.pricing.book import PriceBook
from turnledger.pricing.table import read_table
from turnledger.server import pricing
from turnledger.server.app import create_app
from turnledger.server.run import open_service

NOTHING = {"amounts": [], "priced": 0, "unpriced": 0, "unbilled": 0, "reasons": {}}


def _book(price: str, model: str = "gpt-5-0807") -> PriceBook:
    return PriceBook(read_table(f'[[price]]\nmodel = "{model}"\ninput = {price}\noutput = 0\n'.encode(), "t"))


def _cost(amount: str, calls: int) -> dict[str, Any]:
    return {**NOTHING, "amounts": [{"currency": "USD", "amount": amount}], "priced": calls}


@pytest.fixture
def house(engine: str) -> Iterator[Served]:
    with told(engine) as house:
        yield house


def _price(house: Served, book: PriceBook, which: Which = Which.UNPRICED) -> None:
    store = house.service.store
    Pricer(store, book, SYSTEM).price([row.id for row in store.reader.agents()], which)


def test_costs_stand_at_turns_conversations_and_over_time(house: Served) -> None:
    there = story(house.service)
    at = f"/api/agents/{there.agent}"
    turn = f"{at}/turns/{there.turns[0]}"
    assert house.ask(turn)["turn"]["cost"] == NOTHING
    assert house.ask(turn)["steps"][0]["cost"] is None
    _price(house, _book("0.001"))
    report = house.ask(turn)
    assert report["turn"]["cost"] == _cost("0.00000003", 1)  # 30 tokens: nothing is rounded to 0.00
    model, tool = report["steps"]
    assert tool["cost"] is None
    assert {key: model["cost"][key] for key in ("state", "amount", "currency", "model", "earlier")} == {
        "state": "priced",
        "amount": "0.00000003",
        "currency": "USD",
        "model": "gpt-5-0807",
        "earlier": [],
    }
    whole = _cost("0.00000006", 2)
    assert house.ask(f"{at}/turns")["items"][0]["cost"] == report["turn"]["cost"]
    assert house.ask(f"{at}/conversations")["items"][0]["cost"] == whole
    assert house.ask(f"{at}/conversations/{there.conversation}")["cost"] == whole
    timeline = house.ask(f"{at}/conversations/{there.conversation}/timeline")
    assert [one["cost"] for one in timeline["turns"]] == [report["turn"]["cost"]] * 2
    found = house.ask(f"{at}/overview?bucket=hour")
    assert found["total"]["cost"] == whole
    assert sum(bucket["figures"]["cost"]["priced"] for bucket in found["buckets"]) == 2
    assert found["topModels"][0]["cost"] == whole
    assert found["topConversations"][0]["cost"] == whole
    assert found["topTools"][0]["cost"] == NOTHING
    both = house.ask(f"{turn}/diff/{there.turns[1]}")
    assert both["left"]["cost"] == both["right"]["cost"] == report["turn"]["cost"]


def test_t05_an_unknown_price_is_null_with_its_reason(house: Served) -> None:
    there = story(house.service)
    _price(house, _book("1", model="another"))
    report = house.ask(f"/api/agents/{there.agent}/turns/{there.turns[0]}")
    assert report["turn"]["cost"] == {**NOTHING, "unpriced": 1, "reasons": {"no-price-library": 1}}
    cost = report["steps"][0]["cost"]
    assert (cost["state"], cost["amount"], cost["currency"], cost["reason"]) == (
        "unpriced",
        None,
        None,
        "no-price-library",
    )


def test_t06_earlier_records_are_told(house: Served) -> None:
    there = story(house.service)
    _price(house, _book("2"))
    _price(house, _book("1"), Which.ALL)
    report = house.ask(f"/api/agents/{there.agent}/turns/{there.turns[0]}")
    cost = report["steps"][0]["cost"]
    assert (cost["amount"], [one["amount"] for one in cost["earlier"]]) == ("0.00003", ["0.00006"])
    assert report["turn"]["cost"] == _cost("0.00003", 1)


def test_a_server_prices_calls_as_they_come_in(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pricing, "EVERY_S", 0.05)
    with turnledger.open(engine) as ledger:
        tell(ledger)
        service = open_service(database_at(engine), prices=_book("1"))
        with TestClient(create_app(service), base_url=HERE) as client:
            house = Served(service, client)
            there = story(service)
            path = f"/api/agents/{there.agent}/conversations/{there.conversation}"
            assert _eventually_priced(house, path) == _cost("0.00006", 2)
            with ledger.agent("support").conversation("slack:C042/1712.33").turn() as turn:
                with turn.model_call(model="gpt-5-0807", request={}) as call:
                    call.result("{}", usage={"prompt_tokens": 1, "completion_tokens": 0})
                turn.commit("more", reply=False)
            assert _eventually_priced(house, path, calls=3) == _cost("0.000061", 3)
        service.store.close()


def test_a_server_that_ends_leaves_the_rest_for_the_next_one(
    house: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine_pricing, "AT_ONCE", 1)
    monkeypatch.setattr(pricing, "AT_ONCE", 1)
    there = story(house.service)
    path = f"/api/agents/{there.agent}/conversations/{there.conversation}"
    follower = FollowingPricer(house.service.store, Pricer(house.service.store, _book("1"), SYSTEM))
    stopped = threading.Event()
    stopped.set()
    pricing._price_new(follower, stopped)
    assert house.ask(path)["cost"]["priced"] == 1
    stopped.clear()
    pricing._price_new(follower, stopped)
    assert house.ask(path)["cost"]["priced"] == 2


def _eventually_priced(house: Served, path: str, calls: int = 2) -> dict[str, Any]:
    eventually(lambda: house.ask(path)["cost"]["priced"] >= calls)
    cost: dict[str, Any] = house.ask(path)["cost"]
    return cost


def test_a_session_tells_what_the_server_prices_by(house: Served) -> None:
    assert house.ask("/api/session")["prices"] is None
    house.service.prices = _book("1")
    assert house.ask("/api/session")["prices"] == house.service.prices.version
