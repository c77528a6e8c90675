"""Both engines have the same statements, with the same parameters, and the same migrations."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STORE = Path(__file__).parents[2] / "src" / "turnledger" / "store"
ENGINES = ("sqlite", "postgres")

ONLY = re.compile(r"--\s*only:\s*(sqlite|postgres)\s+\S+")
COMMENT_OR_TEXT = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'", re.DOTALL)
PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)|%\((\w+)\)[sbt]")
MIGRATION = re.compile(r"\d{4}_[a-z0-9_]+\.sql")


def _files(engine: str, folder: str) -> dict[str, Path]:
    return {path.name: path for path in (STORE / engine / folder).glob("*.sql")}


def _only(statement: Path) -> str | None:
    """The engine that this statement says it is for alone."""
    first = statement.read_text().partition("\n")[0]
    said = ONLY.match(first)
    return said[1] if said else None


def _parameters(statement: Path) -> set[str]:
    """Names of the values that a statement takes, written ``:name`` or ``%(name)s``."""
    text = COMMENT_OR_TEXT.sub(" ", statement.read_text())
    return {plain or driver for plain, driver in PARAMETER.findall(text)}


def _shared(engine: str) -> set[str]:
    return {name for name, path in _files(engine, "queries").items() if _only(path) is None}


def test_parameters_are_found_in_both_spellings(tmp_path: Path) -> None:
    statement = tmp_path / "take_both.sql"
    statement.write_text("-- :no\nSELECT ':no', x::text FROM t WHERE a = :first AND b = %(second)s")
    assert _parameters(statement) == {"first", "second"}


def test_every_statement_has_its_twin() -> None:
    assert _shared("sqlite") == _shared("postgres")


def test_twins_take_the_same_parameters() -> None:
    sqlite, postgres = (_files(engine, "queries") for engine in ENGINES)
    twins = _shared("sqlite") & _shared("postgres")
    assert not [name for name in twins if _parameters(sqlite[name]) != _parameters(postgres[name])]


@pytest.mark.parametrize("engine", ENGINES)
def test_statements_for_one_engine_stand_in_its_room(engine: str) -> None:
    said = {name: _only(path) for name, path in _files(engine, "queries").items()}
    assert not {name: only for name, only in said.items() if only not in {None, engine}}


def test_migrations_have_the_same_numbers_and_names() -> None:
    sqlite, postgres = (sorted(_files(engine, "migrations")) for engine in ENGINES)
    assert sqlite == postgres
    assert [name[:4] for name in sqlite] == [f"{number:04}" for number in range(1, len(sqlite) + 1)]
    assert all(MIGRATION.fullmatch(name) for name in sqlite)
