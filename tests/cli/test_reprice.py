"""``turnledger reprice``, and what ``show`` and ``list`` make of cost records."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import uvicorn

from tests.cli.kit import Recorded
from turnledger.engine import price_book as book_module

PRICES = '[[price]]\nmodel = "gpt-x"\ninput = 3.00\noutput = 15.00\n'
CHEAPER = '[[price]]\nmodel = "gpt-x"\ninput = 1.50\noutput = 15.00\n'


@pytest.fixture
def no_list(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list prices, which change, are not installed, and no table is named."""
    monkeypatch.setattr(book_module, "installed_library", lambda: None)
    monkeypatch.delenv(book_module.PRICES, raising=False)


@pytest.fixture
def prices(tmp_path: Path, no_list: None) -> Path:  # noqa: ARG001  what it does
    """A price table."""
    file = tmp_path / "prices.toml"
    file.write_text(PRICES)
    return file


@pytest.fixture
def talked(made: Recorded) -> Recorded:
    """One turn with a call that has usage and one that has none."""
    with made.ledger.agent("support").conversation("c", connector="web").turn() as turn:
        with turn.model_call(model="gpt-x", request={"model": "gpt-x"}) as call:
            call.result("{}", usage={"prompt_tokens": 19, "completion_tokens": 0})
        with turn.model_call(model="gpt-x", request={"model": "gpt-x"}) as call:
            call.result("{}")
        turn.commit("done")
    with made.ledger.agent("quiet").conversation("q").turn() as turn:
        turn.commit("nothing")
    return made


def _turn_id(recorded: Recorded) -> str:
    listed = json.loads(recorded.run("list", "--turns", "--agent", "support", "--json").out)
    return str(listed["turns"][0]["id"])


def test_readers_say_not_recorded_until_calls_are_priced(talked: Recorded, prices: Path) -> None:
    shown = talked.run("show", _turn_id(talked))
    assert "cost         not recorded" in shown.out
    assert "not recorded" in talked.run("list", "--turns").out
    shown = talked.run("reprice", "--prices", prices)
    assert shown.status == 0
    assert shown.lines[0].startswith("priced 1 call: 0.000057 USD  by table ")
    assert [line.strip() for line in shown.lines[1:]] == ["unpriced 1 call", "no-usage: 1"]


def test_t07_tiny_amounts_are_shown_exactly(talked: Recorded, prices: Path) -> None:
    talked.run("reprice", "--prices", prices)
    turn = _turn_id(talked)
    assert "cost         0.000057 USD + 1 unpriced: no-usage" in talked.run("show", turn).out
    assert "0.000057 USD + 1 unpriced" in talked.run("list", "--turns").out
    assert "0.000057 USD + 1 unpriced" in talked.run("list").out
    shown = json.loads(talked.run("show", turn, "--json").out)
    assert shown["cost"] == {
        "amounts": [{"currency": "USD", "amount": "0.000057"}],
        "priced": 1,
        "unpriced": 1,
        "unbilled": 0,
        "reasons": {"no-usage": 1},
    }
    first, second = [step["cost"] for step in shown["steps"]]
    assert (first["state"], first["amount"], first["model"]) == ("priced", "0.000057", "gpt-x")
    assert (second["state"], second["amount"], second["reason"]) == ("unpriced", None, "no-usage")
    conversation = shown["conversation"]["id"]
    assert "0.000057 USD" in talked.run("show", conversation).out
    assert json.loads(talked.run("show", conversation, "--json").out)["cost"] == shown["cost"]
    listed = json.loads(talked.run("list", "--json").out)["conversations"]
    assert [row["cost"]["priced"] for row in listed] == [0, 1]


def test_t06_again_adds_a_record_that_counts(talked: Recorded, prices: Path) -> None:
    talked.run("reprice", "--prices", prices)
    prices.write_text(CHEAPER)
    assert "unchanged 1 call" in talked.run("reprice", "--prices", prices).out
    said = talked.run("reprice", "--prices", prices, "--again", "--all")
    assert said.status == 0
    assert "of these 1 take the place of an earlier record" in said.out
    shown = json.loads(talked.run("show", _turn_id(talked), "--json").out)
    cost = shown["steps"][0]["cost"]
    assert (cost["amount"], [one["amount"] for one in cost["earlier"]]) == ("0.0000285", ["0.000057"])
    assert talked.run("verify", "--all").status == 0
    assert talked.run("doctor").status == 0


