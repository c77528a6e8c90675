"""Both engines answer to the same statements and have the same migrations.

A statement lies in ``store/queries`` for both engines.  Where an engine needs another one, its own folder
holds it under the same name, and the first line says ``-- only: <engine>  <why>``.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from turnledger.store.sql import load_statements

STORE = Path(__file__).parents[2] / "src" / "turnledger" / "store"
ENGINES = ("sqlite", "postgres")

SHARED = load_statements("turnledger.store")
OWN = {engine: load_statements(f"turnledger.store.{engine}") for engine in ENGINES}
ALL_NAMES = set(SHARED).union(*OWN.values())

MIGRATION = re.compile(r"\d{4}_[a-z0-9_]+\.sql")


def _named_in(modules: list[Path]) -> set[str]:
    """The statements that these modules call by name."""
    texts = {
        node.value
        for module in modules
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return texts & ALL_NAMES


def _migrations(engine: str) -> list[str]:
    return sorted(path.name for path in (STORE / engine / "migrations").glob("*.sql"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_statement_for_one_engine_says_why(engine: str) -> None:
    first_lines = {
        path.name: path.read_text().partition("\n")[0] for path in (STORE / engine / "queries").iterdir()
    }
    assert not {
        name: line for name, line in first_lines.items() if not re.match(rf"-- only: {engine}\s+\w", line)
    }


@pytest.mark.parametrize("engine", ENGINES)
def test_no_engine_repeats_what_is_shared(engine: str) -> None:
    replaced = OWN[engine].keys() & SHARED.keys()
    assert not [name for name in replaced if OWN[engine][name].text == SHARED[name].text]


@pytest.mark.parametrize("engine", ENGINES)
def test_whatever_both_engines_call_is_there(engine: str) -> None:
    assert _named_in(sorted(STORE.glob("*.py"))) <= SHARED.keys() | OWN[engine].keys()


@pytest.mark.parametrize("engine", ENGINES)
def test_no_statement_lies_unused(engine: str) -> None:
    rooms = sorted([*STORE.glob("*.py"), *(STORE / engine).glob("*.py")])
    assert OWN[engine].keys() <= _named_in(rooms)
    assert SHARED.keys() <= _named_in(sorted(STORE.rglob("*.py")))


def test_migrations_have_the_same_numbers_and_names() -> None:
    sqlite, postgres = (_migrations(engine) for engine in ENGINES)
    assert sqlite == postgres
    assert [name[:4] for name in sqlite] == [f"{number:04}" for number in range(1, len(sqlite) + 1)]
    assert all(MIGRATION.fullmatch(name) for name in sqlite)
