"""``turnledger doctor`` and ``turnledger migrate``."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

import turnledger
from tests.cli.kit import Outcome, Recorded, run, tamper
from tests.server.kit import listening
from turnledger.engine.location import database_at
from turnledger.engine.spooling import open_spool
from turnledger.errors import LedgerUnavailableError
from turnledger.ids import new_id, new_salt
from turnledger.model.draft import Batch, Body, Draft, Journal
from turnledger.model.vocabulary import JournalKind
from turnledger.store.rebuild import READ_MODELS, differences
from turnledger.store.sql_mapping import EMPTYING
from turnledger.store.sqlite import SqliteDatabase

TABLES = {
    "turns": "turns",
    "activity": "conversation_activity",
    "messages": "messages",
    "memory": "memory",
    "calls": "calls",
    "notices": "notices",
}


def table_rows(path: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(path)) as connection:
        return {
            name: sorted(connection.execute(f"SELECT * FROM {name}"), key=repr) for name in TABLES.values()
        }


def test_a_ledger_that_is_well(support: Recorded) -> None:
    shown = support.run("doctor")
    assert (shown.status, shown.lines[-1]) == (0, "well")
    assert "read models as the events say" in shown.out
    told = json.loads(support.run("doctor", "--json").out)
    assert (told["ok"], told["problems"], told["counts"]["turns"]) == (True, [], 2)
    assert told["bytes"] > 0


def test_every_read_model_is_compared() -> None:
    """What a rebuild empties is what the doctor looks at."""
    assert {name.removeprefix("delete_") for name in EMPTYING} == READ_MODELS.keys() == TABLES.keys()


ONE_MORE = (
    "INSERT INTO messages SELECT cid, 99, direction, actor, chars, created_ms, reply_to, verdict, turn,"
    " into_seq, shed, delivery FROM messages LIMIT 1"
)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE turns SET errors = errors + 1",
        "UPDATE turns SET status = 'running'",
        "DELETE FROM turns",
        "UPDATE conversation_activity SET tokens_in = 7",
        "DELETE FROM conversation_activity",
        "UPDATE messages SET verdict = 'defer'",
        "DELETE FROM messages WHERE seq = 1",
        ONE_MORE,
        "UPDATE memory SET revision = 9",
        "UPDATE calls SET ms = 1",
        "DELETE FROM notices",
    ],
)
def test_read_models_are_rebuilt_to_the_same_rows(support: Recorded, change: str) -> None:
    before = table_rows(support.path)
    tamper_read_models(support.path, change)
    assert table_rows(support.path) != before
    ill = support.run("doctor")
    assert (ill.status, ill.lines[-1]) == (1, "not well")
    assert "run `turnledger doctor --rebuild`" in ill.out
    told = json.loads(support.run("doctor", "--json").out)["readModels"]
    assert told["differences"]
    assert told["rebuilt"] is False
    healed = support.run("doctor", "--rebuild")
    assert (healed.status, healed.lines[-1]) == (0, "well")
    assert "rebuilt" in healed.out
    assert table_rows(support.path) == before
    assert support.run("doctor").status == 0


def tamper_read_models(path: Path, change: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()


def test_recording_goes_on_after_a_rebuild(support: Recorded) -> None:
    tamper_read_models(support.path, "DELETE FROM turns")
    assert support.run("doctor", "--rebuild").status == 0
    with support.ledger.agent("support").turn("timer") as turn:
        turn.commit("ok", reply=False)
    reader = SqliteDatabase(support.path).reader()
    assert list(differences(reader, lambda _more: None)) == []
    reader.close()
    assert support.run("verify", "--all").status == 0


def test_missing_guards_are_told(support: Recorded) -> None:
    tamper(support.path)
    shown = support.run("doctor")
    assert shown.status == 1
    assert "The trigger events_refuse_update is missing." in shown.out


def test_open_conflicts_and_silent_turns_are_told(made: Recorded) -> None:
    turn = made.ledger.agent("a").turn("api", content="go")
    turn.__enter__()
    tamper_read_models(made.path, "UPDATE journals SET until_ms = 1 WHERE kind = 'turn'")
    shown = made.run("doctor")
    assert "1 open turn shows no sign of life" in shown.out
    tamper_read_models(
        made.path, "INSERT INTO conflicts VALUES (randomblob(16), 1, 'GUARD', '', randomblob(32))"
    )
    told = json.loads(made.run("doctor", "--json").out)
    assert any("came again with other content" in problem for problem in told["problems"])
    made.ledger.close()


def test_a_ledger_that_cannot_be_written_is_told(support: Recorded, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_self: SqliteDatabase) -> None:
        msg = "It is read-only."
        raise LedgerUnavailableError(msg, next_step="Ask its owner.")

    monkeypatch.setattr(SqliteDatabase, "engine", refuse)
    shown = support.run("doctor")
    assert shown.status == 1
    assert "It cannot be written: It is read-only." in shown.out


# --- migrate -----------------------------------------------------------------------------------------


@pytest.fixture
def older(ledger_path: Path) -> str:
    """A ledger that was made before the newest migration; gives that one's name."""
    database = SqliteDatabase(ledger_path)
    *known, newest = database._migrations
    database._migrations = known
    database.engine().close()
    return f"{newest.number:04d}_{newest.slug}"


