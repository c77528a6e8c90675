"""Where no PostgreSQL server is installed the suite says so; where it must be there, it fails."""

from __future__ import annotations

import pytest

from tests import conftest

pytest_plugins = ["pytester"]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite with one test for each engine, on a machine without a PostgreSQL server."""
    monkeypatch.setattr(conftest, "find_binaries", lambda: None)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(conftest, "can_mount", lambda: True)
    hooks = "pytest_addoption, pytest_configure, pytest_collection_modifyitems, pytest_terminal_summary"
    pytester.makeconftest(f"from tests.conftest import {hooks}")
    pytester.makeini("[pytest]\nmarkers = postgres: needs a server")
    pytester.makepyfile(
        "import pytest\n"
        "def test_sqlite(): assert True\n"
        "@pytest.mark.postgres\n"
        "def test_postgres(): assert False"
    )
    return pytester


def test_the_engine_left_out_is_named(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.fnmatch_lines(["PostgreSQL: left out (no server binaries found)"])


def test_leaving_it_out_fails_in_ci(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    assert suite.runpytest_inprocess().ret == pytest.ExitCode.USAGE_ERROR


def test_leaving_it_out_fails_where_it_was_asked_for(suite: pytest.Pytester) -> None:
    assert suite.runpytest_inprocess("--require-postgres").ret == pytest.ExitCode.USAGE_ERROR
