"""Rooms stay small enough to know at a glance."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import median

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))

FILE_CAP = 600
FILE_MEDIAN = 180
FUNCTION_CAP = 60
SAY_NOTHING = {"base", "common", "helpers", "manager", "utils"}


def _name(module: Path) -> str:
    return module.relative_to(ROOT / "src").as_posix()


def _lines(module: Path) -> int:
    return len(module.read_text().splitlines())


def test_half_of_the_files_are_short() -> None:
    assert median(_lines(module) for module in MODULES) <= FILE_MEDIAN


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_no_file_is_long(module: Path) -> None:
    assert _lines(module) <= FILE_CAP


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_no_function_is_long(module: Path) -> None:
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > FUNCTION_CAP
    }
    assert not long


def test_names_say_what_is_inside() -> None:
    assert not [_name(module) for module in MODULES if SAY_NOTHING & set(module.with_suffix("").parts)]
