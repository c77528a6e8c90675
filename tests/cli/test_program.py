"""The program itself: help that loads nothing, every ending as a status and a clear line, no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.kit import Recorded, run
from tests.patience import PROGRAM_S
from turnledger.cli import program as program_module
from turnledger.cli.commands import COMMANDS
from turnledger.errors import LedgerUnavailableError

PYTHON = [sys.executable, "-m", "turnledger"]


def test_help_lists_every_command_and_loads_none_of_them() -> None:
    code = (
        "import sys\n"
        "from turnledger.cli import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit:\n    pass\n"
        "loaded = {name.split('.')[0] for name in sys.modules} & {'rich', 'sqlite3', 'msgspec', 'psycopg'}\n"
        "sys.exit(str(loaded) if loaded else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str) -> None:
    shown = run(name, "--help")
    assert shown.status == 0
    assert "Usage: turnledger" in shown.out


def test_version_is_said() -> None:
    assert run("--version").out.startswith("turnledger 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["list", "--nope"],
        ["list", "--limit", "0"],
        ["list", "--limit", "many"],
        ["list", "--shape", "square"],
        ["list", "--tz", "Mars/Olympus"],
        ["show"],
        ["show", "a", "b"],
        ["verify"],
        ["verify", "--all", "0198"],
        ["export"],
        ["export", "--all", "0198"],
        ["export", "--all", "--fixture"],
        ["export", "0198", "--salts"],
        ["export", "0198", "--json"],
        ["tail", "0198", "--agent", "x"],
        ["tail", "--since", "1h", "--after", "3"],
        ["completion", "tcsh"],
        ["list", "--ledger", "memory:"],
        ["list", "--ledger", "off"],
        ["list", "--ledger", "ftp://x"],
        ["list", "--ledger", "."],
    ],
    ids=" ".join,
)
def test_wrong_use_is_status_2_and_says_what_to_do(arguments: list[str]) -> None:
    refused = run(*arguments)
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("turnledger: ")
    assert "Traceback" not in refused.err
    assert len(refused.err.splitlines()) <= 2


@pytest.mark.parametrize(
    "name", ["list", "show 0198", "tail", "verify --all", "export --all", "migrate", "doctor"]
)
def test_reading_never_makes_a_ledger(name: str, ledger_path: Path) -> None:
    refused = run(*name.split(), "--ledger", ledger_path)
    assert (refused.status, refused.out) == (3, "")
    assert f"There is no ledger at {ledger_path}." in refused.err
    assert list(ledger_path.parent.iterdir()) == []


def test_a_file_that_is_no_ledger_is_refused_untouched(ledger_path: Path) -> None:
    ledger_path.write_bytes(b"no database " * 500)
    refused = run("list", "--ledger", ledger_path)
    assert refused.status == 3
    assert "is not a ledger" in refused.err
    assert ledger_path.read_bytes() == b"no database " * 500


def test_a_server_that_cannot_be_reached_is_status_3() -> None:
    refused = run("list", "--ledger", "postgresql://nobody:secret@127.0.0.1:1/none")
    assert refused.status == 3
    assert "cannot be reached" in refused.err
    assert "secret" not in refused.err


def test_turnledger_url_chooses_the_ledger(support: Recorded) -> None:
    assert "support" in run("list", env={"TURNLEDGER_URL": str(support.path)}).out


def test_a_fault_shows_no_traceback_and_no_content(
    support: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        msg = "secret body"
        raise RuntimeError(msg)

    monkeypatch.setattr("turnledger.cli.list.find_agent", fail)
    shown = support.run("list", "--agent", "support")
    assert shown.status == 3
    assert "RuntimeError in" in shown.err
    assert "secret body" not in shown.err
    assert "Traceback" not in shown.err
    assert "Traceback" in support.run("list", "--agent", "x", env={"TURNLEDGER_TRACEBACK": "1"}).err


def test_errors_name_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_url: str | None) -> None:
        msg = "It is \x1b[31mgone."
        raise LedgerUnavailableError(msg, next_step="Look elsewhere.")

    monkeypatch.setattr("turnledger.cli.list.reading", fail)
    shown = run("list")
    assert (shown.status, shown.err) == (3, "turnledger: It is ␛[31mgone.\n            Look elsewhere.\n")


def test_ctrl_c_is_status_130(support: Recorded) -> None:
    tail = subprocess.Popen(
        [*PYTHON, "tail", "--ledger", str(support.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert tail.stderr is not None
    assert tail.stderr.readline() == "Following; Ctrl-C ends it.\n"
    tail.send_signal(signal.SIGINT)
    out, err = tail.communicate(timeout=PROGRAM_S)
    assert (tail.returncode, out) == (130, "")
    assert "Go on where it was with --after" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "command", [["show", "conversation"], ["export", "--all"], ["list", "--json"], ["tail"]]
)
def test_a_reader_that_leaves_is_no_error(support: Recorded, command: list[str]) -> None:
    arguments = [support.ids.get(word, word) for word in command]
    if command == ["tail"]:
        arguments += ["--after", "0"]
    read, write = os.pipe()
    os.close(read)  # whoever read is gone before the first line
    done = subprocess.run(
        [*PYTHON, *arguments, "--ledger", str(support.path)],
        stdout=write,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=PROGRAM_S,
    )
    os.close(write)
    assert done.returncode == program_module.Status.BROKEN_PIPE
    assert [line for line in done.stderr.splitlines() if "Following" not in line] == []


def test_python_m_turnledger_is_the_program() -> None:
    done = subprocess.run([*PYTHON, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:11]) == (0, "turnledger ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_that_asks_the_program(shell: str) -> None:
    script = run("completion", shell)
    assert script.status == 0
    assert f"_TURNLEDGER_COMPLETE={shell}_complete" in script.out


def test_completion_knows_the_commands() -> None:
    asked = {"_TURNLEDGER_COMPLETE": "bash_complete", "COMP_WORDS": "turnledger ver", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from turnledger.cli import main; main()"],
        env={**os.environ, **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "plain,verify\n"


@pytest.mark.parametrize("words", [[], ["operator"], ["token"]], ids=repr)
def test_a_group_without_a_command_shows_its_help_as_it_is(words: list[str]) -> None:
    shown = run(*words)
    assert shown.status in {0, 2}  # click before 8.2 calls it well
    assert (shown.err or shown.out) == run(*words, "--help").out


def completed(line: str, **env: str) -> list[str]:
    """What a shell is offered behind ``line``."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), **env}
    got = run(env={**asked, "_TURNLEDGER_COMPLETE": "bash_complete"})
    assert (got.status, got.err) == (0, "")
    return got.out.split()


