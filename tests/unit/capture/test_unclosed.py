"""A ledger that nobody closed: its file is whole without its log, wherever its program ended."""

from __future__ import annotations

import gc
import json
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import turnledger
from tests.cli.kit import run as cli
from tests.patience import PATIENCE_S, PROGRAM_S
from tests.server.kit import listening
from tests.unit.capture.processes import run, started

if TYPE_CHECKING:
    from collections.abc import Callable

RECORD = """
import os, sys, turnledger
ledger = turnledger.open(sys.argv[1])
convo = ledger.agent("a").conversation("x:1")
convo.inbound("hello")
"""

ENDINGS = {
    "at its end": "",
    "in a turn": "turn = convo.turn(trigger='timer').__enter__()",
    "with a reader open": "reading = turnledger.read(sys.argv[1]); reading.turns()",
    "with its own reader open": "reading = turnledger.read(ledger); reading.turns()",
    "with all dropped": "del ledger, convo",
    "by an error": "sys.exit('an error')",
}


def _is_whole(path: Path) -> bool:
    return not path.with_name(f"{path.name}-wal").exists() and path.stat().st_size > 4096


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_program_that_ends_leaves_one_whole_file(ledger_path: Path, ending: str) -> None:
    run(RECORD + ENDINGS[ending], ledger_path, code=1 if ending == "by an error" else 0)
    assert _is_whole(ledger_path)
    with turnledger.read(ledger_path) as reading:
        assert [row.events > 0 for row in reading.conversations()] == [True]


def test_what_is_queued_at_exit_is_on_record(ledger_path: Path) -> None:
    program = """
store = turnledger.engine.recorder.store_of_recorder(ledger)
import threading
go = threading.Event()
store._writer.call(lambda _engine: go.wait())
append, sent = store.append, []
ledger._core.sink.append = lambda batch: sent.append(append(batch)) or sent[-1]
threading.Thread(target=lambda: convo.inbound("late"), daemon=True).start()
while not sent:
    pass
timer = threading.Timer(0.2, go.set)
timer.daemon = True
timer.start()
"""
    run(RECORD + program, ledger_path)
    assert _is_whole(ledger_path)
    with turnledger.read(ledger_path) as reading:
        (row,) = reading.conversations()
        assert [one.row.type for one in reading.events(row.id)].count("MESSAGE") == 2


def test_an_exit_does_not_wait_for_a_writer_that_waits_for_ever(ledger_path: Path) -> None:
    program = """
from turnledger.store.ledger_store import Store
import threading
store = turnledger.engine.recorder.store_of_recorder(ledger)
store._writer.call(lambda _engine: threading.Event().wait())
Store.close_all(0.01)
"""
    run(RECORD + program + "import atexit; atexit.unregister(Store.close_all)", ledger_path)


AWAY = """
import os, sys, turnledger
from turnledger.capture import http_link
http_link._PAUSES = (0.01,)
ledger = turnledger.open(sys.argv[1], token="tl_x", policy="spool", spool=sys.argv[2])
convo = ledger.agent("a").conversation("x:1")
convo.inbound("hello")
"""


def _away(port: int, spool: Path, *, more: str = "") -> subprocess.CompletedProcess[str]:
    process = started(AWAY + more, f"http://127.0.0.1:{port}", spool)
    out, err = process.communicate(timeout=PROGRAM_S)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def test_a_program_that_ends_says_what_waits_in_its_spool(port: int, tmp_path: Path) -> None:
    ended = _away(port, tmp_path / "spool.db")
    assert ended.returncode == 0
    assert "wait in the spool" in ended.stderr.splitlines()[-1]


def test_a_forked_child_that_ends_does_not_forward_its_parents_spool(port: int, tmp_path: Path) -> None:
    fork = """
if not os.fork():
    sys.exit(0)
assert os.wait()[1] == 0
print("the child is gone", file=sys.stderr, flush=True)
"""
    said = _away(port, tmp_path / "spool.db", more=fork).stderr
    assert "wait in the spool" not in said.partition("the child is gone")[0]
    assert "wait in the spool" in said.partition("the child is gone")[2]


def test_a_program_that_ends_forwards_its_spool(port: int, ledger_path: Path, tmp_path: Path) -> None:
    made = cli("token", "create", "--scope", "capture", "--agent", "a", "--json", "--ledger", ledger_path)
    token = json.loads(made.out)["token"]
    spool = tmp_path / "spool.db"
    assert _away(port, spool).returncode == 0
    program = f"""
    import sys, turnledger
    from turnledger.capture import spool_sink
    spool_sink.CLOSING_S = spool_sink.STANDSTILL_S = {PATIENCE_S}
    ledger = turnledger.open(sys.argv[1], token="{token}", policy="spool", spool=sys.argv[2])
    """
    with listening(str(ledger_path), port):
        run(program, f"http://127.0.0.1:{port}", spool)
    with turnledger.read(ledger_path) as reading:
        (row,) = reading.conversations()
        assert [one.row.type for one in reading.events(row.id)] == ["OPENED", "MESSAGE"]
    assert not spool.with_name("spool.db-wal").exists()


def test_a_forked_child_that_ends_closes_nothing_of_its_parents(ledger_path: Path) -> None:
    program = """
reading = turnledger.read(sys.argv[1])
reading.turns()
child = os.fork()
if not child:
    reading.close()
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
convo.inbound("still here")
assert len(reading.conversations()) == 1
assert os.path.exists(sys.argv[1] + "-wal")
child = os.fork()
if not child:
    convo.inbound("of the child")
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
convo.inbound("and still")
"""
    run(RECORD + program, ledger_path)
    assert _is_whole(ledger_path)


def _until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_ledger_that_is_dropped_is_closed(ledger_path: Path) -> None:
    others = set(threading.enumerate())  # of tests before this one
    convo = turnledger.open(ledger_path).agent("a").conversation("x:1")
    convo.inbound("hello")
    gc.collect()
    convo.inbound("a handle is enough to go on")
    assert not _is_whole(ledger_path)
    del convo
    _until(lambda: _is_whole(ledger_path))
    _until(lambda: "turnledger-writer" not in {one.name for one in {*threading.enumerate()} - others})


def test_reading_what_was_recorded_keeps_the_recorder_open() -> None:
    ledger = turnledger.open("memory:")
    ledger.agent("a").conversation("x:1").inbound("hello")
    reading = turnledger.read(ledger)
    del ledger
    gc.collect()
    assert not any(one.name == "turnledger-closing" for one in threading.enumerate())
    assert len(reading.conversations()) == 1
