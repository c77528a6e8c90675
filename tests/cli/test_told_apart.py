"""What looks alike is told apart, what was interrupted says so, and nothing is counted twice."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from tests.cli.kit import Recorded, run
from turnledger.cli.program import program


def _tool(made: Recorded, observation: object) -> str:
    with made.ledger.agent("support").conversation().turn() as turn:
        with turn.tool_call("look", supplied="{}") as step:
            step.result(observation)
        turn.commit("Done.")
    return str(turn.id)


@pytest.mark.parametrize(
    ("observation", "shown"),
    [(7, "→ 7"), ("7", '→ "7"'), (True, "→ true"), ("true", '→ "true"'), (None, "→ null"), (-1.5, "→ -1.5")],
)
def test_a_text_and_a_scalar_are_told_apart(made: Recorded, observation: object, shown: str) -> None:
    turn = _tool(made, observation)
    lines = made.run("show", turn).lines
    assert [line for line in lines if line.endswith(shown)], lines


def test_the_hash_before_is_told_wherever_a_tail_begins(support: Recorded) -> None:
    out = support.run("tail", "--json", "--no-follow", "--after", 0).lines
    events = [json.loads(line) for line in out]
    last: dict[str, str] = {}
    for event in events:
        assert event["prevHash"] == last.get(event["journal"]["id"], "0" * 64)
        last[event["journal"]["id"]] = event["hash"]
    middle = events[len(events) // 2]["cursor"]
    late = support.run("tail", "--json", "--no-follow", "--after", middle).lines
    assert [json.loads(line)["prevHash"] for line in late] == [
        event["prevHash"] for event in events if event["cursor"] > middle
    ]


def test_a_journal_that_a_file_holds_twice_counts_once(support: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "twice.jsonl"
    data = support.run("export", support.ids["good"]).raw
    file.write_bytes(data)
    (once,) = json.loads(run("verify", file, "--json").out)["results"]
    file.write_bytes(data * 2)
    assert json.loads(run("verify", file, "--json").out)["results"] == [once]


def test_a_status_that_is_none_is_named_as_it_was_given(support: Recorded) -> None:
    said = support.run("list", "--turns", "--status", "zzz", "--status", "nope")
    assert said.status == 2
    assert "'zzz' is no status of a turn" in said.err
    assert "--turns" in support.run("list", "--status", "completed").err


def test_one_of_each_is_not_said_in_the_plural(made: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "no.txt"
    file.write_bytes(b"\x00\x01")
    assert "1 file refused" in made.run("import", file).out


def test_ctrl_c_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("list")
    def interrupted() -> None:
        raise KeyboardInterrupt

    def get_command(*_given: object) -> click.Command:
        return interrupted

    monkeypatch.setattr(type(program), "get_command", get_command)
    done = run("list")
    assert (done.status, done.out, done.err) == (130, "", "turnledger: Stopped by Ctrl-C.\n")
