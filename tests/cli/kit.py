"""What the tests of the command line share: a recorded ledger at a known time, a way to run a command."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from turnledger.capture.conversation import Conversation
from turnledger.capture.ledger import Ledger
from turnledger.capture.sink import StoreSink
from turnledger.cli.program import program
from turnledger.clock import SYSTEM
from turnledger.store.ledger_store import Store
from turnledger.store.sqlite import SqliteDatabase

START_MS = 1_792_836_000_000  # 2026-10-24T10:00:00Z

HOSTILE = "Where is it? \x1b[31mRED\x1b]0;pwned\x07 [bold]x[/bold]\nsecond\r\u202eevil\x9b2J\u200b"
BIG = 123456789012345678901234567890

UUID_TEXT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
SHORT_ID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}\b")

REQUEST = {"model": "gpt-x", "messages": [{"role": "system", "content": "Be kind."}]}


@dataclass
class Outcome:
    """One run of a command."""

    status: int
    out: str
    err: str
    raw: bytes

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def run(*arguments: object, env: Mapping[str, str | None] | None = None, stdin: bytes = b"") -> Outcome:
    """Run ``turnledger`` in this process; only its own environment decides about width and colours."""
    runner = CliRunner()
    plain: dict[str, str | None] = {"COLUMNS": None, "TURNLEDGER_TRACEBACK": None, **(env or {})}
    words = [str(argument) for argument in arguments]
    result = runner.invoke(program, words, input=stdin, env=plain, prog_name="turnledger")
    return Outcome(result.exit_code, result.stdout, result.stderr, result.stdout_bytes)


def masked(text: str) -> str:
    """``text`` without what differs from run to run: ids."""
    return SHORT_ID.sub("<id>", UUID_TEXT.sub("<uuid>", text))


class SetClock:
    """Time that a test moves; ``tick`` milliseconds pass with every look at it."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.now_ms = now_ms
        self.steady_us = 0

    def epoch_ms(self) -> int:
        return self.now_ms

    def monotonic_us(self) -> int:
        return self.steady_us

    def sleep(self, seconds: float) -> None:
        SYSTEM.sleep(seconds)

    def move(self, ms: int) -> None:
        self.now_ms += ms
        self.steady_us += ms * 1000


@dataclass
class Recorded:
    """A ledger's file and the ids that matter in it."""

    path: Path
    clock: SetClock
    ledger: Ledger
    ids: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: object, env: Mapping[str, str | None] | None = None) -> Outcome:
        return run(*arguments, "--ledger", self.path, env=env)


def open_ledger(path: Path, now_ms: int = START_MS) -> Recorded:
    """A new ledger whose clock stands still until it is moved."""
    clock = SetClock(now_ms)
    database = SqliteDatabase(path, clock=clock)
    store = Store(str(path), database.engine, database.reader).open()
    return Recorded(path, clock, Ledger(StoreSink(store), clock=clock))


def reply(text: str | None, *calls: tuple[str, str]) -> dict[str, object]:
    """A chat completion with usage."""
    message: dict[str, object] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {"id": f"c{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for place, (name, arguments) in enumerate(calls)
        ]
    return {
        "object": "chat.completion",
        "model": "gpt-x-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {
            "prompt_tokens": 1204,
            "completion_tokens": 88,
            "total_tokens": 1292,
            "prompt_tokens_details": {"cached_tokens": 1024},
        },
    }


def record_support(made: Recorded) -> Recorded:
    """A conversation: a turn that went well, a message ignored, one shed, and a turn that failed."""
    clock = made.clock
    convo = made.ledger.agent("support").conversation(
        "slack:C042/1712.33", connector="slack", shape="thread", place="C042"
    )
    made.ids["conversation"] = str(convo.id)
    message = convo.inbound(HOSTILE, actor="slack:U7")
    message.verdict("engage", reason="direct mention")
    clock.move(10)
    with convo.turn(trigger=message) as turn:
        made.ids["good"] = str(turn.id)
        turn.guard("pii", "allow", stage="input")
        with turn.model_call(role="primary", request=REQUEST) as call:
            clock.move(1900)
            call.result(reply(None, ("lookup", '{"id": "7" }'), ("refund", '{"id":7}')))
        with turn.tool_call("lookup", supplied='{"id": "7" }', validated={"id": 7}, ordinal=0) as step:
            clock.move(41)
            step.result({"status": "shipped", "order": BIG})
        turn.memory_write("prefers", "pickup")
        turn.progress("Found it.", kind="ack")
        turn.verify("tone", "pass")
        turn.budget("tokens", limit=10_000, used=2_584, outcome="warn")
        with turn.model_call(role="primary", request=REQUEST) as call:
            clock.move(900)
            call.result(reply("It arrives tomorrow."))
        turn.commit("It arrives tomorrow.")
    clock.move(41 * 60_000)
    convo.inbound("thx", actor="slack:U7").verdict("ignore", reason="no reply wanted", by="rules")
    convo.inbound("and my refund?").shed("queue_full", age_ms=31_000, stale_ms=30_000, depth=12)
    record_failure(made, convo)
    return made


def record_failure(made: Recorded, convo: Conversation) -> None:
    """A turn whose tool raises."""
    try:
        with convo.turn(trigger=convo.inbound("hello?")) as turn:
            made.ids["bad"] = str(turn.id)
            with turn.tool_call("refund", supplied=f'{{"amount": {BIG}}}'):
                made.clock.move(5)
                _refuse()
    except ValueError:
        return


def _refuse() -> None:
    msg = "no such order \x1b[1m"
    raise ValueError(msg)


def tamper(path: Path, *statements: str, values: tuple[object, ...] = ()) -> None:
    """Change rows behind the ledger's back, its guards removed first."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        guards = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for (name,) in guards:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement, values)
        connection.commit()
