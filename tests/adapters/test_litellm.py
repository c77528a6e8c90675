"""The real LiteLLM against a provider on this machine: one process, since it takes seconds to import."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

import turnledger
from tests.adapters.clients import LITELLM, WAYS
from tests.adapters.processes import killed, started
from tests.adapters.stub import Asked, Provider, Reply, any_answer
from tests.patience import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.adapters.conftest import Recorder

PROGRAM = """
import asyncio, json, sys
import turnledger
from contextlib import nullcontext
from pathlib import Path
from tests.adapters.clients import LITELLM, WAYS, ask
from tests.adapters.turns import refusing

turnledger.install()
path, url = Path(sys.argv[1]), sys.argv[2]
conversation = turnledger.open(str(path)).agent("support").conversation("litellm")

def attempt(client, way, address, *lost):
    with conversation.turn() as turn:
        try:
            with refusing(path, *lost) if lost else nullcontext():
                ask(client, address, way)
            turn.commit("done")
        except Exception as error:
            return str(turn.id), type(error).__name__
    return str(turn.id), None

for name, client in LITELLM.items():
    for way in WAYS:
        recorded, _ = attempt(client, way, url)
        refused, error = attempt(client, way, url, "MODEL_CALL")
        _, unrecorded = attempt(client, way, url, "MODEL_RESULT")
        print(json.dumps([name, way, recorded, refused, error, unrecorded]), flush=True)
client = LITELLM["by its own, anthropic"]
print(json.dumps(attempt(client, "async", "http://127.0.0.1:9")), flush=True)
attempt(client, "async", url + "/held")
"""


@contextmanager
def running(ledger: Path, url: str) -> Iterator[Iterator[list[str | None]]]:
    """What the program tells, line by line; killed at the end."""
    # without the variable it fetches prices while it is imported
    process = started(PROGRAM, ledger, url, LITELLM_LOCAL_MODEL_COST_MAP="True")
    try:
        assert process.stdout is not None
        yield (json.loads(line) for line in process.stdout if line.startswith("["))
    finally:
        killed(process)


@pytest.mark.crash
def test_whatever_it_asks_is_recorded_or_refused_and_in_doubt_when_killed(
    provider: Provider, recorder: Recorder
) -> None:
    said: list[Reply] = []
    never = threading.Event()

    def answer(asked: Asked) -> Reply:
        said.append(any_answer(asked))
        if asked.path.startswith("/held"):
            said[-1].hold = never
        return said[-1]

    provider.otherwise = answer
    with running(recorder.path, provider.url) as told:
        rows = [next(told) for _ in range(len(LITELLM) * len(WAYS))]
        lost, error = next(told)
        eventually(lambda: provider.asked[-1].path.startswith("/held"))
    never.set()

    for number, (name, way, turn, refused, why, unrecorded) in enumerate(rows):
        case = f"{name}, {way}"
        asked, reply = provider.asked[2 * number], said[2 * number]
        assert steps(recorder, turn) == [
            ("MODEL_CALL", None, asked.body),
            ("MODEL_RESULT", EARLY.get(case, "ok"), arrived(reply, case)),
        ], case
        assert (steps(recorder, refused), why) == ([], "CaptureRefused"), case
        assert unrecorded == ("CaptureRefused" if case in EARLY else "OutcomeUnrecorded"), case
    assert len(provider.asked) == 2 * len(rows) + 1  # none of those that were refused

    # each of three attempts is made once more by a client that stands in where there was no connection
    assert [step[0] for step in steps(recorder, lost)] == ["MODEL_CALL", "MODEL_RESULT"] * 3 * 2
    assert error == "InternalServerError"

    with turnledger.read(str(recorder.path)) as reading:
        assert {turn.id: turn.status for turn in reading.turns(limit=100)}[UUID(refused)] == "refused"
        (held, *_) = reading.turns()
        *_, last = reading.events(held.id)
        assert (last.row.type, reading.body(last.row.event_id)) == ("MODEL_CALL", provider.asked[-1].body)


EARLY = {"by its own, anthropic, stream": "aborted"}
"""Streams that it stops reading after the reason why they end, before the mark that they did."""


def arrived(reply: Reply, case: str) -> bytes:
    return b"".join(reply.pieces[:-1] if case in EARLY else reply.pieces)


def steps(recorder: Recorder, turn: str | None) -> list[tuple[str, str | None, bytes | None]]:
    assert turn is not None
    with turnledger.read(str(recorder.path)) as reading:
        return [
            (entry.row.type, dict(entry.tokens).get("status"), reading.body(entry.row.event_id))
            for entry in reading.events(turn)
            if entry.row.type in {"MODEL_CALL", "MODEL_RESULT"}
        ]
