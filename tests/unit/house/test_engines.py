"""The test house itself: both engines can be had, and are what they say."""

from __future__ import annotations

import sqlite3

import psycopg
import pytest


def test_engine_fixture_gives_an_empty_store(engine: str) -> None:
    if engine.startswith("postgresql://"):
        with psycopg.connect(engine) as connection:
            tables = connection.execute(
                "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
            ).fetchone()
            assert tables == (0,)
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
    else:
        file = sqlite3.connect(engine)
        assert file.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)
        file.close()


@pytest.mark.postgres
def test_postgres_database_is_this_tests_own(postgres_url: str, postgres_dsn: str) -> None:
    with psycopg.connect(postgres_url) as mine, psycopg.connect(postgres_dsn) as server:
        assert mine.execute("SELECT current_database()").fetchone() != ("postgres",)
        assert server.execute("SELECT current_database()").fetchone() == ("postgres",)
