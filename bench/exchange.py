"""One model call on record: request before it leaves, response when it came, as an agent waits for both."""

from __future__ import annotations

import hashlib

import turnledger
from bench.bare import commit_seconds
from bench.harness import Row, Table, folder, p50, p99, seconds
from bench.recording import prepare
from bench.workload import ModelStep, Shape
from turnledger.capture.conversation import Conversation

SHAPE = Shape(conversations=8, turns=10)


def run() -> Table:
    """The workload's model calls, one conversation after the other, nothing else running."""
    work = prepare(SHAPE)
    ours: list[float] = []
    bodies: list[bytes] = []
    with folder() as place:
        before = commit_seconds(place / "before.db", 2000)
        with turnledger.open(place / "exchange.ledger") as opened:
            agent = opened.agent("bench")
            for talk, turns in work:
                recorded = agent.conversation(talk.key)
                steps = [[step for step in turn.steps if isinstance(step, ModelStep)] for turn in turns]
                ours += [time for turn in steps for time in _turn(recorded, turn)]
                bodies += [step.request_bytes for turn in steps for step in turn]
        commit = (before + commit_seconds(place / "after.db", 2000)) / 2
    hashing = p50([seconds(lambda body=body: hashlib.sha256(body).digest()) for body in bodies])  # type: ignore[misc]
    floor = (2 * commit + hashing) * 1000
    rows = [
        Row("request and response on record, p50", p50(ours) * 1000, "ms", 2, floor=floor,
            floor_is="two bare commits of 2 kB and one hash of the request"),
        Row("request and response on record, p99", p99(ours) * 1000, "ms"),
        Row("request, mean", sum(map(len, bodies)) / len(bodies) / 1000, "kB"),
    ]  # fmt: skip
    return Table("Model exchange", f"{len(ours)} calls with growing history; SQLite, synchronous=FULL.", rows)


def _turn(recorded: Conversation, steps: list[ModelStep]) -> list[float]:
    with recorded.turn() as turn:
        times = [seconds(lambda step=step: _exchange(turn, step)) for step in steps]  # type: ignore[misc]
        turn.commit("Done.")
    return times


def _exchange(turn: turnledger.Turn, step: ModelStep) -> None:
    with turn.model_call(role="primary", request=step.request_bytes) as call:
        call.result(step.response_bytes)
