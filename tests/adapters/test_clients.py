"""What holds for every client in every way that it can be asked, shown with the real one."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import turnledger
from tests.adapters.clients import CLIENTS, WAYS, ask
from tests.adapters.processes import killed, started
from tests.adapters.stub import Asked, Provider, Reply, any_answer
from tests.adapters.turns import refusing
from tests.patience import eventually

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", CLIENTS)
def test_it_is_recorded_byte_for_byte_or_not_asked(
    provider: Provider, recorder: Recorder, name: str, way: str
) -> None:
    said: list[Reply] = []

    def answer(asked: Asked) -> Reply:
        said.append(any_answer(asked))
        return said[-1]

    provider.otherwise = answer
    with recorder.conversation.turn() as turn:
        ask(CLIENTS[name], provider.url, way)
        turn.commit("done")
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert call.payload == provider.asked[0].body
    assert result.payload == b"".join(said[0].pieces)
    assert (result.tokens["status"], result.tokens["finish"]) == ("ok", "stop")
    assert call.tokens.get("stream", "0") == ("1" if "stream" in way else "0")

    with recorder.conversation.turn() as turn:
        with refusing(recorder.path), pytest.raises(turnledger.CaptureRefused):
            ask(CLIENTS[name], provider.url, way)
        with pytest.raises(turnledger.CaptureRefused):  # and so is whatever it asks later
            ask(CLIENTS[name], provider.url, way)
    assert len(provider.asked) == 1
    with turnledger.read(str(recorder.path)) as reading:
        assert reading.turn(turn.id).turn.status == "refused"


ALL_CLIENTS = """
import sys, threading
import turnledger
from tests.adapters.clients import CLIENTS, ask

agent = turnledger.open(sys.argv[1]).agent("support")

def wait_for(name):
    with agent.conversation(name).turn():
        ask(CLIENTS[name], sys.argv[2], "sync")

for name in CLIENTS:
    threading.Thread(target=wait_for, args=(name,)).start()
"""


@pytest.mark.crash
def test_what_clients_had_asked_is_in_doubt(provider: Provider, ledger_path: Path) -> None:
    never = threading.Event()
    provider.otherwise = lambda asked: Reply(any_answer(asked).pieces, hold=never)
    process = started(ALL_CLIENTS, ledger_path, provider.url)
    try:
        eventually(lambda: len(provider.asked) == len(CLIENTS) or process.poll() is not None)
    finally:
        killed(process)
        never.set()
    with turnledger.read(str(ledger_path)) as reading:
        events = [reading.events(turn.id)[-1].row for turn in reading.turns()]
        intents = [(event.type, reading.body(event.event_id)) for event in events]
    assert sorted(intents) == sorted(("MODEL_CALL", asked.body) for asked in provider.asked)
    assert len(intents) == len(CLIENTS)
