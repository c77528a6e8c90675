"""What `import turnledger` gives, what it costs, and how it types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import turnledger
from tests.unit.capture.processes import run

ROOT = Path(__file__).parents[3]

USER = """
import asyncio
from collections.abc import AsyncIterator

import turnledger


def lookup(id: int) -> dict[str, int]:
    return {"id": id}


async def slow(id: int) -> str:
    return str(id)


async def pages() -> AsyncIterator[int]:
    yield 1


def main() -> None:
    with turnledger.open("x.ledger") as ledger:
        convo = ledger.agent("support").conversation("c", connector="slack")
        msg = convo.inbound("hi", actor="U1")
        with convo.turn(trigger=msg) as turn:
            order = turn.tool("lookup", lookup, supplied="{}")
            reveal_type(order)
            with turn.model_call(request=b"{}") as call:
                reveal_type(call.result({"a": 1}))
            with turn.tool_call("lookup") as step:
                reveal_type(step.result(3))
            try:
                turn.commit("done").wait()
            except turnledger.OutcomeUnrecorded as error:
                print(error.result)
            except (turnledger.TurnLost, turnledger.CaptureRefused):
                raise


async def amain(convo: turnledger.Conversation) -> None:
    async with convo.turn() as turn:
        reveal_type(await turn.tool("slow", slow, supplied="{}"))
        async for page in turn.tool("pages", pages):
            reveal_type(page)
        receipt = turn.progress("x")
        reveal_type((await receipt).seq)
        reveal_type(turnledger.current_turn())
        message = await convo.inbound("x")
        reveal_type(message.seq)


asyncio.run(amain(turnledger.open().agent("a").conversation()))
"""

REVEALED = [
    *("dict[str, int]", "dict[str, int]", "int"),
    *("str", "int", "int", "turnledger.capture.turn.Turn | None", "int"),
]


def test_importing_loads_nothing_that_is_not_used() -> None:
    out = run("import sys, turnledger; print(*sorted(sys.modules))")
    loaded = set(out.split())
    assert not loaded & {"sqlite3", "psycopg", "rich", "click", "msgspec", "asyncio", "turnledger.capture"}


def test_opening_a_file_loads_no_other_engine_and_no_screen(ledger_path: Path) -> None:
    out = run("import sys, turnledger; turnledger.open(sys.argv[1]); print(*sys.modules)", ledger_path)
    assert not set(out.split()) & {
        "psycopg",
        "rich",
        "click",
        "turnledger.query",
        "turnledger.store.postgres",
    }


def test_importing_is_quick() -> None:
    program = (
        "import time; start = time.process_time(); import turnledger; "
        "print(1000 * (time.process_time() - start))"
    )
    assert min(float(run(program)) for _ in range(5)) < 80  # of this process alone, whatever others do


def test_every_public_name_is_there() -> None:
    for name in turnledger.__all__:
        assert getattr(turnledger, name) is not None
    assert set(dir(turnledger)) == set(turnledger.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = turnledger.nothing  # type: ignore[attr-defined]


def test_a_users_program_is_typed(tmp_path: Path) -> None:
    program = tmp_path / "user.py"
    program.write_text(USER)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", "/dev/null", str(program)]
    environment = {"MYPYPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
    notes = [line.split('"')[1] for line in done.stdout.splitlines() if "Revealed type" in line]
    assert [note.replace("builtins.", "").removesuffix("?") for note in notes] == REVEALED, done.stdout
    assert "error:" not in done.stdout
