"""What people are told about adapters is what the tests ran with, and what is there."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from tests.apart import APART, ENVIRONMENTS
from turnledger.adapters import installing
from turnledger.adapters.described import Adapter, Support, installed_version, release, support_of
from turnledger.adapters.registry import ADAPTERS

ROOT = Path(__file__).parents[2]
PINS = {
    name: version
    for file in (*(f"{name}.txt" for name in ENVIRONMENTS), "dev.txt")
    for name, version in re.findall(
        r"(?m)^([a-z0-9-]+)==([^ ;]+)", (ROOT / "requirements" / file).read_text()
    )
}
GROUPS = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
WANTED = dict(
    re.sub(r"\[.*\]", "", requirement).split(">=")
    for group in ("sdks", *ENVIRONMENTS)
    for requirement in GROUPS[group]
    if isinstance(requirement, str)
)

each = pytest.mark.parametrize("adapter", ADAPTERS, ids=lambda adapter: adapter.distribution)


@each
def test_the_newest_release_is_the_one_that_the_tests_run_with(adapter: Adapter) -> None:
    assert adapter.newest == PINS[adapter.distribution]


@each
def test_the_oldest_release_is_the_one_that_is_asked_for(adapter: Adapter) -> None:
    wanted = WANTED.get(adapter.distribution, adapter.oldest)
    assert release(wanted) == release(adapter.oldest) <= release(adapter.newest)


@each
def test_its_page_says_what_to_type(adapter: Adapter) -> None:
    page = (ROOT / "docs/sdks" / adapter.page).read_text()
    calls = {
        name for line in adapter.switch_on for name in re.findall(r"\b(?:install|record|Recording)\b", line)
    }
    assert calls
    assert all(call in page for call in calls)


@each
def test_its_module_gives_a_recording(adapter: Adapter) -> None:
    if adapter.module is not None and adapter.distribution not in APART:
        assert isinstance(import_module(f"turnledger.adapters.{adapter.module}").Recording, type)


def test_what_install_does_is_said() -> None:
    said = tuple(package for one in ADAPTERS if one.by_install for package in one.packages)
    assert all(any(name.startswith(package) for name in installing._PATCHED) for package in said)
    assert all(name.startswith(said) for name in installing._PATCHED)


@pytest.mark.parametrize(
    ("version", "support"),
    [
        ("2.61.9", Support.OLDER),
        ("2.62", Support.RECORDED),
        ("2.62.0", Support.RECORDED),
        ("2.62.0rc1", Support.RECORDED),
        ("2.68.0.post1", Support.RECORDED),
        ("2.68.1", Support.NEWER),
        ("10.0", Support.NEWER),
        ("unknown", Support.OLDER),
    ],
)
def test_a_release_is_compared_by_its_numbers(version: str, support: Support) -> None:
    adapter = next(one for one in ADAPTERS if one.oldest == "2.62")
    assert support_of(adapter, version) is support


def test_a_damaged_installation_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an installer that was interrupted left behind: a folder without the file that says the version."""
    (tmp_path / "halfway-1.0.dist-info").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    assert installed_version("halfway") is None
    assert installed_version("never-heard-of") is None


def test_nothing_is_imported_to_answer() -> None:
    packages = sorted({package for adapter in ADAPTERS for package in adapter.packages})
    program = (
        "import sys\n"
        "from turnledger.cli.adapters_view import show_adapters\n"
        "assert show_adapters(as_json=True)\n"
        f"assert not [name for name in {packages} if name in sys.modules]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
