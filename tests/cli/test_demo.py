"""``turnledger demo --once``: what it records, shows, alters and finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

import turnledger
from turnledger.cli import main
from turnledger.engine.demo import tour
from turnledger.engine.demo.alteration import Alteration
from turnledger.engine.demo.script import ScriptedModel, conversations
from turnledger.engine.demo.tour import AGENTS, DESK, FLIGHTS, NIGHT_FLIGHTS
from turnledger.errors import UsageError
from turnledger.query.turn_report import Doubt
from turnledger.query.verify import verify_journal


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def summary(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    capsys.readouterr()
    assert run("demo", "--json", *arguments) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_it_shows_every_stop_and_says_what_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(turnledger.__file__).parents[1]))
    monkeypatch.setenv("TURNLEDGER_URL", str(tmp_path / "my-own.db"))
    assert run("demo", "--once", "--conversations", 2) == 0
    out = capsys.readouterr().out
    for words in (
        "replays",
        "No model was asked",
        "approval of",
        "intact",
        "One byte altered",
        "was altered",
    ):
        assert words in out
    assert "turnledger verify" in out
    assert Path(".demo/ledger.db").exists()
    assert not (tmp_path / "my-own.db").exists(), "the demo stays out of the user's ledger"


def test_the_altered_byte_is_found_at_its_event_and_nowhere_else(
    ledger_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []

    def alter(path: Path, turn: UUID) -> Alteration:
        seen.append(path.read_bytes())
        altered = tour.alter(path, turn)
        seen.append(path.read_bytes())
        return altered

    monkeypatch.setattr("turnledger.cli.demo.alter", alter)
    told = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    altered = told["altered"]
    assert (told["verdict"], altered["verdict"]) == ("intact", "broken")
    (fault,) = altered["faults"]
    assert (fault["id"], fault["brokenAtSeq"], fault["reason"]) == (altered["turn"], altered["seq"], "hash")
    before, after = seen
    assert [at for at in range(len(before)) if before[at] != after[at]] == [altered["byte"]]


def test_run_again_it_starts_anew(ledger_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    second = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    assert not set(first["conversations"]) & set(second["conversations"])
    assert (first["turns"], first["events"]) == (second["turns"], second["events"])
    assert (second["verdict"], second["altered"]["verdict"]) == ("intact", "broken")
    with turnledger.read(ledger_path) as reading:
        assert len(reading.conversations()) == len(second["conversations"])


def test_what_others_have_recorded_is_left_alone(
    ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    with turnledger.open(ledger_path) as ledger:
        ledger.agent("support").conversation("dm").inbound("hello")
    before = ledger_path.read_bytes()
    assert run("demo", "--ledger", ledger_path) == 3
    assert "'support'" in capsys.readouterr().err
    assert ledger_path.read_bytes() == before


@pytest.mark.parametrize("opening", ["open", "read"])
def test_a_ledger_that_another_program_has_open_is_left_alone(
    ledger_path: Path, capsys: pytest.CaptureFixture[str], opening: str
) -> None:
    summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    place = ledger_path.stat().st_ino
    program = (
        f"import sys, turnledger as t; opened = t.{opening}(sys.argv[1]); getattr(opened, 'agents', list)();"
        "print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(ledger_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(turnledger.__file__).parents[1])},
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        assert run("demo", "--once", "--ledger", ledger_path) == 3
        told = capsys.readouterr().err
        assert f"{ledger_path} is open in another program" in told
        assert "--ledger" in told
        assert ledger_path.stat().st_ino == place
        other.communicate()
    assert run("verify", "--all", "--ledger", ledger_path) == 1, "it still holds the demo of before"
    summary(capsys, "--ledger", ledger_path, "--conversations", 1)


def test_a_file_that_is_no_ledger_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.db").write_text("mine")
    assert run("demo", "--ledger", tmp_path / "x.db") == 3
    assert "x.db" in capsys.readouterr().err
    assert (tmp_path / "x.db").read_text() == "mine"
    assert run("demo", "--ledger", tmp_path / "none" / "x.db") == 3
    assert "mkdir" in capsys.readouterr().err


def test_the_replay_is_write_ahead_and_says_that_it_is_one(
    ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary(capsys, "--ledger", ledger_path, "--conversations", 3)
    with turnledger.read(ledger_path) as reading:
        assert {row.name for row in reading.agents()} == AGENTS - {NIGHT_FLIGHTS}
        for row, talk in zip(reversed(reading.conversations(FLIGHTS)), conversations(), strict=False):
            entries = reading.timeline(row.id, limit=1000).entries
            assert {entry.assurance and entry.assurance.word for entry in entries} == {"write_ahead"}
            intakes = [entry for entry in entries if entry.row.type == "INTAKE"]
            assert {entry.detail["environment"] for entry in intakes} == {"replay"}
            replies = [entry for entry in entries if entry.row.type == "MODEL_RESULT"]
            assert {entry.tokens.get("model") for entry in replies} == {"scripted-replay"}
            supplied = [
                use.supplied.encode() for turn in talk.turns for step in turn.steps for use in step.tools
            ]
            calls = [entry for entry in entries if entry.row.type == "TOOL_CALL"]
            assert [reading.body(call.row.event_id, "supplied") for call in calls] == supplied


def test_the_scenes_hold_what_recorded_conversations_lack(
    ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    with turnledger.read(ledger_path) as reading:
        found = [
            (entry.row.type, value)
            for row in reading.conversations(DESK)
            for entry in reading.timeline(row.id, limit=1000).entries
            for value in (*entry.tokens.values(), "")
        ]
    for wanted in [
        ("VERDICT", "observe"),
        ("VERDICT", "ignore"),
        ("VERDICT", "defer"),
        ("COLLAPSED", ""),
        ("SHED", "stale"),
        ("SHED", "queue_full"),
        ("GUARD", "flag"),
        ("GUARD", "deny"),
        ("APPROVAL", "granted"),
        ("MEMORY_WRITE", "create"),
        ("MEMORY_WRITE", "delete"),
        ("MODEL_RESULT", "error"),
        ("TOOL_RESULT", "invalid"),
        ("TOOL_RESULT", "timeout"),
        ("PROGRESS", "ack"),
        ("BUDGET", "exhausted"),
        ("SUPERSEDED", ""),
        ("DELIVERY", "failed"),
    ]:
        assert wanted in found


def test_turns_end_in_every_way_that_there_is(ledger_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    with turnledger.read(ledger_path) as reading:
        ends = {row.status for row in reading.turns(DESK)}
        killed = reading.turn(told["interrupted"])
    assert ends == {"completed", "failed", "superseded", "exhausted", "interrupted", "waiting"}
    assert [step.doubt for step in killed.steps if step.outcome is None] == [Doubt.IN_DOUBT]


def test_a_server_has_no_file_whose_byte_could_be_altered(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "--ledger", "postgresql://localhost/x") == 2
    assert "needs a file" in capsys.readouterr().err


def test_the_scripted_model_answers_only_what_was_asked_before() -> None:
    talk = next(iter(conversations()))
    model = ScriptedModel(talk.messages)
    with pytest.raises(UsageError):
        model.complete({"messages": []})
    with pytest.raises(UsageError):
        model.complete({"messages": list(talk.messages)})
    with pytest.raises(UsageError):
        model.complete({})


def test_the_bundled_conversations_are_small_and_have_their_notice() -> None:
    folder = Path(turnledger.__file__).parent / "engine" / "demo"
    assert (folder / "airline.jsonl").stat().st_size < 150_000
    assert "2024 Sierra" in (folder / "NOTICE").read_text()
    assert sum(1 for _ in conversations()) == 8


def test_verify_finds_the_altered_turn_by_its_id(
    ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    altered = summary(capsys, "--ledger", ledger_path, "--conversations", 1)["altered"]
    with turnledger.read(ledger_path) as reading:
        turn = next(row.id for row in reading.turns(DESK) if str(row.id) == altered["turn"])
        assert verify_journal(reading.reader, turn).broken_at_seq == altered["seq"]
