"""SIGKILL while spooling and while forwarding, and a server that stops: every event is there exactly once."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from subprocess import DEVNULL
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import pytest

import turnledger
from tests.patience import PROGRAM_S, eventually
from tests.pg_server import Server, _server_user, find_binaries, running_server
from tests.unit.capture.processes import run
from turnledger.integrity.verdict import Verdict
from turnledger.model.vocabulary import TurnStatus
from turnledger.query.verify import verify_ledger

pytestmark = [pytest.mark.crash, pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]
KILLS = 12
"""Of writers, and as many of forwarders."""


def started(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.crash.spool_program", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        stdout=subprocess.PIPE,
        text=True,
    )


def check(url: str, acknowledged: dict[UUID, int]) -> Counter[TurnStatus]:
    with turnledger.read(url) as ledger:
        reader = ledger.reader
        for turn, seq in acknowledged.items():
            row = reader.journal(turn)
            assert row is not None, turn
            assert row.events > seq, turn
            assert row.events <= 4, turn
        assert {finding.verdict for finding in verify_ledger(reader)} == {Verdict.INTACT}
        for convo in ledger.conversations(limit=1000):
            kinds = Counter(entry.row.type for entry in ledger.events(convo.id))
            assert kinds["OPENED"] == 1
            assert kinds["MESSAGE"] <= 2 * kinds["TURN_OPENED"] + 1
        return Counter(row.status for row in ledger.turns(limit=100_000))


def test_writers_and_forwarders_killed_at_random_moments_lose_and_double_nothing(tmp_path: Path) -> None:
    ledger, spool, notes = tmp_path / "agent.ledger", tmp_path / "spool.db", tmp_path / "acknowledged"
    turnledger.open(ledger).close()
    dice = random.Random(11)
    for number in range(KILLS):
        writer = started("spool", ledger, spool, notes, number)
        eventually(partial(has_filled, spool, waiting_in(spool) + 10))
        time.sleep(dice.uniform(0.0, 0.4))
        kill(writer)
    for _ in range(KILLS):
        forwarder = started("forward", ledger, spool, notes, 0)
        assert forwarder.stdout is not None
        forwarder.stdout.readline()
        time.sleep(dice.uniform(0.0, 0.15))
        kill(forwarder)
    last = started("forward", ledger, spool, notes, 0)
    last.communicate(timeout=PROGRAM_S)
    assert last.returncode == 0
    assert waiting_in(spool) == 0
    acknowledged: dict[UUID, int] = defaultdict(int)
    for line in notes.read_text().splitlines():
        turn, seq = line.split()
        acknowledged[UUID(turn)] = max(acknowledged[UUID(turn)], int(seq))
    statuses = check(str(ledger), acknowledged)
    assert statuses[TurnStatus.RUNNING] <= 2 * KILLS
    assert set(statuses) == {TurnStatus.COMPLETED, TurnStatus.RUNNING}
    with closing(sqlite3.connect(ledger)) as connection:
        assert connection.execute("SELECT count(*) FROM conflicts").fetchone() == (0,)
    with closing(sqlite3.connect(spool)) as connection:
        assert connection.execute("SELECT count(*) FROM refused").fetchone() == (0,)


def has_filled(spool: Path, rows: int) -> bool:
    return waiting_in(spool) > rows


def size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def waiting_in(spool: Path) -> int:
    with closing(sqlite3.connect(spool)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM queue").fetchone()[0])
        except sqlite3.OperationalError:
            return 0


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


class Control:
    """Stops and starts the server that runs in a folder."""

    def __init__(self, home: Path) -> None:
        binaries = find_binaries()
        assert binaries is not None
        self.home = home
        self.command = [str(binaries.folder / "pg_ctl"), "-D", str(home / "data"), "-w"]

    def run(self, *arguments: str) -> None:
        command = [*self.command, *arguments]
        subprocess.run(command, check=True, user=_server_user(), cwd=self.home, stdout=DEVNULL)

    def stop(self) -> None:
        self.run("-m", "fast", "stop")

    def start(self) -> None:
        options = f"-k {self.home} -c listen_addresses="
        self.run("-o", options, "-l", str(self.home / "log-2"), "start")


@contextmanager
def controlled() -> Iterator[tuple[Server, Control]]:
    """A server of this test's own; the keeper removes its files, whoever started it last."""
    with running_server() as server:
        control = Control(Path(parse_qs(urlsplit(server.url).query)["host"][0]))
        try:
            yield server, control
        finally:
            control.stop()


@pytest.mark.postgres
def test_a_server_that_stops_and_starts_again_misses_nothing(tmp_path: Path) -> None:
    with controlled() as (server, control), server.database() as url:
        ledger = turnledger.open(url, policy="spool", spool=tmp_path / "spool.db", lease_s=60)
        convo = ledger.agent("a").conversation("k")
        message = convo.inbound("hi", actor="U1")
        with convo.turn(trigger=message) as turn:
            turn.tool("before", lambda: 1)
            control.stop()
            turn.tool("meanwhile", lambda: 2)
            for number in range(30):
                convo.inbound(f"message {number}", actor=f"person {number}")
            with turnledger.open(url, policy="spool", spool=tmp_path / "spool.db") as late:
                late.agent("b").conversation("k").inbound("opened while it was away")
            assert waiting_in(tmp_path / "spool.db") > 60
            control.start()
            turn.commit("done")
        eventually(lambda: waiting_in(tmp_path / "spool.db") == 0)
        ledger.close()
        with turnledger.read(url) as reading:
            kinds = [entry.row.type for entry in reading.events(turn.id)]
            assert kinds == ["INTAKE", *["TOOL_CALL", "TOOL_RESULT"] * 2, "COMMIT"]
            (mine,) = reading.conversations("a")
            said = [entry for entry in reading.events(mine.id) if entry.row.type == "MESSAGE"]
            bodies = [reading.body(entry.row.event_id) for entry in said]
            assert bodies == [b"hi", *[f"message {number}".encode() for number in range(30)], b"done"]
            assert len(reading.conversations("b")) == 1
            assert {finding.verdict for finding in verify_ledger(reading.reader)} == {Verdict.INTACT}


def test_l10_memory_stays_flat_while_the_server_is_down(tmp_path: Path) -> None:
    out = run(
        """
        import os, sys, turnledger
        def mebibytes():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * 4096 >> 20
        ledger = turnledger.open(
            "http://127.0.0.1:9", token="t", policy="spool", spool=sys.argv[1], spool_bytes=8 << 20
        )
        convo = ledger.agent("a").conversation("k")
        convo.inbound("before")
        sizes = []
        for number in range(600):
            try:
                with convo.turn(content=os.urandom(200_000)) as turn:
                    turn.commit("x")
            except turnledger.CaptureRefused as error:
                assert "is full (8,388,608 bytes)" in str(error), error
            if number % 100 == 99:
                sizes.append(mebibytes())
        print(*sizes)
        ledger.close()
        """,
        tmp_path / "spool.db",
    )
    sizes = [int(size) for size in out.split()]
    assert max(sizes) - sizes[0] < 8, sizes
    assert sum(size(file) for file in tmp_path.iterdir()) < 14 << 20
