"""``serve``, ``operator``, ``token``: from nothing to a logged-in reader and a recorder, by commands."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

import turnledger
from tests.cli.kit import run
from turnledger.engine.access import Access
from turnledger.engine.location import connect

ROOT = Path(__file__).parents[2]


@contextmanager
def serving(ledger: str, *more: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address and its login link ("" where it prints none)."""
    command = [sys.executable, "-m", "turnledger", "serve", "--port", "0", "--ledger", ledger, *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    first = process.stderr.readline()
    found = re.search(r"at (http://\S+) \(Ctrl-C", first)
    assert found, first + process.stderr.read()
    link = "" if "0.0.0.0" in more else process.stderr.readline()  # noqa: S104  loopback is what is told apart
    try:
        yield process, found[1], link.rpartition(" ")[2].strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
        process.stderr.close()


def _ask(url: str, headers: dict[str, str], body: object = None) -> dict[str, object]:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers)) as answer:  # noqa: S310  our own server
        found: dict[str, object] = json.loads(answer.read())
        return found


@pytest.mark.slow
def test_from_nothing_to_a_reader_and_a_recorder(engine: str) -> None:
    made = run("token", "create", "--scope", "capture", "--agent", "support", "--json", "--ledger", engine)
    token = json.loads(made.out)["token"]
    with serving(engine) as (_, address, link):
        with turnledger.open(address, token=token) as ledger:
            ledger.agent("support").conversation("dm").inbound("hello")
            with pytest.raises(turnledger.CaptureRefused, match="does not record for") as refused:
                ledger.agent("other").conversation("dm").inbound("hello")
            assert "an agent named 'other'" in refused.value.message
            assert "turnledger token create --scope capture --agent" in refused.value.next_step
        code = link.partition("#")[2]
        session = _ask(f"{address}/api/session", {"Content-Type": "application/json"}, {"code": code})
        assert session["name"] == "local"
        viewer = json.loads(
            run("token", "create", "--scope", "view_audit_log", "--json", "--ledger", engine).out
        )
        agents = _ask(f"{address}/api/agents", {"Authorization": f"Bearer {viewer['token']}"})
        assert [one["name"] for one in agents["items"]] == ["support"]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_server_ends_by_a_signal_and_leaves_the_ledger_whole(ledger_path: Path) -> None:
    with serving(str(ledger_path), "--access-log") as (process, address, _):
        urlopen(f"{address}/api/health").close()  # noqa: S310  our own server
    assert process.returncode in {0, -signal.SIGTERM, 128 + signal.SIGTERM}
    assert run("verify", "--all", "--ledger", ledger_path).status == 0


@pytest.mark.slow
def test_no_link_is_printed_where_others_could_use_it(ledger_path: Path) -> None:
    with serving(str(ledger_path), "--host", "0.0.0.0") as (_, _, link):  # noqa: S104  what this is about
        assert link == ""
    with closing(connect(str(ledger_path)).open()) as store:
        assert Access(store).tables.operators() == []


def test_an_address_in_use_is_said(ledger_path: Path) -> None:
    with serving(str(ledger_path)) as (_, address, _):
        outcome = run("serve", "--port", address.rpartition(":")[2], "--ledger", ledger_path)
    assert outcome.status == 3
    assert "cannot be listened at" in outcome.err
    assert run("serve", "--port", "99999", "--ledger", ledger_path).status == 2


def test_operators_come_and_go(ledger_path: Path) -> None:
    added = json.loads(run("operator", "add", "ada", "--json", "--ledger", ledger_path).out)
    assert added["scopes"] == ["view_audit_log", "view_bodies"]
    assert re.fullmatch(r"http://127\.0\.0\.1:8321/login#[\w-]{40,}", added["link"])
    assert run("operator", "add", "ada", "--ledger", ledger_path).status == 2
    link = run("operator", "link", "ada", "--url", "https://ledger.example", "--ledger", ledger_path)
    assert link.out.startswith("https://ledger.example/login#")
    narrow = run("operator", "link", "ada", "--ledger", ledger_path, env={"COLUMNS": "40"})
    assert len(narrow.out) == len(added["link"]) + 1, "a link is not cut, however narrow the terminal is"
    listed = json.loads(run("operator", "list", "--json", "--ledger", ledger_path).out)
    assert [one["name"] for one in listed["operators"]] == ["ada"]
    assert run("operator", "remove", "ada", "--ledger", ledger_path).status == 0
    assert run("operator", "remove", "ada", "--ledger", ledger_path).status == 3
    assert "Nobody may log in" in run("operator", "list", "--ledger", ledger_path).err


def test_an_operator_sees_agents_that_are_there(ledger_path: Path) -> None:
    with turnledger.open(str(ledger_path)) as ledger:
        ledger.agent("support").conversation("dm").inbound("x")
    added = run("operator", "add", "ada", "--agent", "support", "--json", "--ledger", ledger_path)
    assert len(json.loads(added.out)["agents"]) == 1
    outcome = run("operator", "add", "bob", "--agent", "nobody", "--ledger", ledger_path)
    assert (outcome.status, "no agent 'nobody'" in outcome.err) == (3, True)


def test_tokens_come_and_go(ledger_path: Path) -> None:
    made = run("token", "create", "--scope", "capture", "--scope", "manage", "--ledger", ledger_path)
    secret = made.out.strip()
    assert secret.startswith("tl_")
    listed = run("token", "list", "--json", "--ledger", ledger_path)
    (row,) = json.loads(listed.out)["tokens"]
    assert (row["scopes"], row["revokedAt"]) == (["capture", "manage"], None)
    assert secret not in listed.out
    assert run("token", "revoke", row["id"], "--ledger", ledger_path).status == 0
    assert "revoked" in run("token", "list", "--ledger", ledger_path).out
    assert run("token", "revoke", row["id"], "--ledger", ledger_path).status == 3
    assert run("token", "revoke", "x", "--ledger", ledger_path).status == 2
    assert run("token", "create", "--scope", "all", "--ledger", ledger_path).status == 2
    assert run("token", "create", "--ledger", ledger_path).status == 2


def test_commands_close_the_ledger_they_open(ledger_path: Path) -> None:
    token = json.loads(run("token", "create", "--scope", "capture", "--json", "--ledger", ledger_path).out)
    for words in (
        ("operator", "add", "ada"),
        ("operator", "add", "ada"),  # who is there already
        ("operator", "link", "ada"),
        ("operator", "list"),
        ("operator", "remove", "ada"),
        ("operator", "remove", "ada"),  # who is not there any more
        ("token", "create", "--scope", "capture"),
        ("token", "list"),
        ("token", "revoke", token["id"]),
        ("token", "revoke", token["id"]),
    ):
        run(*words, "--ledger", ledger_path)
        files = {path.name for path in ledger_path.parent.iterdir()}
        assert files == {ledger_path.name, f"{ledger_path.name}-lock"}, words


def test_commands_that_need_a_ledger_make_none(tmp_path: Path) -> None:
    for words in (("operator", "list"), ("token", "list"), ("operator", "remove", "x")):
        assert run(*words, "--ledger", tmp_path / "none").status == 3
    assert not (tmp_path / "none").exists()
