"""The demo's agent with a real model, which here is a server on this machine."""

from __future__ import annotations

from pathlib import Path

import turnledger
from tests.adapters.stub import Provider, Reply, chat_reply, running
from turnledger.engine.demo.live_agent import LIVE_QUESTIONS, live_rounds
from turnledger.engine.demo.live_model import LiveModel


def model(provider: Provider) -> LiveModel:
    named = {"OPENAI_BASE_URL": f"{provider.url}/v1/", "OPENAI_API_KEY": "sk-secret", "OPENAI_MODEL": "tiny"}
    found = LiveModel.of_environment(named)
    assert found is not None
    return found


def played(path: Path, asked: LiveModel, rounds: int) -> tuple[list[str], list[list[str]]]:
    """What was told to people, and the types of each turn's events, oldest turn first."""
    told: list[str] = []
    with turnledger.open(path) as ledger:
        for _, play in zip(
            range(rounds), live_rounds(ledger.agent("live"), asked, told.append), strict=False
        ):
            play()
        with turnledger.read(ledger) as reading:
            turns = [
                [entry.row.type for entry in reading.events(turn.id)] for turn in reversed(reading.turns())
            ]
    return told, turns


def test_it_looks_up_what_the_model_asks_for_and_answers(tmp_path: Path) -> None:
    with running() as provider:
        provider.says(chat_reply(tool=("c1", "lookup_order", '{"order": "B-2045"}')), chat_reply("Tomorrow."))
        told, turns = played(tmp_path / "a.ledger", model(provider), 1)
        first, second = (asked.json for asked in provider.asked)
        assert provider.asked[0].headers["authorization"] == "Bearer sk-secret"
    assert told == []
    called = ["MODEL_CALL", "MODEL_RESULT"]
    assert turns == [["INTAKE", "PROMPT", *called, "TOOL_CALL", "TOOL_RESULT", *called, "COMMIT"]]
    assert (first["model"], first["messages"][1]["content"]) == ("tiny", LIVE_QUESTIONS[0])
    assert "packed" in second["messages"][-1]["content"]
    assert not any(b"sk-secret" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_provider_that_refuses_or_is_gone_is_on_record_and_the_next_question_is_asked(
    tmp_path: Path,
) -> None:
    with running() as provider:
        provider.says(Reply([b'{"error":{"message":"no","type":"auth"}}'], status=401), chat_reply("Yes."))
        _, turns = played(tmp_path / "a.ledger", model(provider), 2)
        gone = model(provider)
    assert [turn[-1] for turn in turns] == ["ABORT", "COMMIT"]
    told, turns = played(tmp_path / "b.ledger", gone, 1)
    assert told == ["The live model gave no answer (URLError); its turn is on record as failed."]
    assert [turn[-1] for turn in turns] == ["ABORT"]


def test_a_model_that_asks_for_ever_is_stopped(tmp_path: Path) -> None:
    with running() as provider:
        provider.otherwise = lambda _: chat_reply(tool=("c1", "lookup_order", "{}"))
        _, turns = played(tmp_path / "a.ledger", model(provider), 1)
        assert len(provider.asked) == 4
    assert turns[0][-2:] == ["BUDGET", "ABORT"]


def test_without_a_server_and_a_key_there_is_none() -> None:
    assert LiveModel.of_environment({}) is None
    assert LiveModel.of_environment({"OPENAI_BASE_URL": "http://127.0.0.1/v1"}) is None
    assert LiveModel.of_environment({"OPENAI_BASE_URL": "file:///etc", "OPENAI_API_KEY": "k"}) is None
