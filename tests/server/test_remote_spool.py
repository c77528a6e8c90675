"""The policy ``spool`` in front of a server: it stops in the middle of a turn, and misses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import turnledger
from tests.patience import eventually
from tests.server.kit import REQUEST, RESPONSE, listening
from turnledger.engine.spooling import spool_state
from turnledger.model.access import Grant, Scope
from turnledger.query.verify import verify_ledger


def test_a_server_that_stops_for_a_while_misses_nothing(
    engine: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.capture.http_link._PAUSES", (0.01, 0.01))
    spool = tmp_path / "spool.db"
    with listening(engine, port) as first:
        token, _ = first.service.access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))
        address = first.address
        ledger = turnledger.open(address.url, token=token, policy="spool", spool=spool)
        talk = ledger.agent("support").conversation("dm")
        message = talk.inbound("one", actor="U1", external_id="m1")
        turn = talk.turn(trigger=message)
        turn.__enter__()
        with turn.model_call(request=REQUEST) as call:
            call.result(RESPONSE)
    with turn.model_call(request=REQUEST) as call:
        call.result(RESPONSE)
    turn.commit("done")
    turn.__exit__(None, None, None)
    talk.inbound("two", actor="U2", external_id="m2")
    assert talk.inbound("two", external_id="m2").is_duplicate
    talk.memory_write("likes", "tea")

    def is_drained() -> bool:
        state = spool_state(f"http://{address.host}:{address.port}", spool)
        return state is not None and state.waiting == 0

    with listening(engine, port) as second:
        eventually(is_drained)
        assert talk.inbound("two", external_id="m2").is_duplicate
        ledger.close()
        reader = second.service.reader
        kinds = [row.type for row in reader.events(turn.id, 0, 99)]
        assert kinds.count("MODEL_CALL") == kinds.count("MODEL_RESULT") == 2
        assert kinds[-1] == "COMMIT"
        assert [row.summary.count("assurance=s") for row in reader.events(turn.id, 0, 99)][-3:] == [1, 1, 1]
        assert all(found.sound for found in verify_ledger(reader))
