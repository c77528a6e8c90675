"""Processes that are killed in the middle of a streamed answer: what users had seen is on record, as cut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import openai
import pytest

import turnledger
from tests.adapters.stub import Provider, Reply, chat_events, running
from tests.cli.kit import run
from tests.conformance.handwriting import tamper
from tests.patience import PROGRAM_S, eventually
from tests.server.kit import listening
from turnledger.integrity.verdict import Verdict
from turnledger.model.access import Grant, Scope
from turnledger.query.verify import verify_ledger
from turnledger.store.arrivals import arrived_replies

ROOT = Path(__file__).parents[2]
ALL = chat_events("Your order ", "left on Monday").pieces
SEEN, REST = ALL[:2], b"".join(ALL[2:])
ASK = {"model": "gpt-asked", "messages": [{"role": "user", "content": "Where is it?"}]}

pytestmark = pytest.mark.crash

PROGRAM = """
import asyncio, sys
import openai, turnledger

ledger, token, provider, style = sys.argv[1:]
ask = {"model": "gpt-asked", "messages": [{"role": "user", "content": "Where is it?"}], "stream": True}
conversation = turnledger.open(ledger, token=token).agent("support").conversation("chat:1")
options = {"api_key": "sk-secret", "base_url": f"{provider}/v1", "max_retries": 0}

def sync():
    client = turnledger.record(openai.OpenAI(**options))
    with conversation.turn():
        for chunk in client.chat.completions.create(**ask):
            print(chunk.choices[0].delta.content, flush=True)

async def main():
    client = turnledger.record(openai.AsyncOpenAI(**options))
    async with conversation.turn():
        async for chunk in await client.chat.completions.create(**ask):
            print(chunk.choices[0].delta.content, flush=True)

def outside():
    client = turnledger.record(openai.OpenAI(**options))
    with conversation:
        for chunk in client.chat.completions.create(**ask):
            print(chunk.choices[0].delta.content, flush=True)

