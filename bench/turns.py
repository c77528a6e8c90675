"""Whole turns: how many a second are made durable, and what they take on the disk."""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import turnledger
from bench.bare import commit_seconds
from bench.harness import Row, Table, folder, seconds, size_of
from bench.recording import Prepared, prepare, record_all, record_in_tasks
from bench.workload import ModelStep, Shape, ToolStep
from turnledger.wire.compression import Packer

AT_ONCE = 8
PROCESSES = 4
WAITS = 18
"""Times that a turn waits for the disk: message, verdict, opening, 8 model events, 6 tool events, end."""

ROOT = Path(__file__).parent.parent


def run(shape: Shape = Shape()) -> Table:  # noqa: B008  frozen
    """Embedded SQLite, ``synchronous=FULL``: one process, then four with as many turns, then four such."""
    work = prepare(shape)
    turns = sum(len(told) for _, told in work)
    with folder() as place:
        ledger = place / "turns.ledger"
        before = commit_seconds(place / "before.db")
        alone = _record(ledger, work)
        tasks = _record_in_tasks(place / "tasks.ledger", work)
        commit = (before + commit_seconds(place / "after.db")) / 2
        kilobytes = size_of(ledger) / turns / 1000
        together, events = _processes(place / "four.ledger", shape, AT_ONCE // PROCESSES)
        each, _ = _processes(place / "each.ledger", shape, AT_ONCE)
    floor = AT_ONCE / (commit * WAITS)
    rows = [
        Row(
            f"turns in threads of one process, {AT_ONCE} at once", turns / alone, "/s", 150, more=True,
            floor=1 / max(1 / floor, _hash_seconds(work) / turns),
            floor_is=f"{WAITS} waits, each one flush shared by {AT_ONCE}; or hashing every body once",
        ),
        Row(f"turns in tasks of one event loop, {AT_ONCE} at once", turns / tasks, "/s", 150, more=True),
        Row(
            f"turns in {PROCESSES} processes, {AT_ONCE} at once together", turns / together, "/s",
            turns / alone, more=True,
        ),
        Row(
            f"turns in {PROCESSES} processes, {AT_ONCE} at once in each", turns / each, "/s",
            turns / alone, more=True,
        ),
        Row("storage of a turn, everything included", kilobytes, "kB", 30, floor=_distinct_kb(work),
            floor_is="each distinct text once, compressed (measured on this workload: 7.2)"),
        Row("raw JSON of a turn", _raw_kb(work), "kB"),
        Row("bare commit of one row of 1 KB", commit * 1000, "ms"),
        Row("events in the four-process ledger, all verified", events, ""),
    ]  # fmt: skip
    note = (
        f"{shape.conversations} conversations of {shape.turns} turns of {shape.model_calls} model calls and "
        f"{shape.model_calls - 1} tool calls; SQLite, synchronous=FULL, through the public recorder."
    )
    return Table("Turns", note, rows)


def _record(ledger: Path, work: list[Prepared]) -> float:
    with turnledger.open(str(ledger)) as opened:
        agent = opened.agent("bench")
        return seconds(lambda: record_all(agent, work, at_once=AT_ONCE))


def _record_in_tasks(ledger: Path, work: list[Prepared]) -> float:
    with turnledger.open(str(ledger)) as opened:
        agent = opened.agent("bench")
        return seconds(lambda: asyncio.run(record_in_tasks(agent, work, at_once=AT_ONCE)))


def _processes(ledger: Path, shape: Shape, at_once: int) -> tuple[float, int]:
    """Seconds from the common start to the last end, and the events that verified afterwards.

    Each of the processes records ``at_once`` turns at a time.
    """
    with turnledger.open(str(ledger)) as opened:
        opened.agent("bench").conversation("warm").inbound("up")
    command = [
        sys.executable,
        "-m",
        "bench.turns_process",
        str(ledger),
        str(shape.conversations),
        str(shape.turns),
    ]
    with ExitStack() as stack:
        started = [
            stack.enter_context(_process([*command, str(part), str(PROCESSES), str(at_once)]))
            for part in range(PROCESSES)
        ]
        for process in started:
            assert process.stdout is not None  # noqa: S101  it was asked for
            process.stdout.readline()  # its work is prepared
        start = time.perf_counter()
        for process in started:
            assert process.stdin is not None  # noqa: S101
            process.stdin.close()
        codes = [process.wait() for process in started]
        took = time.perf_counter() - start
    if any(codes):
        msg = f"A recording process failed: {codes}"
        raise RuntimeError(msg)
    return took, _verified_events(ledger)


def _process(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(  # noqa: S603  our own program
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _verified_events(ledger: Path) -> int:
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "bench.verify_all", str(ledger)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(run.stdout)


def _bodies(work: list[Prepared]) -> list[bytes]:
    found: list[bytes] = []
    for _, turns in work:
        for turn in turns:
            for step in turn.steps:
                if isinstance(step, ModelStep):
                    found += [step.request_bytes, step.response_bytes]
                elif isinstance(step, ToolStep):
                    found += [step.arguments.encode(), step.observation.encode()]
    return found


def _hash_seconds(work: list[Prepared]) -> float:
    bodies = _bodies(work)
    return seconds(lambda: [hashlib.sha256(body).digest() for body in bodies])


def _raw_kb(work: list[Prepared]) -> float:
    turns = sum(len(told) for _, told in work)
    return sum(map(len, _bodies(work))) / turns / 1000


def _distinct_kb(work: list[Prepared]) -> float:
    """Every distinct message of the requests once, each compressed alone, a turn."""
    packer, seen, size = Packer(), set[bytes](), 0
    for _, turns in work:
        last = [step for step in turns[-1].steps if isinstance(step, ModelStep)][-1]
        for message in last.request["messages"]:
            data = json.dumps(message, ensure_ascii=False).encode()
            if data not in seen:
                seen.add(data)
                size += len(packer.pack(data))
    return size / sum(len(told) for _, told in work) / 1000
