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
    names = ("--agent", "suport", "--agent", "support")
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
