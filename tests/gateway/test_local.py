"""A gateway inside the agent's process: what is asked there is in the turn that is open."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

import turnledger
from tests.adapters.conftest import Recorder
from tests.adapters.stub import Provider, anthropic_events, anthropic_reply, running
from tests.adapters.turns import refusing
from turnledger.gateway.local import local_gateway

ASK = {"model": "claude-asked", "max_tokens": 9, "messages": [{"role": "user", "content": "Where?"}]}


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running() as provider:
        yield provider


@pytest.fixture
def recorder(tmp_path: Path) -> Iterator[Recorder]:
    recorder = Recorder(tmp_path / "agent.ledger")
    yield recorder
    recorder.ledger.close()


def ask(address: str, **headers: str) -> httpx2.Response:
    return httpx2.post(f"{address}/v1/messages", json=ASK, headers=headers)


def test_a_request_is_a_call_of_the_turn(provider: Provider, recorder: Recorder) -> None:
    provider.says(anthropic_reply("First"), anthropic_events("Sec", "ond"))
    with recorder.conversation.turn() as turn:
        with local_gateway(upstream=f"anthropic={provider.url}") as address:
            answers = [ask(address).status_code, ask(address).status_code]
        turn.commit("done")
    assert answers == [200, 200]
    first, said, second, streamed = recorder.steps(turn)
    assert [first.payload, second.payload] == [asked.body for asked in provider.asked]
    assert {step.tokens["form"] for step in (first, second)} == {"wire"}
    assert {step.tokens["status"] for step in (said, streamed)} == {"ok"}
    with turnledger.read(str(recorder.path)) as reading:
        assert [row.id for row in reading.turns()] == [turn.id]


def test_in_an_asynchronous_turn_too(provider: Provider, recorder: Recorder) -> None:
    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            with local_gateway(upstream=f"anthropic={provider.url}") as address:
                await asyncio.gather(*(asyncio.to_thread(ask, address) for _ in range(3)))
            await turn.commit("done")
        return turn

    provider.says(*(anthropic_reply() for _ in range(3)))
    assert len(recorder.steps(asyncio.run(main()), "MODEL_RESULT")) == 3


def test_two_turns_at_once_stay_apart(provider: Provider, recorder: Recorder) -> None:
    def one(_: int) -> turnledger.Turn:
        turn = recorder.conversation.turn()
        with turn, local_gateway(turn, upstream=f"anthropic={provider.url}") as address:
            ask(address)
            ask(address)
            turn.commit("done")
        return turn

    provider.otherwise = lambda _: anthropic_reply()
    with ThreadPoolExecutor(2) as threads:
        turns = list(threads.map(one, range(2)))
    assert [len(recorder.steps(turn, "MODEL_CALL")) for turn in turns] == [2, 2]


def test_where_nothing_can_be_recorded_nothing_is_sent(provider: Provider, recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn, local_gateway(upstream=f"anthropic={provider.url}") as address:
        with refusing(recorder.path, "MODEL_CALL"):
            answer = ask(address)
        assert (answer.status_code, ask(address).status_code) == (403, 403)
        assert "could not be recorded" in answer.text
        with pytest.raises(turnledger.CaptureRefused):
            turn.commit("done")
    assert provider.asked == []


def test_after_the_turn_nothing_is_sent(provider: Provider, recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn, local_gateway(upstream=f"anthropic={provider.url}") as address:
        turn.commit("done")
        answer = ask(address)
    assert (answer.status_code, provider.asked) == (403, [])
    assert "No turn is open" in answer.text


def test_what_belongs_to_another_turn_is_not_sent(provider: Provider, recorder: Recorder) -> None:
    with recorder.conversation.turn() as other:
        handoff = other.handoff()
        other.commit("done")
    with recorder.conversation.turn() as turn:
        with local_gateway(upstream=f"anthropic={provider.url}") as address:
            answer = ask(address, **{"turnledger-parent": handoff})
        turn.commit("done")
    assert (answer.status_code, provider.asked) == (403, [])
    assert "another turn" in answer.text


def test_a_provider_that_is_not_there_is_an_error_of_the_call(recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn:
        with local_gateway(upstream="anthropic=http://127.0.0.1:9") as address:
            answer = ask(address)
        turn.commit("done")
    assert answer.status_code == 502
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "not_started"


def test_it_needs_a_turn_and_an_upstream(recorder: Recorder) -> None:
    with pytest.raises(turnledger.CaptureRefused, match="No turn is open"), local_gateway():
        pass
    with recorder.conversation.turn() as turn:
        with (
            pytest.raises(turnledger.UsageError, match="No upstream is called"),
            local_gateway(upstream="no"),
        ):
            pass
        turn.commit("done")
