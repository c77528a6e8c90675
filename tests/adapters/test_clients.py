"""What holds for every client in every way that it can be asked, shown with the real one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import turnledger
from tests.adapters.clients import CLIENTS, WAYS, ask
from tests.adapters.stub import Asked, Provider, Reply, any_answer
from tests.adapters.turns import refusing

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
