"""Where no PostgreSQL server or no browser is there, the suite says so; where one must be there, it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import conftest

pytest_plugins = ["pytester"]


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A suite with a test for each engine and one in a browser, on a machine without PostgreSQL."""
    monkeypatch.setattr(conftest, "find_binaries", lambda: None)
    monkeypatch.setattr(conftest, "obstacle", lambda: None)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(conftest, "can_mount", lambda: True)
    hooks = "pytest_addoption, pytest_configure, pytest_collection_modifyitems, pytest_terminal_summary"
    pytester.makeconftest(f"from tests.conftest import {hooks}")
    pytester.makeini("[pytest]\nmarkers =\n    postgres: needs a server\n    console: needs a browser")
    pytester.makepyfile(
        "import pytest\n"
        "def test_sqlite(): assert True\n"
        "@pytest.mark.postgres\n"
        "def test_postgres(): assert False\n"
        "@pytest.mark.console\n"
        "def test_console(): assert True"
    )
    return pytester


def test_the_engine_left_out_is_named(suite: pytest.Pytester) -> None:
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=2, deselected=1)
    result.stdout.fnmatch_lines(["PostgreSQL: left out (no server binaries found)"])


def test_the_browser_left_out_is_named(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conftest, "obstacle", lambda: "no Chromium found")
    result = suite.runpytest_inprocess()
    result.assert_outcomes(passed=1, deselected=2)
    result.stdout.fnmatch_lines(["Console in a browser: left out (no Chromium found)"])


@pytest.mark.parametrize("missing", ["find_binaries", "obstacle"])
def test_leaving_it_out_fails_in_ci(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(conftest, "find_binaries", lambda: None if missing == "find_binaries" else Path("/"))
    monkeypatch.setattr(conftest, "obstacle", lambda: missing if missing == "obstacle" else None)
    monkeypatch.setenv("CI", "true")
    assert suite.runpytest_inprocess().ret == pytest.ExitCode.USAGE_ERROR


def test_leaving_it_out_fails_where_it_was_asked_for(suite: pytest.Pytester) -> None:
    assert suite.runpytest_inprocess("--require-postgres").ret == pytest.ExitCode.USAGE_ERROR