def test_a_reader_does_not_migrate_and_migrate_does(older: str, ledger_path: Path) -> None:
    def call(*arguments: str) -> Outcome:
        return run(*arguments, "--ledger", ledger_path)

    assert call("list").status == 3
    check = call("migrate", "--check")
    assert (check.status, check.out) == (1, f"missing {older}\n")
    assert json.loads(call("migrate", "--check", "--json").out)["missing"] == [older]
    assert "run `turnledger migrate`" in call("doctor").out
    done = call("migrate")
    assert (done.status, done.out) == (0, f"applied {older}\n")
    assert call("migrate", "--check").status == 0
    assert call("doctor").status == 0
    assert call("list").status == 0


def test_a_newer_ledger_is_refused(support: Recorded) -> None:
    tamper_read_models(support.path, "INSERT INTO migrations VALUES (99, 'future', randomblob(32), 1)")
    for command in ("list", "migrate", "doctor"):
        refused = support.run(command)
        assert refused.status == 3
        assert "Upgrade Turnledger" in refused.err


def test_what_is_up_to_date_says_so(support: Recorded) -> None:
    assert support.run("migrate").out == f"{support.path} is up to date\n"
    assert run("migrate", "--ledger", support.path, "--json").status == 0


def test_what_waits_in_the_spool_is_told_while_the_ledger_is_away(
    tmp_path: Path,
) -> None:
    """The doctor is where one is sent during an outage."""
    url = "postgresql://nobody:secret@127.0.0.1:1/none"
    path = tmp_path / "spool.db"
    alone = run("doctor", "--ledger", url, "--spool", path)
    assert (alone.status, alone.out) == (3, "")
    assert "cannot be reached" in alone.err
    agent, conversation = new_id(), new_id()
    journal = Journal(JournalKind.CONVERSATION, conversation)
    body = Body("payload", b"text", new_salt())
    draft = Draft(
        journal, agent, conversation, new_id(), "MESSAGE", "chars=4", b"{}", b"h" * 32, (body,), None
    )
    with closing(open_spool(database_at(url).label, path)) as spool:
        spool.append([(Batch((draft,)), False)], lambda _gap: Batch(()))
    for more in ((), ("--forward",)):
        away = run("doctor", "--ledger", url, "--spool", path, *more)
        assert away.status == 3
        assert f"1 event waits in the spool {path}" in " ".join(away.out.split())
        assert "cannot be reached" in away.out
        assert "secret" not in away.out + away.err
    told = json.loads(run("doctor", "--ledger", url, "--spool", path, "--json").out)
    assert (told["ok"], told["spool"]["events"]) == (False, 1)


