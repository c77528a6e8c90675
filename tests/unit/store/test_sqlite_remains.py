"""What is left of a ledger's file: without its log, cut, or in a place where nobody may write."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import turnledger
from tests.cli.kit import run
from tests.patience import PROGRAM_S
from turnledger.errors import LedgerUnavailableError

ROOT = Path(__file__).parents[3]
# Root may write everywhere, unless it gives that right up.
MAY_READ_ONLY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.fixture
def copy(ledger_path: Path) -> Path:
    """A ledger's file, copied alone while somebody recorded into it."""
    with turnledger.open(ledger_path) as ledger:
        ledger.agent("a").conversation("x:1").inbound("hello")
        copy = ledger_path.with_name("copy.db")
        shutil.copy(ledger_path, copy)
    return copy


@pytest.mark.parametrize(
    "words", [["list"], ["verify", "--all"], ["doctor"], ["migrate"], ["migrate", "--check"]]
)
@pytest.mark.parametrize("size", [None, 0])
def test_a_file_that_holds_nothing_is_not_called_old(copy: Path, words: list[str], size: int | None) -> None:
    if size is not None:
        os.truncate(copy, size)
    before = copy.read_bytes()
    outcome = run(*words, "--ledger", copy)
    said = " ".join((outcome.out + outcome.err).split())
    assert outcome.status == 3
    assert f"{copy} holds nothing: nothing was ever recorded into it, or it was cut, or its file" in said
    assert "copy.db-wal" in said
    assert "lacks" not in said
    assert copy.read_bytes() == before


def test_a_file_that_holds_nothing_becomes_a_ledger_when_told_to_or_recorded_into(copy: Path) -> None:
    other = copy.with_name("other.db")
    other.touch()
    outcome = run("migrate", "--new", "--ledger", copy)
    assert outcome.status == 0
    assert "applied 0001_" in outcome.out
    turnledger.open(other).close()
    for path in (copy, other):
        assert run("doctor", "--ledger", path).status == 0


def test_a_log_is_not_deleted_beside_a_file_that_was_cut_to_nothing(ledger_path: Path) -> None:
    with turnledger.open(ledger_path) as ledger:
        ledger.agent("a").conversation("x:1").inbound("hello")
        cut = ledger_path.with_name("cut.db")
        cut.touch()
        wal = shutil.copy(f"{ledger_path}-wal", f"{cut}-wal")
    kept = Path(wal).read_bytes()
    assert "still holds records" in run("list", "--ledger", cut).err
    with pytest.raises(LedgerUnavailableError, match="still holds records"):
        turnledger.open(cut)
    assert Path(wal).read_bytes() == kept


def _read_only(path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path.parent.chmod(0o555)
    may_all = os.access(path.parent, os.W_OK)
    command = [*(MAY_READ_ONLY if may_all else []), sys.executable, "-m", "turnledger", *words]
    try:
        return subprocess.run(
            [*command, "--ledger", str(path)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            timeout=PROGRAM_S,
            check=False,
        )
    finally:
        path.parent.chmod(0o755)


def test_a_ledger_in_a_read_only_folder_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shelf" / "agent.ledger"
    path.parent.mkdir()
    with turnledger.open(path) as ledger:
        ledger.agent("a").conversation("x:1").inbound("hello")
    for words in (["list"], ["verify", "--all"]):
        done = _read_only(path, *words)
        assert done.returncode == 0, done.stderr
    assert "x:1" in _read_only(path, "list").stdout
    said = " ".join(_read_only(path, "doctor").stdout.split())
    assert ("It cannot be written" in said, "journal mode" in said) == (True, False)
    assert not path.with_name("agent.ledger-wal").exists()


def test_a_log_in_a_read_only_folder_is_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "shelf" / "agent.ledger"
    path.parent.mkdir()
    with turnledger.open(tmp_path / "other.db") as ledger:
        ledger.agent("a").conversation("x:1").inbound("hello")
        shutil.copy(tmp_path / "other.db", path)
        shutil.copy(tmp_path / "other.db-wal", f"{path}-wal")
    done = _read_only(path, "list")
    assert done.returncode == 3
    assert "has records in agent.ledger-wal" in done.stderr
    assert "Copy both files" in done.stderr
