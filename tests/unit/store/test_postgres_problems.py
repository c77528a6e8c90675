"""What PostgreSQL says, as the ledger's errors."""

from __future__ import annotations

import pytest

from turnledger.errors import (
    LedgerBusyError,
    LedgerCorruptError,
    LedgerError,
    LedgerUnavailableError,
)
from turnledger.store.contract import RowConflictError
from turnledger.store.postgres.problems import ServerError, explain, unreachable


@pytest.mark.parametrize("state", ["23505", "40001", "40P01"])
def test_what_another_writer_did_asks_for_a_new_plan(state: str) -> None:
    assert isinstance(explain(ServerError(state, "taken"), "db"), RowConflictError)


@pytest.mark.parametrize(
    ("state", "kind", "next_step"),
    [
        ("55P03", LedgerBusyError, "pg_stat_activity"),
        ("57014", LedgerBusyError, "pg_stat_activity"),
        ("53100", LedgerUnavailableError, "disk space"),
        ("53300", LedgerUnavailableError, "max_connections"),
        ("25006", LedgerUnavailableError, "primary"),
        ("42501", LedgerUnavailableError, "Grant"),
        ("23514", LedgerUnavailableError, "server's log"),
        ("42P01", LedgerCorruptError, "turnledger doctor"),
        ("XX001", LedgerCorruptError, "backup"),
    ],
)
def test_every_problem_has_a_next_step(state: str, kind: type[LedgerError], next_step: str) -> None:
    error = explain(ServerError(state, "it said so"), "postgresql://ann@db/ledger")
    assert type(error) is kind
    assert isinstance(error, LedgerError)
    assert next_step in error.next_step
    assert "postgresql://ann@db/ledger" in error.message
    assert "it said so" in error.message


def test_unreachable_says_where_and_why() -> None:
    error = unreachable("db", "nobody there.")
    assert error.message == "db cannot be reached: nobody there."
    assert unreachable("db", "refused; is it there?").message == "db cannot be reached: refused; is it there?"
    assert error.next_step