def test_a_rebuild_leaves_costs_as_they_are(talked: Recorded, prices: Path) -> None:
    talked.run("reprice", "--prices", prices)
    before = talked.run("show", _turn_id(talked), "--json").out
    talked.run("doctor", "--rebuild")
    assert talked.run("show", _turn_id(talked), "--json").out == before


def test_json_and_times(talked: Recorded, prices: Path) -> None:
    nothing = talked.run("reprice", "--prices", prices, "--until", "2020-01-01")
    assert (nothing.status, nothing.out, nothing.err) == (0, "", "No model call is without a price.\n")
    found = json.loads(
        talked.run("reprice", "--since", "2026-10-24T00:00:00Z", "--json", "--prices", prices).out
    )
    assert found["prices"].startswith("table ")
    assert (found["calls"], found["unchanged"], found["repriced"]) == (2, 0, 0)
    assert found["cost"]["amounts"] == [{"currency": "USD", "amount": "0.000057"}]
    assert (
        json.loads(talked.run("reprice", "--agent", "quiet", "--json", "--prices", prices).out)["calls"] == 0
    )


def test_the_table_can_be_named_by_the_environment(talked: Recorded, prices: Path) -> None:
    said = talked.run("reprice", env={"TURNLEDGER_PRICES": str(prices)})
    assert said.lines[0].startswith("priced 1 call")


@pytest.mark.parametrize(
    ("options", "status", "what"),
    [
        ([], 3, "Model calls get no cost, as there are no prices here."),
        (["--prices", "missing.toml"], 3, "cannot be read"),
        (["--again"], 2, "would price every call"),
        (["--all", "--since", "1d"], 2, "--all is all times"),
        (["--agent", "nobody"], 3, "no agent"),
        (["--since", "whenever"], 2, "whenever"),
    ],
)
def test_wrong_use_is_one_clear_line(
    talked: Recorded, prices: Path, options: list[str], status: int, what: str
) -> None:
    more = ["--prices", str(prices)] if options and "--prices" not in options else []
    said = talked.run("reprice", *options, *more)
    assert (said.status, said.out) == (status, "")
    assert what in said.err


@pytest.mark.usefixtures("no_list")
def test_without_prices_readers_say_what_to_install(talked: Recorded) -> None:
    turn = _turn_id(talked)
    conversation = json.loads(talked.run("show", turn, "--json").out)["conversation"]["id"]
    for command in (["list"], ["list", "--turns"], ["show", turn], ["show", conversation]):
        said = talked.run(*command).err
        assert "pip install 'turnledger[prices]'" in said, command
        assert "turnledger reprice" in said
    doctor = talked.run("doctor")
    assert doctor.status == 0
    assert "prices      none" in doctor.out
    assert "pip install 'turnledger[prices]'" in doctor.out
    assert json.loads(talked.run("doctor", "--json").out)["prices"] is None
    quiet = talked.run("list", "--turns", "--agent", "quiet")
    assert "prices" not in quiet.err  # no model call, no cost to miss


def test_where_there_are_prices_readers_say_what_to_run(talked: Recorded, prices: Path) -> None:
    named = {"TURNLEDGER_PRICES": str(prices)}
    said = talked.run("list", env=named).err
    assert "pip install" not in said
    assert "run `turnledger reprice`" in said
    assert "prices      table " in talked.run("doctor", env=named).out
    talked.run("reprice", "--prices", prices)
    assert "reprice" not in talked.run("list", env=named).err


def test_a_table_without_the_model_is_not_all_that_can_be_had(talked: Recorded, prices: Path) -> None:
    prices.write_text(PRICES.replace("gpt-x", "another"))
    talked.run("reprice", "--prices", prices)
    said = talked.run("list", "--turns", env={"TURNLEDGER_PRICES": str(prices)}).err
    assert "pip install 'turnledger[prices]'" in said


def test_a_price_table_that_cannot_be_read_is_a_problem(talked: Recorded, tmp_path: Path) -> None:
    named = {"TURNLEDGER_PRICES": str(tmp_path / "gone.toml")}
    doctor = talked.run("doctor", env=named)
    assert doctor.status == 1
    assert "gone.toml cannot be read" in doctor.out
    assert talked.run("list", env=named).status == 0


@pytest.mark.parametrize("has_table", [False, True])
@pytest.mark.usefixtures("no_list")
def test_a_server_without_prices_says_what_to_install(
    talked: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, has_table: bool
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda _server, _sockets: None)
    table = tmp_path / "prices.toml"
    table.write_text(PRICES)
    said = talked.run("serve", "--port", 0, *(["--prices", table] if has_table else []))
    assert ("pip install 'turnledger[prices]'" in said.err) is not has_table
