"""``turnledger import``: whole conversations or nothing, bad lines told and passed over, resumable."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import turnledger
from tests.patience import PROGRAM_S, eventually
from turnledger.cli import main
from turnledger.engine.demo.script import conversations
from turnledger.query.verify import verify_ledger

GOOD = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}


def line(name: str, **beside: object) -> bytes:
    return json.dumps({"id": name, **GOOD, **beside}).encode() + b"\n"


def run(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def names(ledger: Path) -> list[str | None]:
    with turnledger.read(ledger) as reading:
        assert all(finding.sound for finding in verify_ledger(reading.reader))
        return sorted((row.key for row in reading.conversations(limit=10_000)), key=str)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "talks.jsonl"


def test_a_file_becomes_conversations_that_say_imported_and_verify(
    source: Path, ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(line("a") + line("b"))
    assert run("import", source, "--ledger", ledger_path, "--agent", "shop") == 0
    assert "2 conversations imported (2 turns, 18 events)" in capsys.readouterr().out
    assert names(ledger_path) == ["import:a", "import:b"]
    with turnledger.read(ledger_path) as reading:
        (first, _) = reading.conversations("shop")
        entries = reading.timeline(first.id).entries
        assert {entry.assurance and entry.assurance.word for entry in entries} == {"imported"}
        (turn,) = reading.turns(conversation=first.id)
        assert (turn.status, turn.model_calls, turn.tokens_in) == ("completed", 1, None)
        body = reading.body(next(entry.row.event_id for entry in entries if entry.row.type == "COMMIT"))
        assert body == b"Hello."


def test_imported_again_everything_is_there_already(
    source: Path, ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(line("a"))
    run("import", source, "--ledger", ledger_path)
    source.write_bytes(line("a") + line("b"))
    capsys.readouterr()
    assert run("import", source, "--ledger", ledger_path, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["imported"], told["present"], told["refused"]) == (1, 1, 0)
    assert names(ledger_path) == ["import:a", "import:b"]


BAD_LINES = [
    (b'{"messages": [', "not JSON"),
    (b'{"messages": 7}', "no list of messages"),
    (b"7", "no list of messages"),
    (b'{"id":"x","messages":[{"role":"user","content":"a\0b"}]}', "not JSON"),
    (b'{"id":"x\\u0000","messages":[{"role":"user","content":"a"}]}', "NUL"),
    (b'{"messages":[{"role":"user","content":"\xff"}]}', "not UTF-8"),
    (b'{"messages":' + b"[" * 20_000 + b"]" * 20_000 + b"}", "nested more than 500 deep"),
    (b'{"messages":[{"role":"wizard","content":""}]}', "role"),
    (b'{"messages":[{"role":"tool","content":"7"}]}', "nobody made"),
    (b'{"messages":[{"role":"assistant","tool_calls":[{"id":"c"}]}]}', "without a function"),
    (b'{"messages":[],"messages":[]}', "same key twice"),
    (b'{"id":"y","messages":[{"role":"user","content":"' + b"x" * (50 << 20) + b'"}]}', "longer than 32 MiB"),
    (line("a", reward=1).strip(), "on record with another content"),
]


def test_bad_lines_are_told_with_their_number_and_the_others_are_imported(
    source: Path, ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = b"\n".join(data for data, _ in BAD_LINES)
    source.write_bytes(line("a") + bad + b"\n\n" + line("z") + b'{"id":"torn","mess')
    assert run("import", source, "--ledger", ledger_path, "--json") == 1
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert (told["imported"], told["refused"]) == (2, len(BAD_LINES) + 1)
    lines = said.err.splitlines()
    numbers = [*range(2, 2 + len(BAD_LINES)), len(BAD_LINES) + 4]
    for number, (_, reason), heard in zip(numbers, [*BAD_LINES, (b"", "breaks off")], lines, strict=True):
        assert heard.startswith(f"{source}:{number}: ")
        assert reason in heard
    assert [entry["line"] for entry in told["refusedLines"]] == numbers
    assert names(ledger_path) == ["import:a", "import:z"]


def test_no_word_of_a_conversation_is_in_what_is_said_about_bad_lines(
    source: Path, ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(b'{"messages":[{"role":"user","content":"my secret"},{"role":"user","conte\n')
    assert run("import", source, "--ledger", ledger_path) == 3
    assert "secret" not in capsys.readouterr().err


def test_a_flood_of_bad_lines_is_counted_not_poured_out(
    source: Path, ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(b"{}\n" * 500)
    assert run("import", source, "--ledger", ledger_path) == 3
    said = capsys.readouterr()
    *_, last = lines = said.err.splitlines()
    assert len(lines) == 21
    assert "480 more lines" in last
    assert "right file?" in last
    assert "500 lines refused" in said.out


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{\n  "schema": "vegaduta.turn-fixture/1",\n  "events": []\n}\n', "a turn fixture"),
        (b'{"schema":"turnledger.journal/1","journal":{}}\n', "an exported journal"),
        (json.dumps([{"id": "a", **GOOD}], indent=2).encode(), "one JSON list over many lines"),
        (json.dumps([{"id": "a", **GOOD}]).encode(), "one JSON list of transcripts"),
        (b"SQLite format 3\0" + bytes(100), "an SQLite database"),
    ],
)
def test_a_file_of_another_kind_is_told_in_one_line(
    data: bytes, kind: str, source: Path, ledger_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(data)
    assert run("import", source, "--ledger", ledger_path) == 3
    (said,) = capsys.readouterr().err.splitlines()
    assert f"This is {kind}" in said


def test_a_missing_file_and_a_folder_leave_the_others_alone(
    source: Path, ledger_path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source.write_bytes(line("a"))
    assert run("import", tmp_path / "none", tmp_path, source, "--ledger", ledger_path) == 1
    said = capsys.readouterr().err
    assert "No such file" in said
    assert "directory" in said
    assert names(ledger_path) == ["import:a"]


def test_an_empty_file_is_no_fault(source: Path, ledger_path: Path) -> None:
    source.write_bytes(b"")
    assert run("import", source, "--ledger", ledger_path) == 0


def test_transcripts_may_come_from_standard_input(
    source: Path, ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source.write_bytes(line("a"))
    with source.open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert run("import", "-", "--ledger", ledger_path) == 0
    assert names(ledger_path) == ["import:a"]


def test_the_conversations_that_come_with_the_package_are_imported_step_by_step(
    source: Path, ledger_path: Path
) -> None:
    talks = list(conversations())
    whole = [{"id": talk.id, "messages": list(talk.messages)} for talk in talks]
    source.write_text("".join(json.dumps(one) + "\n" for one in whole))
    assert run("import", source, "--ledger", ledger_path) == 0
    names(ledger_path)
    with turnledger.read(ledger_path) as reading:
        rows = {row.key: row for row in reading.conversations()}
        for talk in talks:
            row = rows[f"import:{talk.id}"]
            answered = [turn for turn in talk.turns if turn.steps]
            assert row.turns == len(answered)
            turns = reading.turns(conversation=row.id)
            assert sum(turn.model_calls for turn in turns) == sum(len(turn.steps) for turn in answered)
            assert all(turn.open_steps == 0 for turn in turns)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_import_that_is_stopped_leaves_whole_conversations_and_goes_on(
    how: signal.Signals, source: Path, ledger_path: Path
) -> None:
    messages = [*GOOD["messages"] * 8]
    source.write_text("".join(json.dumps({"id": str(n), "messages": messages}) + "\n" for n in range(200)))
    command = [sys.executable, "-c", "from turnledger.cli import main; main()"]
    process = subprocess.Popen(
        [*command, "import", "-", "--ledger", str(ledger_path)],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    lines = source.read_text().splitlines(keepends=True)
    process.stdin.write("".join(lines[:150]))  # the rest never comes, so it cannot end
    process.stdin.flush()
    eventually(lambda: ledger_path.exists() and ledger_path.stat().st_size >= 200_000)
    process.send_signal(how)
    _, said = process.communicate(timeout=PROGRAM_S)
    there = len(names(ledger_path))
    assert 0 < there < 200
    if how is signal.SIGINT:
        assert process.returncode == 130
        assert "run the same command again" in said
        assert "Traceback" not in said
    assert run("import", source, "--ledger", ledger_path) == 0
    assert len(names(ledger_path)) == 200
    with turnledger.read(ledger_path) as reading:
        assert {row.turns for row in reading.conversations(limit=500)} == {8}
