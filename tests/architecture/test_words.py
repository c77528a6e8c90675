"""What every source file says, and what none may say."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "src").rglob("*.py"))
SOURCES = sorted(path for room in ("src", "tests", "bench") for path in (ROOT / room).rglob("*.py"))

Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

# With brackets, so that this file does not hold what it forbids.
UNFINISHED = re.compile(r"\b(?:TO[D]O|FI[X]ME|X[X]X|HA[C]K|NotImplemented[E]rror)\b")
BARE_IGNORE = re.compile(r"#\s*(?:type|pyright): ignore(?!\[[a-zA-Z])|#\s*noqa(?!: ?[A-Z]+\d)")
EVADED = re.compile(r"\bpytest\.(?:mark\.)?(?:skip|xfail|skipif|importorskip)\b")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _public(tree: ast.Module) -> Iterator[Documented]:
    """The module, its public classes and functions, and the public methods of those classes."""
    rooms: list[ast.Module | ast.ClassDef] = [tree]
    yield tree
    while rooms:
        for node in rooms.pop().body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            if node.name.startswith("_") or _says_itself(node):
                continue
            yield node
            if isinstance(node, ast.ClassDef):
                rooms.append(node)


def _says_itself(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Overloads, overrides and property setters are described where they begin."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in node.decorator_list}
    return bool(names & {"overload", "override", "setter"})


@pytest.mark.parametrize("module", MODULES, ids=_name)
def test_every_public_name_has_a_docstring(module: Path) -> None:
    tree = ast.parse(module.read_text())
    assert not [getattr(node, "name", "module") for node in _public(tree) if not ast.get_docstring(node)]


def test_no_page_counts_in_paragraph_signs_of_a_document_that_nobody_has() -> None:
    pages = [page for kind in ("*.ts", "*.tsx") for page in (ROOT / "console" / "src").rglob(kind)]
    assert pages
    assert not [_name(page) for page in pages if "\N{SECTION SIGN}" in page.read_text()]


@pytest.mark.parametrize("source", SOURCES, ids=_name)
def test_nothing_is_left_unfinished_or_evaded(source: Path) -> None:
    lines = source.read_text().splitlines()
    assert not [line for line in lines if UNFINISHED.search(line) or EVADED.search(line)]


@pytest.mark.parametrize("source", SOURCES, ids=_name)
def test_ignores_name_their_rule(source: Path) -> None:
    assert not [line for line in source.read_text().splitlines() if BARE_IGNORE.search(line)]