@pytest.mark.parametrize(
    "line",
    ["verify c.js", "list --ledger re", "export 0198 -o x", "decode x", "import x", "doctor --spool s"],
)
def test_names_of_files_are_completed_by_the_shell(line: str) -> None:
    assert completed(f"turnledger {line}")[0] == f"file,{line.rsplit(maxsplit=1)[-1]}"


def test_ids_agents_and_statuses_are_completed(support: Recorded) -> None:
    env = {"TURNLEDGER_URL": str(support.path)}
    every = {f"plain,{one}" for one in support.ids.values()}
    assert set(completed("turnledger show ", **env)) == every
    good = support.ids["good"]
    assert completed(f"turnledger show {good[:-1]}", **env) == [f"plain,{good}"]
    assert f"plain,{good}" in completed(f"turnledger verify {good[:30]}", **env)
    assert completed("turnledger list --agent s", **env) == ["plain,support"]
    assert completed("turnledger list --status ", **env) == [
        f"plain,{status}" for status in ("open", "waiting", "failed", "owes")
    ]
    assert completed("turnledger list --turns --status canc", **env) == ["plain,cancelled"]


@pytest.mark.parametrize("ledger", ["/nowhere/at/all.db", "postgresql://127.0.0.1:1/none", "ftp://x"])
def test_completion_never_fails(ledger: str) -> None:
    assert completed("turnledger show 0", TURNLEDGER_URL=ledger) == []


def test_the_help_of_completion_has_a_line_for_each_shell() -> None:
    lines = run("completion", "--help").out.splitlines()
    assert "\\b" not in "".join(lines)
    assert [line.split()[0] for line in lines if "turnledger completion" in line and "Usage" not in line] == [
        "bash",
        "zsh",
        "fish",
    ]
