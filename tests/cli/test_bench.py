"""``turnledger bench``: measures, and leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from turnledger.cli import main


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_it_measures_and_leaves_nothing_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", "--folder", tmp_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told.pop("folder") == str(tmp_path)
    assert all(number > 0 for number in told.values())
    assert told["bytes_per_turn"] < 30_000
    assert list(tmp_path.iterdir()) == []


def test_it_says_what_the_numbers_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", "--folder", tmp_path) == 0
    said = capsys.readouterr().out
    for words in ("the disk itself", "a message", "turns of 8 conversations", "a turn takes"):
        assert words in said


def test_a_folder_that_is_none_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("bench", "--folder", tmp_path / "none") == 2
    assert "does not exist" in capsys.readouterr().err
