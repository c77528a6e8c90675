"""One connection: pipelines, what comes back from them, and how they break."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.patience import eventually
from tests.unit.store.postgres_kit import end_sessions, execute, wire
from turnledger.errors import LedgerUnavailableError
from turnledger.store.postgres.address import Address
from turnledger.store.postgres.link import Call, Link
from turnledger.store.postgres.problems import LinkLostError, ServerError
from turnledger.store.sql import parse_statement

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.postgres


def call(text: str, *values: object, name: str = "") -> Call:
    return parse_statement(name, text), values


@pytest.fixture
def link(postgres_url: str) -> Iterator[Link]:
    link = Link(Address.parse(postgres_url))
    yield link
    link.close()


def test_values_come_back_as_they_went(link: Link) -> None:
    link.run([call("CREATE TABLE t (i bigint, b bytea, s text)")])
    rows: list[tuple[object, ...]] = [
        (-(2**63), b"", ""),
        (2**63 - 1, bytes(range(256)), "naïve \U0001f600 'quoted' \\x"),
        (None, None, None),
        (0, b"\x00" * 100_000, "x" * 100_000),
    ]
    link.run([call("INSERT INTO t VALUES (:i, :b, :s)", *row, name="insert_t") for row in rows])
    assert link.run([call("SELECT i, b, s FROM t")]) == [rows]


def test_arrays_keep_their_order_and_may_be_empty(link: Link) -> None:
    texts = ["b", "a", "", "ü"]
    blobs = [b"\x00", b"", b"\xff" * 20]
    [[row]] = link.run([call("SELECT :a::bigint[], :b::bytea[], :c::text[]", [3, -1, 2**62], blobs, texts)])
    assert row == ([3, -1, 2**62], blobs, texts)
    [[row]] = link.run([call("SELECT cardinality(:a::bigint[]), 1 = ANY(:b::bigint[])", [], [])])
    assert row == (0, False)


def test_an_integer_beyond_a_column_is_refused_before_anything_is_sent(link: Link) -> None:
    with pytest.raises(ServerError, match="64 bits does not fit") as caught:
        link.run([call("SELECT 1"), call("SELECT :i", 2**63)])
    assert caught.value.sqlstate == "22003"
    assert link.run([call("SELECT 2")]) == [[(2,)]]
    with pytest.raises(TypeError, match="float"):
        link.run([call("SELECT :x", 1.5)])
    assert not link.closed


def test_one_failure_ends_the_pipeline_and_not_the_link(link: Link) -> None:
    link.run([call("CREATE TABLE t (i bigint PRIMARY KEY)")])
    insert = [call("INSERT INTO t VALUES (:i)", i, name="insert_t") for i in (1, 2, 2, 3)]
    with pytest.raises(ServerError) as caught:
        link.run([*insert, call("SELECT 1", name="never_reached")])
    assert caught.value.sqlstate == "23505"
    assert "(2)" not in str(caught.value)  # the detail line, which quotes the row
    assert link.run([call("SELECT count(*) FROM t"), call("SELECT 1", name="never_reached")]) == [
        [(0,)],
        [(1,)],
    ]


def test_a_statement_that_could_not_be_prepared_is_prepared_again(link: Link) -> None:
    select = call("SELECT i FROM later", name="select_later")
    with pytest.raises(ServerError) as caught:
        link.run([select, call("SELECT 1", name="after_it")])
    assert caught.value.sqlstate == "42P01"
    link.run([call("CREATE TABLE later (i bigint)")])
    assert link.run([select, call("SELECT 1", name="after_it")]) == [[], [(1,)]]


def test_a_long_pipeline_with_long_answers_does_not_stand_still(link: Link) -> None:
    """Both ends would block for ever if the client sent on while the server waits to be heard."""
    block = b"x" * 100_000
    answers = link.run([call("SELECT :b || :b", block, name="echo") for _ in range(300)], 20)
    assert len(answers) == 300
    assert answers[-1] == [(block + block,)]


def test_what_is_sent_ahead_is_answered_with_the_next_run(link: Link) -> None:
    link.send([call("BEGIN"), call("SELECT 1")])
    assert link.in_transaction
    assert link.run([call("SELECT 2"), call("ROLLBACK")]) == [[], [(1,)], [(2,)], []]
    assert not link.in_transaction


def test_the_answer_to_a_post_is_passed_over(link: Link) -> None:
    link.post(call("NOTIFY somebody"))
    link.post(call("SELECT 1 / 0"))
    assert link.run([call("SELECT 3")]) == [[(3,)]]


def test_a_script_is_one_transaction(link: Link) -> None:
    link.script(
        "CREATE TABLE a (i bigint); CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT ';' $$;"
    )
    assert link.run([call("SELECT f()")]) == [[(";",)]]
    with pytest.raises(ServerError):
        link.script("CREATE TABLE b (i bigint); CREATE TABLE a (i bigint);")
    assert link.run([call("SELECT to_regclass('b') IS NULL")]) == [[(True,)]]


def test_an_ended_session_is_a_lost_link(link: Link, postgres_url: str) -> None:
    end_sessions(postgres_url)
    with pytest.raises(LinkLostError):
        link.run([call("SELECT 1")])
    assert link.closed
    with pytest.raises(LinkLostError):
        link.send([call("SELECT 1")])
    with pytest.raises(LinkLostError):
        link.post(call("SELECT 1"))
    with pytest.raises(LinkLostError):
        link.run([call("SELECT 1")])
    link.close()


def test_a_silent_server_is_given_up(postgres_url: str, tmp_path: Path) -> None:
    with wire(postgres_url, tmp_path) as (url, between):
        link = Link(Address.parse(url))
        between.silent = True
        with pytest.raises(LinkLostError, match="did not answer"):
            link.run([call("SELECT 1")], 0.2)
        assert link.closed


def test_a_link_cut_in_the_middle_of_an_answer_is_lost(postgres_url: str, tmp_path: Path) -> None:
    with wire(postgres_url, tmp_path) as (url, between):
        link = Link(Address.parse(url))
        between.cut_after = b"answer_me"
        with pytest.raises(LinkLostError):
            link.run([call("SELECT 1", name="answer_me")])


def test_a_migration_by_somebody_else_asks_for_a_new_link(link: Link, postgres_url: str) -> None:
    select = call("SELECT * FROM v", name="select_v")
    link.run([call("CREATE VIEW v AS SELECT 1 AS a")])
    link.run([select])
    execute(postgres_url, "CREATE OR REPLACE VIEW v AS SELECT 1 AS a, 2 AS b")
    with pytest.raises(LinkLostError, match="0A000"):
        link.run([select])
    assert link.closed


def test_notifications_are_heard(link: Link, postgres_url: str) -> None:
    link.run([call("LISTEN turnledger")])
    assert not link.notified()
    execute(postgres_url, "NOTIFY turnledger")
    link.run([call("SELECT 1")])
    assert link.notified()
    assert not link.notified()


# --- connecting ---


def test_no_server_is_said_with_a_next_step(tmp_path: Path) -> None:
    with pytest.raises(LedgerUnavailableError, match="cannot be reached") as caught:
        Link(Address.parse(f"postgresql://ann:s3cret@/ledger?host={tmp_path}"))
    assert "server runs" in caught.value.next_step
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_database_is_said_with_a_next_step(postgres_url: str) -> None:
    missing = postgres_url.replace("/test_", "/missing_")
    with pytest.raises(LedgerUnavailableError, match="does not exist") as caught:
        Link(Address.parse(missing))
    assert "createdb" in caught.value.next_step


def test_an_old_server_is_refused(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.store.postgres.link.OLDEST_SERVER", 99)
    with pytest.raises(LedgerUnavailableError, match="it is PostgreSQL 1"):
        Link(Address.parse(postgres_url))


def test_an_old_client_library_is_refused(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.store.postgres.link.OLDEST_LIBPQ", 990000)
    with pytest.raises(LedgerUnavailableError, match="client library here is version 1") as caught:
        Link(Address.parse(postgres_url))
    assert "psycopg[binary]" in caught.value.next_step


def test_a_wrong_password_is_said_without_the_password(postgres_url: str) -> None:
    [(path,)] = execute(postgres_url, "SHOW hba_file")
    rules = Path(str(path))
    before = rules.read_text()
    execute(postgres_url, "CREATE ROLE locked LOGIN PASSWORD 'right'")
    try:
        rules.write_text("local all locked scram-sha-256\n" + before)
        execute(postgres_url, "SELECT pg_reload_conf()")
        _wait_for_password(postgres_url)
        wrong = postgres_url.replace("postgres@", "locked:s3cret@")
        with pytest.raises(LedgerUnavailableError, match="password") as caught:
            Link(Address.parse(wrong))
        assert "s3cret" not in str(caught.value)
        assert "s3cret" not in str(caught.value.__cause__)
        assert "pgpass" in caught.value.next_step
        Link(Address.parse(postgres_url.replace("postgres@", "locked:right@"))).close()
    finally:
        rules.write_text(before)
        execute(postgres_url, "SELECT pg_reload_conf()")
        execute(postgres_url, "DROP ROLE locked")


def _wait_for_password(url: str) -> None:
    """The server reads its rules a moment after it was told to."""

    def is_refused() -> bool:
        try:
            psycopg.connect(url.replace("postgres@", "locked:wrong@")).close()
        except psycopg.OperationalError:
            return True
        return False

    eventually(is_refused)