asyncio.run(main()) if style == "async" else {"sync": sync, "outside": outside}[style]()
"""


@pytest.fixture
def provider() -> Iterator[Provider]:
    """It answers with a stream that stops after two words, and waits."""
    never = threading.Event()
    with running() as one:
        one.says(Reply([*SEEN, REST], "text/event-stream", hold=never))
        yield one
        never.set()


@contextmanager
def started(*command: object) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    process = subprocess.Popen(
        [sys.executable, *map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)


def saw_both_words(process: subprocess.Popen[str]) -> None:
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    assert lines == ["Your order \n", "left on Monday\n"], process.stderr and process.stderr.read()


def is_kept(url: str) -> bool:
    with turnledger.read(url) as reading:
        return any(
            arrived_replies(reading.reader, turn.id) == {call.row.seq: b"".join(SEEN)}
            for turn in reading.turns()
            for call in reading.events(turn.id)
            if call.row.type == "MODEL_CALL"
        )


def is_cut_once_its_lease_ran_out(url: str) -> None:
    tamper(url, "UPDATE journals SET until_ms = 1 WHERE until_ms IS NOT NULL")
    turnledger.open(url).close()
    with turnledger.read(url) as reading:
        (turn,) = reading.turns()
        (result,) = [entry for entry in reading.events(turn.id) if entry.row.type == "MODEL_RESULT"]
        assert (turn.status, turn.open_steps) == ("interrupted", 0)
        assert (result.tokens["status"], result.tokens["model"]) == ("cut", "gpt-served")
        assert reading.body(result.row.event_id) == b"".join(SEEN)
        assert arrived_replies(reading.reader, turn.id) == {}
        assert {finding.verdict for finding in verify_ledger(reading.reader)} == {Verdict.INTACT}
    shown = run("show", turn.id, "--ledger", url)
    assert 'gpt-asked → gpt-served cut "Your order left on Monday"' in shown.out, shown.err


@pytest.mark.parametrize("style", ["sync", "async"])
def test_beside_the_ledger(provider: Provider, engine: str, style: str) -> None:
    turnledger.open(engine).close()
    with started("-c", PROGRAM, engine, "", provider.url, style) as process:
        saw_both_words(process)
        eventually(lambda: is_kept(engine))
    is_cut_once_its_lease_ran_out(engine)


def test_a_process_that_was_only_stopped_records_the_whole_reply_late(
    provider: Provider, engine: str
) -> None:
    turnledger.open(engine).close()
    hold = provider.script[0].hold
    assert hold is not None
    with started("-c", PROGRAM, engine, "", provider.url, "sync") as process:
        saw_both_words(process)
        eventually(lambda: is_kept(engine))
        tamper(engine, "UPDATE journals SET until_ms = until_ms")  # behind it no lock is held
        process.send_signal(signal.SIGSTOP)
        is_cut_once_its_lease_ran_out(engine)
        hold.set()
        process.send_signal(signal.SIGCONT)
        process.wait(PROGRAM_S)
    with turnledger.read(engine) as reading:
        (turn,) = reading.turns()
        (late,) = [one for one in reading.events(turn.conversation) if one.row.type == "LATE"]
        assert (late.tokens["type"], reading.body(late.row.event_id)) == ("MODEL_RESULT", b"".join(ALL))
        (result,) = [one for one in reading.events(turn.id) if one.row.type == "MODEL_RESULT"]
        assert result.tokens["status"] == "cut"
        assert arrived_replies(reading.reader, turn.id) == {}


def test_a_stream_that_comes_compressed(provider: Provider, ledger_path: Path) -> None:
    coder = zlib.compressobj(wbits=31)
    pieces = [coder.compress(piece) + coder.flush(zlib.Z_SYNC_FLUSH) for piece in SEEN]
    (reply,) = provider.script
    reply.pieces, reply.headers = [*pieces, b"never read"], {"content-encoding": "gzip"}
    url = str(ledger_path)
    with started("-c", PROGRAM, url, "", provider.url, "sync") as process:
        saw_both_words(process)
        eventually(lambda: is_kept(url))
    is_cut_once_its_lease_ran_out(url)


def test_through_a_server(provider: Provider, engine: str) -> None:
    with listening(engine) as server:
        token, _ = server.service.access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))
        with started("-c", PROGRAM, server.address.url, token, provider.url, "sync") as process:
            saw_both_words(process)
            eventually(lambda: is_kept(engine))
        is_cut_once_its_lease_ran_out(engine)


def test_through_the_gateway(provider: Provider, engine: str, port: int) -> None:
    turnledger.open(engine).close()
    command = ["-m", "turnledger", "gateway", "--ledger", engine, "--port", str(port)]
    with (
        openai.OpenAI(api_key="sk-secret", base_url=f"http://127.0.0.1:{port}/local/v1") as client,
        started(*command, "--upstream", f"local={provider.url}") as process,
    ):
        assert process.stderr is not None
        process.stderr.readline()
        stream = iter(client.chat.completions.create(**ASK, stream=True))  # type: ignore[call-overload]
        words = [next(stream).choices[0].delta.content for _ in SEEN]
        assert words == ["Your order ", "left on Monday"]
        eventually(lambda: is_kept(engine))
    is_cut_once_its_lease_ran_out(engine)


# --- outside any turn ------------------------------------------------------------------------------


def is_kept_outside(url: str) -> bool:
    with turnledger.read(url) as reading:
        return any(
            arrived_replies(reading.reader, talk.id) == {call.row.seq: b"".join(SEEN)}
            for talk in reading.conversations()
            for call in reading.events(talk.id)
            if call.row.type == "MODEL_CALL"
        )


def is_cut_outside_once_nothing_is_heard(url: str) -> None:
    tamper(url, "UPDATE live_calls SET until_ms = 1")
    turnledger.open(url).close()
    with turnledger.read(url) as reading:
        (talk,) = reading.conversations()
        (result,) = [entry for entry in reading.events(talk.id) if entry.row.type == "MODEL_RESULT"]
        assert (result.tokens["status"], result.tokens["model"]) == ("cut", "gpt-served")
        assert reading.body(result.row.event_id) == b"".join(SEEN)
        assert arrived_replies(reading.reader, talk.id) == {}
        assert {finding.verdict for finding in verify_ledger(reading.reader)} == {Verdict.INTACT}
    shown = run("show", talk.id, "--ledger", url)
    assert 'cut "Your order left on Monday"' in shown.out, shown.err


def test_a_call_outside_any_turn(provider: Provider, engine: str) -> None:
    turnledger.open(engine).close()
    with started("-c", PROGRAM, engine, "", provider.url, "outside") as process:
        saw_both_words(process)
        eventually(lambda: is_kept_outside(engine))
    is_cut_outside_once_nothing_is_heard(engine)


def test_a_call_outside_any_turn_through_a_server(provider: Provider, engine: str) -> None:
    with listening(engine) as server:
        token, _ = server.service.access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))
        with started("-c", PROGRAM, server.address.url, token, provider.url, "outside") as process:
            saw_both_words(process)
            eventually(lambda: is_kept_outside(engine))
        is_cut_outside_once_nothing_is_heard(engine)
