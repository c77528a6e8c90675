"""``turnledger demo`` with its server: it moves, it shows the altered turn, and it ends without a trace."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import turnledger
from tests.cli.kit import run
from tests.patience import PATIENCE_S, PROGRAM_S, eventually
from turnledger.cli import demo_live
from turnledger.engine.demo import talk
from turnledger.engine.demo.replay import Replay
from turnledger.engine.demo.tour import AGENTS, FLIGHTS
from turnledger.engine.location import database_at
from turnledger.errors import LedgerUnavailableError, TurnLost
from turnledger.server.run import open_service

ROOT = Path(__file__).parents[2]


class Demo:
    """A demo under way in a process group of its own; ``said`` is what it printed before it served."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: list[str] = []
        assert process.stdout is not None
        while "Another link" not in (line := process.stdout.readline()):
            assert line, self.said
            self.said.append(line)

    def address(self, name: str) -> str:
        """What is printed behind a name."""
        (found,) = [line.split()[-1] for line in self.said if line.strip().startswith(f"{name}:")]
        return found

    def end(self, how: signal.Signals) -> str:
        """End it by a signal; gives its last words."""
        self.process.send_signal(how)
        out, _ = self.process.communicate(timeout=PROGRAM_S)
        return out


@contextmanager
def demo(folder: Path, *more: str) -> Iterator[Demo]:
    command = [sys.executable, "-m", "turnledger", "demo", "--port", "0", "--speed", "20", *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "DISPLAY": "", "COLUMNS": "80"}
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield Demo(process)
        finally:
            process.kill()


class Browser:
    """Logged in by the printed link."""

    def __init__(self, link: str) -> None:
        self._to = urlsplit(link).netloc
        self._headers = {"Content-Type": "application/json"}
        body = json.dumps({"code": urlsplit(link).fragment})
        with self.asking("POST", "/api/session", body) as answer:
            self._headers["Cookie"] = str(answer.headers["Set-Cookie"]).partition(";")[0]

    @contextmanager
    def asking(self, method: str, path: str, body: str | None = None) -> Iterator[http.client.HTTPResponse]:
        with closing(http.client.HTTPConnection(self._to, timeout=PATIENCE_S)) as connection:
            connection.request(method, path, body, self._headers)
            with connection.getresponse() as answer:
                assert answer.status == 200
                yield answer

    def get(self, path: str) -> dict[str, Any]:
        with self.asking("GET", path) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found

    def turns(self) -> int:
        return sum(agent["turns"] for agent in self.get("/api/agents")["items"])


@pytest.mark.slow
def test_it_moves_and_shows_the_altered_turn_and_ends_without_a_trace(tmp_path: Path) -> None:
    with demo(tmp_path, "--conversations", "1") as live:
        browser = Browser(live.address("Log in, once"))
        altered = parse_qs(urlsplit(live.address("The altered turn")).query)
        (agent,), (turn,) = altered["agentId"], altered["turnId"]
        journal = browser.get(f"/api/agents/{agent}/turns/{turn}/journal")
        assert (journal["chainIntact"], journal["brokenAtSeq"]) == (False, 4)
        before = browser.turns()
        eventually(lambda: browser.turns() >= before + 3)
        assert run("demo", "--ledger", tmp_path / ".demo" / "ledger.db").status == 3, "one at a time"
        last = live.end(signal.SIGINT)
    assert live.process.returncode == 0
    assert re.fullmatch(r"\s*Ended\. [^\n]+\.demo/ledger\.db\n", last)
    with pytest.raises(ProcessLookupError):
        os.killpg(live.process.pid, 0)
    outcome = run("verify", "--all", "--ledger", tmp_path / ".demo" / "ledger.db")
    assert (outcome.status, outcome.out.count("was altered")) == (1, 1)
    with turnledger.read(tmp_path / ".demo" / "ledger.db") as reading:
        assert {row.name for row in reading.agents()} == AGENTS
        assert "running" not in {row.status for row in reading.turns(limit=10_000)}


@pytest.mark.slow
def test_a_request_to_terminate_ends_it_as_well_while_somebody_watches(tmp_path: Path) -> None:
    with demo(tmp_path, "--conversations", "1", "--ledger", "here.db") as live:
        browser = Browser(live.address("Log in, once"))
        with browser.asking("GET", "/api/stream?scope=install") as stream:
            assert stream.readline()
            live.end(signal.SIGTERM)
    assert live.process.returncode == 0
    assert not (tmp_path / ".demo").exists()


def test_without_the_server_it_ends_and_says_how_to_get_one(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    outcome = run("demo", "--ledger", ledger_path, "--conversations", 1)
    assert outcome.status == 0
    assert "pip install 'turnledger[server]'" in outcome.out
    assert "What to type next" in outcome.out


def test_the_usual_port_is_left_to_whoever_has_it(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr(demo_live, "_USUAL_PORT", port)
        service = open_service(database_at(ledger_path))
        server = demo_live._server(service, None)
        assert server.address.port not in {0, port}
        server._socket.close()
        with pytest.raises(LedgerUnavailableError, match="cannot be listened at"):
            demo_live._server(service, port)


@pytest.mark.parametrize(
    ("environment", "opens"), [({}, False), ({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "w"}, True)]
)
def test_a_browser_is_opened_where_somebody_sees_it(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, *, opens: bool
) -> None:
    monkeypatch.setattr("os.environ", environment)
    monkeypatch.setattr("sys.platform", "linux")
    assert demo_live._has_display() is opens
    monkeypatch.setattr("sys.platform", "darwin")
    assert demo_live._has_display()


def test_agents_fall_silent_before_the_disk_is_full(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(talk, "LIMIT_MB", 0)
    said: list[str] = []
    agents = talk.Talk(ledger_path, 1000, said.append)
    with agents:
        for thread in agents._threads:
            thread.join(timeout=PATIENCE_S)
    assert len(said) == 3
    assert all("fallen silent" in words for words in said)
    assert run("verify", "--all", "--ledger", ledger_path).status == 0


def test_agents_that_cannot_record_say_so_and_stop(ledger_path: Path) -> None:
    said: list[str] = []
    agents = talk.Talk(ledger_path, 1000, said.append)
    agents._ledger.close()
    with agents:
        for thread in agents._threads:
            thread.join(timeout=PATIENCE_S)
    assert sum("broke off" in words for words in said) == 9
    assert sum("has stopped" in words for words in said) == 3


def test_an_agent_goes_on_after_a_turn_that_it_lost(
    ledger_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    told: list[int] = []

    class Lost(Replay):
        def run(self) -> None:
            told.append(len(told))
            if len(told) == 1:
                msg = "Another writer has it."
                raise TurnLost(msg)
            agents._pace.stop()
            raise KeyboardInterrupt

    monkeypatch.setattr(talk, "Replay", Lost)
    agents = talk.Talk(ledger_path, 1000, said.append)
    agents._run(agents._replays(FLIGHTS, 0))
    agents._ledger.close()
    assert said == ["A conversation broke off. Another writer has it."]
    assert told == [0, 1]
