"""The pages that people rely on are there, well-formed, and agree with the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "bench").glob("*.md")])

RELEASE = re.compile(r"## \[(?:Unreleased|\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}\b)")
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
LINK = re.compile(r"\[[^\]]*\]\((?!https?://)([^)#]+)[^)]*\)")

# With brackets, so that this file does not name what it forbids.
TRACES = re.compile(
    rb"(?:pypi|pythonhosted|npmjs|deb[.]debian)[.](?:org|com)|[^\w.](?:/[w]ork|/[r]oot|/[h]ome|/[U]sers)/\w"
)
ROOMS = (".ci", "bench", "docs", "requirements", "src", "tests", "vectors")


def _name(requirement: str) -> str:
    """The normalised package name of a requirement line."""
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def _direct() -> set[str]:
    """Every package that pyproject.toml names."""
    project = PROJECT["project"]
    lists = [
        PROJECT["build-system"]["requires"],
        project["dependencies"],
        *project["optional-dependencies"].values(),
        *PROJECT["dependency-groups"].values(),
    ]
    return {_name(requirement) for names in lists for requirement in names if isinstance(requirement, str)}


def _pinned(file: str) -> set[str]:
    text = (ROOT / "requirements" / file).read_text()
    return {_name(line) for line in text.splitlines() if re.match(r"[a-z0-9]", line)}


def _files() -> list[Path]:
    """Every file of the project, without what tools leave behind."""
    found = [*ROOT.glob("*"), *(path for room in ROOMS for path in (ROOT / room).rglob("*"))]
    return [path for path in found if path.is_file() and path.suffix != ".pyc"]


def test_dependencies_page_explains_each_direct_dependency() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("| `")
    ]
    assert {_name(row[0].strip("`")) for row in rows} == _direct()
    assert all(len(row) == 5 and all(row) for row in rows), "name, what for, why this one, licence, size"


def test_pins_cover_each_direct_dependency() -> None:
    assert _direct() <= _pinned("dev.txt") | _pinned("apart.txt") | _pinned("crewai.txt")
    assert {_name(requirement) for requirement in PROJECT["project"]["dependencies"]} <= _pinned("base.txt")
    assert _pinned("base.txt") <= _pinned("dev.txt")


@pytest.mark.parametrize("file", ["apart.txt", "base.txt", "crewai.txt", "dev.txt"])
def test_pins_are_hashed_and_name_no_source(file: str) -> None:
    text = (ROOT / "requirements" / file).read_text().replace("\\\n", " ")
    assert all(re.match(r"\S+==\S+.*--hash=sha256:[0-9a-f]{64}", line) for line in text.splitlines())
    assert "://" not in text


def test_changelog_keeps_its_form() -> None:
    lines = (ROOT / "CHANGELOG.md").read_text().splitlines()
    releases = [line for line in lines if line.startswith("## ")]
    assert lines[0] == "# Changelog"
    assert releases[0] == "## [Unreleased]"
    assert all(RELEASE.match(line) for line in releases)
    assert {line.removeprefix("### ") for line in lines if line.startswith("### ")} <= KINDS


def test_readme_shows_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    assert not [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]


def test_every_page_can_be_found_from_the_index() -> None:
    linked = set(LINK.findall((ROOT / "docs" / "index.md").read_text()))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - linked == {"index.md"}


def test_no_registry_host_and_no_machine_path_is_named() -> None:
    found = [(path.relative_to(ROOT).as_posix(), TRACES.search(path.read_bytes())) for path in _files()]
    assert not [(name, trace[0]) for name, trace in found if trace]
