"""Opening a ledger with the policy ``spool``, where the spool lies, and forwarding it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import turnledger
from tests.cli.kit import run
from tests.patience import eventually
from turnledger.capture.sink import StoreSink
from turnledger.engine.location import connect, default_file
from turnledger.engine.spooling import forward, open_spool, spool_file, spool_state
from turnledger.errors import ForeignFileError, LedgerBusyError, LedgerUnavailableError, UsageError


@pytest.fixture
def away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger whose folder is not there, as if its disk were not mounted."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "disk" / "agent.ledger"


def record(ledger: Path, text: str) -> None:
    with turnledger.open(ledger, policy="spool") as recorder:
        recorder.agent("a").conversation("k").inbound(text)


def test_a_ledger_that_is_not_there_is_recorded_for_and_gets_it_later(away: Path) -> None:
    record(away, "one")
    with pytest.raises(LedgerUnavailableError):
        turnledger.open(away)
    record(away, "two")
    state = spool_state(str(away))
    assert state is not None
    assert state.events == 3
    away.parent.mkdir()
    with turnledger.open(away, policy="spool") as recorder:
        recorder.agent("a").conversation("k").inbound("three")
        eventually(lambda: (spool_state(str(away)) or (1,))[0] == 0)
    with turnledger.read(away) as reading:
        (convo,) = reading.conversations()
        said = [
            reading.body(one.row.event_id) for one in reading.events(convo.id) if one.row.type == "MESSAGE"
        ]
        assert said == [b"one", b"two", b"three"]


def test_a_spool_is_forwarded_without_recording(away: Path) -> None:
    record(away, "one")
    away.parent.mkdir()
    store, spool = connect(away).open(), open_spool(str(away))
    told: list[int] = []
    other = open_spool(str(away))
    assert other.lead()
    with pytest.raises(LedgerBusyError, match="Another process"):
        forward(spool, StoreSink(store), told.append)
    other.close()
    assert forward(spool, StoreSink(store), told.append) == (3, 0), "an agent, a conversation, a message"
    assert forward(spool, StoreSink(store), told.append) == (0, 0)
    assert sum(told) == 3
    spool.close()
    store.close()


def test_each_address_has_a_spool_beside_the_default_ledger(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = spool_file(str(away))
    assert here.parent == default_file().parent
    assert here != spool_file("postgresql://host/db") != spool_file("https://host:443")
    away.parent.mkdir()
    monkeypatch.chdir(away.parent)
    assert spool_file("agent.ledger") == here
    assert spool_state(str(away)) is None
    assert not here.exists()


def test_what_makes_no_sense_is_refused(away: Path) -> None:
    with pytest.raises(UsageError, match="no spool"):
        turnledger.open("memory:", policy="spool")
    with pytest.raises(UsageError, match="policy spool only"):
        turnledger.open(away, spool=away)
    away.parent.mkdir()
    away.write_text("this is no ledger" * 1000)
    with pytest.raises(ForeignFileError):
        turnledger.open(away, policy="spool")


def test_off_has_no_spool(away: Path) -> None:
    with pytest.warns(RuntimeWarning, match="nothing is recorded"):
        turnledger.open("off", policy="spool")
    assert not away.parent.parent.joinpath("data").exists()


def test_the_doctor_tells_what_waits_and_forwards_it(away: Path) -> None:
    record(away, "one")
    away.parent.mkdir()
    turnledger.open(away).close()
    told = run("doctor", "--ledger", away)
    assert "2 events wait in the spool" in told.out
    state = json.loads(run("doctor", "--json", "--ledger", away).out)["spool"]
    assert (state["waiting"], state["events"], state["refused"], state["notKept"]) == (3, 2, 0, 0)
    assert state["since"].endswith("Z")
    done = run("doctor", "--forward", "--ledger", away)
    assert (done.status, done.lines[-1]) == (0, "well")
    assert "wait in the spool" not in done.out
    with turnledger.read(away) as reading:
        assert [one.row.type for one in reading.events(reading.conversations()[0].id)] == [
            "OPENED",
            "MESSAGE",
        ]
    assert run("doctor", "--forward", "--ledger", away).status == 0
