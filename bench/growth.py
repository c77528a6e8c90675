"""One long conversation: whether the storage of a call grows with what was said before."""

from __future__ import annotations

from pathlib import Path

import turnledger
from bench.harness import Row, Table, folder, size_of
from bench.recording import prepare
from bench.workload import ModelStep, Shape
from turnledger.capture.conversation import Conversation

CALLS = 500
SHAPE = Shape(conversations=1, turns=CALLS // 4)


def run() -> Table:
    """500 model calls, each with the whole history; the first and the second half of them compared."""
    ((talk, turns),) = prepare(SHAPE)
    steps = [step for turn in turns for step in turn.steps if isinstance(step, ModelStep)]
    with folder() as place:
        ledger = place / "growth.ledger"
        empty = _record(ledger, talk.key, [])
        half = _record(ledger, talk.key, steps[: CALLS // 2])
        whole = _record(ledger, talk.key, steps[CALLS // 2 :])
    first, second = (half - empty) / (CALLS // 2), (whole - half) / (CALLS // 2)
    raw = sum(len(step.request_bytes) + len(step.response_bytes) for step in steps)
    rows = [
        Row("storage of a call, first half", first / 1000, "kB"),
        Row("storage of a call, second half", second / 1000, "kB"),
        Row("second half to first half", second / first, "x", 1.1),
        Row("raw JSON of a call, mean", raw / CALLS / 1000, "kB"),
        Row("last request", len(steps[-1].request_bytes) / 1000, "kB"),
    ]
    return Table("Growth", f"{CALLS} calls of one conversation, {raw / 1e6:,.0f} MB of raw JSON.", rows)


def _record(ledger: Path, key: str, steps: list[ModelStep]) -> int:
    """Record the calls, four a turn; bytes of the ledger after it was closed."""
    with turnledger.open(ledger) as opened:
        recorded: Conversation = opened.agent("bench").conversation(key)
        recorded.inbound("Hello.")
        for start in range(0, len(steps), 4):
            with recorded.turn() as turn:
                for step in steps[start : start + 4]:
                    with turn.model_call(role="primary", request=step.request_bytes) as call:
                        call.result(step.response_bytes)
                turn.commit("Done.")
    return size_of(ledger)
