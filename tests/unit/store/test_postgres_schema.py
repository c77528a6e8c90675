"""The schema: made once however many come, refused where it cannot be right, and guarded."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg
import pytest

from tests.patience import eventually
from tests.unit.store.postgres_kit import Scribe, batch, execute
from turnledger.errors import LedgerCorruptError, LedgerUnavailableError, LedgerVersionError
from turnledger.store.migrate import load_migrations, migrate
from turnledger.store.postgres import PostgresDatabase
from turnledger.store.postgres.address import Address
from turnledger.store.postgres.link import Link
from turnledger.store.postgres.schema import Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.postgres

MIGRATIONS = load_migrations("turnledger.store.postgres")

OPEN_AND_SAY_WHICH = """
import sys
from turnledger.store.postgres import PostgresDatabase
database = PostgresDatabase(sys.argv[1])
engine = database.engine()
reader = database.reader()
print(reader.ledger_id())
reader.close()
engine.close()
"""


@pytest.fixture
def scribe(postgres_url: str) -> Iterator[Scribe]:
    scribe = Scribe(postgres_url)
    yield scribe
    scribe.close()


def faults(url: str) -> list[str]:
    reader = PostgresDatabase(url).reader()
    try:
        return reader.faults()
    finally:
        reader.close()


# --- migrations ---


def test_m04_processes_that_come_at_once_make_one_ledger(postgres_url: str) -> None:
    command = [sys.executable, "-c", OPEN_AND_SAY_WHICH, postgres_url]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = {process.communicate()[0].strip() for process in running}
    assert [process.returncode for process in running] == [0] * 4
    assert len(said) == 1
    applied = execute(postgres_url, "SELECT number, slug FROM migrations ORDER BY number")
    assert applied == [(migration.number, migration.slug) for migration in MIGRATIONS]
    assert execute(postgres_url, "SELECT count(*) FROM ledger") == [(1,)]


def test_m04_a_migration_that_breaks_off_leaves_whole_ones_only(postgres_url: str) -> None:
    link = Link(Address.parse(postgres_url))
    broken = MIGRATIONS[1].text.replace("CREATE TABLE memory", "CREATE TABLE turns")
    half = [
        MIGRATIONS[0],
        type(MIGRATIONS[1])(2, "read_models", broken, MIGRATIONS[1].digest),
        *MIGRATIONS[2:],
    ]
    with pytest.raises(LedgerCorruptError, match="already exists"):
        migrate(Schema(link), half)
    assert link.closed
    assert execute(postgres_url, "SELECT number FROM migrations") == [(1,)]
    assert execute(postgres_url, "SELECT to_regclass('turns')") == [(None,)]
    assert PostgresDatabase(postgres_url).pending() == MIGRATIONS[1:]
    PostgresDatabase(postgres_url).engine().close()
    assert PostgresDatabase(postgres_url).pending() == []
    assert faults(postgres_url) == []


def test_a_newer_ledger_and_an_edited_one_are_refused(scribe: Scribe, postgres_url: str) -> None:
    execute(postgres_url, "INSERT INTO migrations VALUES (99, 'later', decode(repeat('00', 32), 'hex'), 0)")
    for open_it in (scribe.database.engine, scribe.database.reader, scribe.database.pending):
        with pytest.raises(LedgerVersionError, match="schema version 99"):
            open_it()
    execute(postgres_url, "DELETE FROM migrations WHERE number = 99")
    execute(postgres_url, "UPDATE migrations SET digest = decode(repeat('00', 32), 'hex') WHERE number = 2")
    with pytest.raises(LedgerVersionError, match="0002_read_models was applied with other content"):
        scribe.database.engine()


def test_a_reader_never_makes_a_ledger(postgres_url: str) -> None:
    with pytest.raises(LedgerVersionError, match="has not been made"):
        PostgresDatabase(postgres_url).reader()
    assert execute(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_two_ledgers_live_in_two_schemas_of_a_database(postgres_url: str) -> None:
    ids = set()
    for name in ("first", "second"):
        execute(postgres_url, f"CREATE SCHEMA {name}")
        url = f"{postgres_url}&options={quote(f'-csearch_path={name}')}"
        scribe = Scribe(url)
        assert scribe.append(batch(scribe.step()))
        reader = scribe.database.reader()
        ids.add(reader.ledger_id())
        assert [agent.id for agent in reader.agents()] == [scribe.agent]
        assert reader.faults() == []
        reader.close()
        scribe.close()
    assert len(ids) == 2
    assert execute(postgres_url, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]


def test_a_search_path_without_a_schema_is_said(postgres_url: str) -> None:
    with pytest.raises(LedgerUnavailableError, match="names no schema") as caught:
        PostgresDatabase(f"{postgres_url}&options=-csearch_path%3Dnowhere").engine()
    assert "CREATE SCHEMA" in caught.value.next_step


def test_a_role_that_may_not_create_is_told_so(postgres_url: str) -> None:
    execute(postgres_url, "CREATE ROLE guest LOGIN")
    execute(postgres_url, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    try:
        with pytest.raises(LedgerUnavailableError, match="permission denied for schema public") as caught:
            PostgresDatabase(postgres_url.replace("postgres@", "guest@")).engine()
        assert "Grant" in caught.value.next_step
    finally:
        execute(postgres_url, "DROP ROLE guest")


def test_a_database_of_another_encoding_is_refused(postgres_url: str) -> None:
    name = postgres_url.rpartition("/")[2].partition("?")[0]
    execute(postgres_url, f"CREATE DATABASE {name}_latin ENCODING 'LATIN1' TEMPLATE template0")
    try:
        with pytest.raises(LedgerUnavailableError, match="encoding LATIN1") as caught:
            PostgresDatabase(postgres_url.replace(f"/{name}?", f"/{name}_latin?")).engine()
        assert "UTF8" in caught.value.next_step
    finally:
        execute(postgres_url, f"DROP DATABASE {name}_latin WITH (FORCE)")


# --- guards ---


@pytest.mark.parametrize("role", ["origin", "replica"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET type = 'X'",
        "UPDATE events SET type = 'X' WHERE false",
        "DELETE FROM events",
        "TRUNCATE events",
        "TRUNCATE journals CASCADE",
        "INSERT INTO events SELECT * FROM events ON CONFLICT (eid) DO UPDATE SET type = 'X'",
    ],
)
def test_events_refuse_every_change(scribe: Scribe, postgres_url: str, statement: str, role: str) -> None:
    before = execute(postgres_url, "SELECT * FROM events ORDER BY eid")
    url = f"{postgres_url}&options=-csession_replication_role%3D{role}"
    with pytest.raises(psycopg.errors.IntegrityConstraintViolation, match="append-only"):
        execute(url, statement)
    assert execute(postgres_url, "SELECT * FROM events ORDER BY eid") == before
    scribe.append(batch(scribe.step()))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("type", "'tool_call'"),
        ("type", "'TOOL_CALL|P'"),
        ("type", "''"),
        ("type", "'A' || repeat('B', 32)"),
        ("type", "E'TOOL\\nCALL'"),
        ("tokens", "'a=ü'"),
        ("tokens", "E'a=1\\tb=2'"),
        ("tokens", "repeat('x', 4025)"),
        ("seq", "-1"),
        ("seq", "2147483648"),
        ("position", "-1"),
        ("hash", "'\\x00'"),
        ("payload_hash", "decode(repeat('00', 33), 'hex')"),
        ("event_id", "'\\x00'"),
        ("jid", "999999"),
    ],
)
def test_rows_outside_the_grammar_are_refused(
    scribe: Scribe, postgres_url: str, column: str, value: str
) -> None:
    columns = {
        "eid": "eid + 1",
        "jid": "jid",
        "seq": "seq + 1",
        "cid": "cid",
        "position": "position + 1",
        "created_ms": "created_ms",
        "event_id": "decode(md5(random()::text), 'hex')",
        "payload_hash": "payload_hash",
        "hash": "hash",
        "type": "type",
        "tokens": "tokens",
        "detail": "detail",
    }
    insert = "INSERT INTO events ({}) SELECT {} FROM events ORDER BY eid DESC LIMIT 1"
    bad = insert.format(", ".join(columns), ", ".join((columns | {column: value}).values()))
    with pytest.raises(psycopg.errors.IntegrityError):
        execute(postgres_url, bad)
    good = insert.format(", ".join(columns), ", ".join(columns.values()))
    execute(postgres_url, good)
    assert scribe.database.label


def test_a_sound_ledger_has_no_faults(scribe: Scribe, postgres_url: str) -> None:
    assert scribe.append(batch(scribe.step()))
    assert faults(postgres_url) == []


EMPTY_FUNCTION = """
CREATE OR REPLACE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'
"""

LAX_CHECK = """
ALTER TABLE events DROP CONSTRAINT events_type_check;
ALTER TABLE events ADD CONSTRAINT events_type_check CHECK (true) NOT VALID
"""


@pytest.mark.parametrize(
    ("tampering", "named"),
    [
        ("ALTER TABLE events DISABLE TRIGGER events_refuse_update", "events_refuse_update"),
        ("ALTER TABLE events ENABLE TRIGGER events_refuse_delete", "events_refuse_delete"),
        ("DROP TRIGGER events_refuse_truncate ON events", "events_refuse_truncate"),
        (EMPTY_FUNCTION, "events_refuse_update"),
        ("ALTER TABLE events DROP CONSTRAINT events_tokens_check", "events_tokens_check"),
        (LAX_CHECK, "events_type_check"),
        ("DROP INDEX events_journal", "events_journal"),
        ("DROP INDEX events_id; CREATE INDEX events_id ON events (event_id)", "events_id"),
    ],
)
def test_missing_guards_are_found(scribe: Scribe, postgres_url: str, tampering: str, named: str) -> None:
    execute(postgres_url, tampering)
    found = faults(postgres_url)
    assert any(named in fault for fault in found)
    assert scribe.database.label


@pytest.mark.parametrize("setting", ["fsync", "full_page_writes"])
def test_a_server_that_may_lose_commits_is_a_fault(scribe: Scribe, postgres_url: str, setting: str) -> None:
    assert scribe.database.label
    execute(postgres_url, f"ALTER SYSTEM SET {setting} = off")
    try:
        execute(postgres_url, "SELECT pg_reload_conf()")
        eventually(lambda: execute(postgres_url, f"SHOW {setting}") == [("off",)])
        assert any(setting in fault for fault in faults(postgres_url))
    finally:
        execute(postgres_url, f"ALTER SYSTEM RESET {setting}")
        execute(postgres_url, "SELECT pg_reload_conf()")
        eventually(lambda: execute(postgres_url, f"SHOW {setting}") == [("on",)])
