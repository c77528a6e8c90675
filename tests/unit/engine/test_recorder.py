"""Opening a ledger by its URL, for recording and for reading; switching recording off."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

import turnledger
from turnledger.engine.location import connect, default_file, ledger_url
from turnledger.engine.reading import Reading
from turnledger.errors import GrammarError, LedgerError, LedgerUnavailableError, NotFoundError, UsageError
from turnledger.ids import new_id


def test_the_url_comes_from_the_argument_the_environment_or_the_users_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert ledger_url() == str(tmp_path / "turnledger" / "ledger.db")
    monkeypatch.setenv("TURNLEDGER_URL", "/x/y.ledger")
    assert ledger_url() == "/x/y.ledger"
    assert ledger_url("z") == "z"
    assert ledger_url(tmp_path) == str(tmp_path)


def test_an_empty_url_is_not_the_default_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    for empty in ("", " \n"):
        with pytest.raises(UsageError, match="empty text") as caught:
            ledger_url(empty)
        assert "default ledger" in caught.value.next_step
        monkeypatch.setenv("TURNLEDGER_URL", empty)
        with pytest.raises(UsageError, match="TURNLEDGER_URL is set to empty text"):
            turnledger.open()


@pytest.mark.parametrize(
    "url",
    [
        "host=db password=s3cret",
        " password = s3cret host=db",
        "POSTGRESQL://ann:s3cret@db/ledger",
        "postgresql:ann:s3cret@db/ledger",
        "postgres:/ann:s3cret@db",
        "https:/ann:s3cret@db",
    ],
)
def test_what_is_meant_for_a_server_is_no_files_name_and_not_repeated(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        connect(url)
    assert "s3cret" not in str(caught.value)
    assert "postgresql://user:password@" in caught.value.next_step
    turnledger.open(tmp_path / "host=1").close()  # a path is a path


@pytest.mark.parametrize(("platform", "folder"), [("darwin", "Application Support"), ("win32", "Local")])
def test_every_system_has_its_own_data_folder(
    monkeypatch: pytest.MonkeyPatch, platform: str, folder: str
) -> None:
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    assert default_file().parts[-3:] == (folder, "turnledger", "ledger.db")


def test_the_default_folder_is_made_for_its_owner_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    turnledger.open().close()
    assert default_file().exists()
    assert default_file().parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setenv("XDG_DATA_HOME", str(default_file()))
    with pytest.raises(LedgerUnavailableError, match="TURNLEDGER_URL"):
        turnledger.open()


def test_only_the_default_folder_is_made(tmp_path: Path) -> None:
    with pytest.raises(LedgerError):
        turnledger.open(tmp_path / "typo" / "agent.ledger")
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("url", ["mysql://x", "ftp://user:secret@host/x", "off"])
def test_a_url_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="file path") as caught:
        connect(url)
    assert "secret" not in str(caught.value)


def test_without_the_driver_postgres_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "turnledger.store.postgres", None)
    with pytest.raises(LedgerUnavailableError, match=r"turnledger\[postgres\]"):
        connect("postgresql://host/db")


@pytest.mark.postgres
def test_a_turn_on_postgres(postgres_url: str) -> None:
    with turnledger.open(postgres_url) as ledger, ledger.agent("a").turn() as turn:
        turn.tool("t", lambda: 1)
        turn.commit("x")
    with turnledger.read(postgres_url) as reading:
        assert [entry.row.type for entry in reading.events(turn.id)] == [
            "INTAKE",
            "TOOL_CALL",
            "TOOL_RESULT",
            "COMMIT",
        ]


def test_a_policy_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="Use one of"):
        turnledger.open("memory:", policy="hope")


def test_off_records_nothing_loudly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TURNLEDGER_URL", "off")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with pytest.warns(RuntimeWarning, match="nothing is recorded"):
        ledger = turnledger.open()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convo = ledger.agent("a").conversation("c", place="p")
        msg = convo.inbound("hi", actor="U", external_id="1")
        assert not convo.inbound("hi", external_id="1").is_duplicate
        msg.verdict("engage")
        convo.memory_write("k", 1)
        with convo.turn(msg) as turn:
            with turn.model_call(request={"messages": [{"role": "system", "content": "s"}]}) as call:
                call.result(b"{}")
            assert turn.tool("t", lambda: 5) == 5
            turn.approval().decide("granted", by="U")
            turn.commit("x")
        with pytest.raises(NotFoundError), ledger.agent("a").resume(turn.id):
            pytest.fail("there is nothing to resume")
        with pytest.raises(UsageError, match="keeps nothing"):
            turnledger.read(ledger)
        ledger.close()
    assert not list(tmp_path.iterdir())


def test_a_ledger_in_memory_is_read_through_its_recorder() -> None:
    with turnledger.open("memory:") as ledger, ledger.agent("a").turn() as turn:
        turn.commit("x")
        with turnledger.read(ledger) as reading:
            assert [row.id for row in reading.turns()] == [turn.id]
        with ledger.agent("a").turn() as second:
            second.commit("the reader did not close it")


def test_reading_makes_nothing(ledger_path: Path) -> None:
    with pytest.raises(LedgerError), turnledger.read(ledger_path) as reading:
        reading.agents()
    assert not ledger_path.exists()


def test_reading_finds_agents_by_name_and_says_what_is_not_there(ledger_path: Path) -> None:
    with turnledger.open(ledger_path) as ledger, ledger.agent("a").conversation("c").turn() as turn:
        turn.commit("x")
    with turnledger.read(ledger_path) as reading:
        assert [agent.name for agent in reading.agents()] == ["a"]
        (convo,) = reading.conversations()
        assert [row.id for row in reading.turns("a", conversation=str(convo.id))] == [turn.id]
        assert reading.turn(str(turn.id)).turn.id == turn.id
        assert reading.timeline(convo.id, limit=2).has_more
        commit = reading.events(turn.id)[-1]
        assert reading.body(commit.row.event_id) == b"x"
        with pytest.raises(NotFoundError, match="supplied"):
            reading.body(commit.row.event_id, "supplied")
        with pytest.raises(NotFoundError):
            reading.turn(new_id())
        with pytest.raises(GrammarError):
            reading.turns("nobody")
        assert isinstance(reading, Reading)
