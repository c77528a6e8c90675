"""``turnledger demo``: what it records, shows, alters and finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import turnledger
from turnledger.cli import main
from turnledger.engine.demo.alteration import copy_ledger
from turnledger.engine.demo.script import ScriptedModel, conversations
from turnledger.engine.demo.tour import AIRLINE, DESK
from turnledger.errors import UsageError
from turnledger.query.verify import verify_journal, verify_ledger


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
    monkeypatch.setenv("TURNLEDGER_URL", str(tmp_path / "my-own.db"))
    assert run("demo", "--conversations", 2) == 0
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
    ledger_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    altered = told["altered"]
    assert (told["verdict"], altered["verdict"]) == ("intact", "broken")
    (fault,) = altered["faults"]
    assert (fault["id"], fault["brokenAtSeq"], fault["reason"]) == (altered["turn"], altered["seq"], "hash")
    copy_ledger(ledger_path, tmp_path / "fresh.db")
    before, after = (tmp_path / "fresh.db").read_bytes(), Path(altered["ledger"]).read_bytes()
    assert [at for at in range(len(before)) if before[at] != after[at]] == [altered["byte"]]
    with turnledger.read(ledger_path) as reading:
        assert all(finding.sound for finding in verify_ledger(reading.reader))


def test_run_twice_it_records_twice(ledger_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    second = summary(capsys, "--ledger", ledger_path, "--conversations", 1)
    assert not set(first["conversations"]) & set(second["conversations"])
    assert first["events"] == second["events"]
    assert second["altered"]["verdict"] == "broken"


def test_the_replay_is_write_ahead_and_says_that_it_is_one(
    ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary(capsys, "--ledger", ledger_path, "--conversations", 3)
    with turnledger.read(ledger_path) as reading:
        assert [row.name for row in reading.agents()] == [AIRLINE, DESK]
        for row, talk in zip(reversed(reading.conversations(AIRLINE)), conversations(), strict=False):
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
        ("SHED", "stale"),
        ("GUARD", "flag"),
        ("APPROVAL", "granted"),
        ("MEMORY_WRITE", "create"),
        ("TOOL_RESULT", "invalid"),
        ("TOOL_RESULT", "timeout"),
        ("ABORT", "failed"),
        ("PROGRESS", "ack"),
    ]:
        assert wanted in found


def test_a_server_cannot_be_copied_as_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("demo", "--ledger", "postgresql://localhost/x") == 2
    assert "needs a file" in capsys.readouterr().err


def test_another_file_in_the_way_of_the_copy_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x-altered.db").write_text("mine")
    assert run("demo", "--ledger", tmp_path / "x.db", "--conversations", 1) == 3
    assert "not overwritten" in capsys.readouterr().err
    assert (tmp_path / "x-altered.db").read_text() == "mine"


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
    with turnledger.read(altered["ledger"]) as reading:
        turn = next(row.id for row in reading.turns(DESK) if str(row.id) == altered["turn"])
        assert verify_journal(reading.reader, turn).broken_at_seq == altered["seq"]