class Served(NamedTuple):
    """A spool whose server is away, and what lets a recorder of it in."""

    url: str
    port: int
    spool: Path
    env: dict[str, str | None]


def capture_token(path: Path) -> str:
    made = run("token", "create", "--scope", "capture", "--agent", "support", "--json", "--ledger", path)
    return str(json.loads(made.out)["token"])


@pytest.fixture
def spooled(tmp_path: Path, ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    """A turn that was recorded while the server was away, and found that out at once."""
    monkeypatch.setattr("turnledger.capture.http_link._PAUSES", (0.01,))
    with listening(str(ledger_path)) as server:
        port = server.address.port
    made = run(
        "token", "create", "--scope", "capture", "--agent", "support", "--json", "--ledger", ledger_path
    )
    token = json.loads(made.out)["token"]
    url, spool = f"http://127.0.0.1:{port}", tmp_path / "spool.db"
    with (
        turnledger.open(url, token=token, policy="spool", spool=spool) as ledger,
        ledger.agent("support").turn() as turn,
    ):
        turn.commit("Later.")
    return Served(url, port, spool, {"TURNLEDGER_URL": url, "TURNLEDGER_TOKEN": token})


def test_a_servers_spool_is_told_while_the_server_is_away(spooled: Served) -> None:
    for more in ((), ("--forward",)):
        away = run("doctor", "--spool", spooled.spool, *more, env=spooled.env)
        assert away.status == 3
        assert f"wait in the spool {spooled.spool}" in " ".join(away.out.split())
        assert "cannot be reached" in away.out
    told = json.loads(run("doctor", "--spool", spooled.spool, "--json", env=spooled.env).out)
    assert (told["ok"], told["ledger"], told["spool"]["refused"]) == (False, spooled.url, 0)
    assert told["spool"]["events"] > 0


def test_a_servers_spool_is_forwarded(spooled: Served, ledger_path: Path) -> None:
    with listening(str(ledger_path), spooled.port):
        there = run("doctor", "--spool", spooled.spool, env=spooled.env)
        assert there.status == 0
        assert f"wait in the spool {spooled.spool}" in " ".join(there.out.split())
        forwarded = run("doctor", "--forward", "--spool", spooled.spool, env=spooled.env)
        assert forwarded.status == 0, forwarded
        assert "batches were forwarded" in forwarded.out
        assert "wait in the spool" not in forwarded.out
        told = json.loads(run("doctor", "--spool", spooled.spool, "--json", env=spooled.env).out)
        assert (told["ok"], told["spool"]["events"]) == (True, 0)
    (turn,) = json.loads(run("list", "--turns", "--json", "--ledger", ledger_path).out)["turns"]
    assert turn["status"] == "completed"


@pytest.mark.parametrize("token", ["", "tl_wrong"])
def test_nothing_is_forwarded_without_a_right_to(spooled: Served, ledger_path: Path, token: str) -> None:
    env = spooled.env | {"TURNLEDGER_TOKEN": token}
    with listening(str(ledger_path), spooled.port):
        outcome = run("doctor", "--forward", "--spool", spooled.spool, env=env)
        assert outcome.status != 0
        assert "oken" in outcome.out + outcome.err
        left = json.loads(run("doctor", "--spool", spooled.spool, "--json", env=spooled.env).out)
        assert (left["spool"]["events"] > 0, left["spool"]["refused"]) == (True, 0)


def test_a_server_without_a_spool_is_looked_at_beside_its_ledger(ledger_path: Path) -> None:
    with listening(str(ledger_path)) as server:
        env = {"TURNLEDGER_TOKEN": capture_token(ledger_path), "XDG_DATA_HOME": str(ledger_path.parent)}
        url = f"http://127.0.0.1:{server.address.port}"
        well = run("doctor", "--ledger", url, env=env)
        assert (well.status, well.err) == (0, "")
        assert "beside the server" in " ".join(well.out.split())
        refused = run("doctor", "--rebuild", "--ledger", url, env=env)
        assert (refused.status, refused.out) == (2, "")
