"""``turnledger token``: whom a token is made for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import turnledger
from tests.cli.kit import run


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    """A ledger in which the agent ``support`` has recorded something."""
    place = str(tmp_path / "agent.ledger")
    with turnledger.open(place) as ledger:
        ledger.agent("support").conversation("dm").inbound("hello")
    return place


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_name_that_nobody_has_recorded_under_is_said(recorded: str, form: tuple[str, ...]) -> None:
    names = ("--agent", "suport", "--agent", "support", "--new")
    for _ in range(2):  # the second time the name is known, and still nobody has recorded under it
        made = run("token", "create", "--scope", "capture", *names, *form, "--ledger", recorded)
        assert made.status == 0
        assert "No agent 'suport' has recorded anything yet" in made.err
        assert "'support'" not in made.err
        secret = json.loads(made.out)["token"] if form else made.out.strip()
        assert secret.startswith("tl_")


def test_of_agents_that_have_recorded_no_such_thing_is_said(recorded: str) -> None:
    made = run("token", "create", "--scope", "capture", "--agent", "support", "--ledger", recorded)
    assert "has recorded anything" not in made.err
    everybody = run("token", "create", "--scope", "capture", "--ledger", recorded)
    assert "has recorded anything" not in everybody.err


def agents(ledger: str) -> set[str]:
    with turnledger.read(ledger) as reading:
        return {row.name for row in reading.agents()}


@pytest.mark.parametrize(
    ("wrong", "hint"), [("suport", "Is it 'support'?"), ("billing", "See `turnledger list`")]
)
def test_an_agent_that_is_not_on_record_is_refused_and_not_made(recorded: str, wrong: str, hint: str) -> None:
    names = ("--agent", "support", "--agent", wrong)
    refused = run("token", "create", "--scope", "capture", *names, "--json", "--ledger", recorded)
    assert refused.status != 0
    assert refused.out == ""
    assert f"knows no agent '{wrong}'" in refused.err
    assert hint in refused.err
    assert "--new" in refused.err
    assert agents(recorded) == {"support"}
    assert json.loads(run("token", "list", "--json", "--ledger", recorded).out) == {"tokens": []}


def test_with_new_it_is_made_and_known_from_then_on(recorded: str) -> None:
    for new in (("--new",), ()):
        made = run("token", "create", "--scope", "capture", "--agent", "billing", *new, "--ledger", recorded)
        assert made.out.startswith("tl_")
    assert agents(recorded) == {"support", "billing"}


def test_before_anybody_has_recorded_every_agent_is_new(tmp_path: Path) -> None:
    """Who sets up a server makes tokens for agents that could not record before."""
    ledger = str(tmp_path / "fresh.ledger")
    for name in ("support", "billing"):
        made = run("token", "create", "--scope", "capture", "--agent", name, "--ledger", ledger)
        assert made.out.startswith("tl_")


def test_of_several_names_all_are_made_or_none(tmp_path: Path) -> None:
    ledger = str(tmp_path / "fresh.ledger")
    names = ("--agent", "support", "--agent", "")
    refused = run("token", "create", "--scope", "capture", *names, "--ledger", ledger)
    assert refused.status == 2
    assert agents(ledger) == set()


def test_where_the_id_of_a_token_is_found_is_said(recorded: str) -> None:
    refused = run("token", "revoke", "zzz", "--ledger", recorded)
    assert refused.status == 2
    assert "`turnledger token list`" in refused.err
