"""The real client and server of MCP, connected in one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult

import turnledger
from tests.adapters.processes import killed, started
from tests.adapters.turns import refusing, tool_calls
from tests.patience import NEVER_S
from turnledger.adapters import mcp
from turnledger.adapters.tool_hook import running, tool_step

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

Calls = list[int]


def serving(*middleware: mcp.Recording) -> tuple[MCPServer, Calls]:
    """A server with two tools, and what they were called with."""
    server, calls = MCPServer("shop", middleware=list(middleware)), Calls()

    @server.tool()
    def lookup(id: int) -> str:  # noqa: A002
        calls.append(id)
        return f"{id} is on its way"

    @server.tool()
    def fail(id: int) -> str:  # noqa: A002
        msg = f"no order {id}"
        raise LookupError(msg)

    return server, calls


@asynccontextmanager
async def connected(server: MCPServer) -> AsyncIterator[Client]:
    async with Client(server) as client:
        yield client


def in_turn(
    recorder: Recorder, server: MCPServer, work: Callable[[Client], Awaitable[object]]
) -> turnledger.Turn:
    """Do some work with a client of the server, in a turn."""

    async def main() -> turnledger.Turn:
        async with connected(server) as client, recorder.conversation.turn() as turn:
            await work(client)
            await turn.commit("done")
        return turn

    return asyncio.run(main())


# --- the client's side -------------------------------------------------------------------------------


@pytest.mark.parametrize("recorded", ["Client", "ClientSession"])
def test_a_call_is_recorded_before_the_server_is_asked(recorder: Recorder, recorded: str) -> None:
    server, calls = serving()
    answers: list[CallToolResult] = []

    async def work(client: Client) -> None:
        target = client if recorded == "Client" else client.session
        turnledger.record(turnledger.record(target))
        answers.append(await client.call_tool("lookup", {"id": 7}))

    turn = in_turn(recorder, server, work)
    assert calls == [7]
    assert isinstance(answers[0], CallToolResult)
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.tokens["tool"], call.payload) == ("lookup", b'{"id":7}')
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "ok"
    assert b"7 is on its way" in (result.payload or b"")


def test_a_tool_that_fails_is_an_error_on_record(recorder: Recorder) -> None:
    server, _ = serving()

    async def work(client: Client) -> None:
        assert (await turnledger.record(client).call_tool("fail", {"id": 7})).is_error
        assert (await client.call_tool("unknown", {})).is_error

    turn = in_turn(recorder, server, work)
    results = recorder.steps(turn, "TOOL_RESULT")
    assert [step.tokens["status"] for step in results] == ["error", "error"]


def test_where_nothing_can_be_recorded_the_server_is_not_asked(recorder: Recorder) -> None:
    server, calls = serving()

    async def work(client: Client) -> None:
        with refusing(recorder.path, "TOOL_CALL"):
            await turnledger.record(client).call_tool("lookup", {"id": 7})

    with pytest.raises(BaseExceptionGroup) as caught:
        in_turn(recorder, server, work)
    assert caught.group_contains(turnledger.CaptureRefused)
    assert calls == []


def test_without_a_turn_the_server_is_not_asked() -> None:
    server, calls = serving()

    async def main() -> None:
        async with connected(server) as client:
            with pytest.raises(turnledger.CaptureRefused, match="No turn is open"):
                await turnledger.record(client).call_tool("lookup", {"id": 7})

    asyncio.run(main())
    assert calls == []


def test_x03_parallel_calls_each_have_their_own_result(recorder: Recorder) -> None:
    server, _ = serving()

    async def work(client: Client) -> None:
        turnledger.record(client)
        await asyncio.gather(*[client.call_tool("lookup", {"id": number}) for number in range(5)])

    turn = in_turn(recorder, server, work)
    asked = {call.payload for call in tool_calls(recorder.path, turn.id)}
    assert asked == {b'{"id":%d}' % number for number in range(5)}
    answered = {step.tokens["call"]: step.payload or b"" for step in recorder.steps(turn, "TOOL_RESULT")}
    assert len(answered) == len(set(answered.values())) == 5


def test_a_call_that_a_framework_records_already_stays_one(recorder: Recorder) -> None:
    server, calls = serving()

    async def work(client: Client) -> None:
        turnledger.record(client)
        async with tool_step("shop_lookup", validated={"id": 7}) as step:
            with running("shop_lookup"):
                step.result((await client.call_tool("lookup", {"id": 7})).is_error)
        await client.call_tool("lookup", {"id": 8})

    turn = in_turn(recorder, server, work)
    assert calls == [7, 8]
    assert [call.tokens["tool"] for call in tool_calls(recorder.path, turn.id)] == ["shop_lookup", "lookup"]


def test_a_call_that_is_cancelled_is_so_on_record(recorder: Recorder) -> None:
    server = MCPServer("slow")
    running_now = asyncio.Event()

    @server.tool()
    async def hang() -> str:
        running_now.set()
        await asyncio.sleep(NEVER_S)
        return "never"

    async def work(client: Client) -> None:
        call = asyncio.create_task(turnledger.record(client).call_tool("hang", {}))
        await running_now.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    turn = in_turn(recorder, server, work)
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "cancelled"


def test_an_object_that_calls_no_tools_is_refused() -> None:
    with pytest.raises(turnledger.UsageError, match="A StdioServerParameters calls no tools"):
        turnledger.record(StdioServerParameters(command="x"))


# --- the server's side -------------------------------------------------------------------------------


def served(recorder: Recorder, name: str) -> CallToolResult:
    """Call a tool of a recording server from outside of any turn."""
    server, _ = serving(mcp.Recording(recorder.conversation))

    async def main() -> CallToolResult:
        async with connected(server) as client:
            await client.list_tools()
            return await client.call_tool(name, {"id": 7})

    return asyncio.run(main())


def recorded_turns(recorder: Recorder) -> list[tuple[str, list[str]]]:
    with turnledger.read(str(recorder.path)) as reading:
        return [
            (str(turn.status), [entry.row.type for entry in reading.events(turn.id)])
            for turn in reading.turns()
        ]


def test_each_call_is_a_turn_of_the_server(recorder: Recorder) -> None:
    assert not served(recorder, "lookup").is_error
    assert served(recorder, "fail").is_error
    types = ["INTAKE", "TOOL_CALL", "TOOL_RESULT", "COMMIT"]
    assert recorded_turns(recorder) == [("completed", types)] * 2


def test_where_nothing_can_be_recorded_the_tool_does_not_run(recorder: Recorder) -> None:
    server, calls = serving(mcp.Recording(recorder.conversation))

    async def main() -> None:
        async with connected(server) as client:
            with pytest.raises(MCPError):
                await client.call_tool("lookup", {"id": 7})

    with refusing(recorder.path, "TOOL_CALL"):
        asyncio.run(main())
    assert calls == []


KILLED = """
import asyncio, sys
import turnledger
from mcp import Client
from mcp.server.mcpserver import MCPServer
from turnledger.adapters.mcp import Recording

agent = turnledger.open(sys.argv[1]).agent("support")
server = MCPServer("shop", middleware=[Recording(agent.conversation("server"))])

@server.tool()
async def lookup(id: int) -> str:
    print("running", flush=True)
    await asyncio.sleep(600)
    return "never"

async def main():
    async with Client(server) as client:
        turnledger.record(client)
        async with agent.conversation("client").turn():
            await client.call_tool("lookup", {"id": 7})

asyncio.run(main())
"""


@pytest.mark.crash
def test_a_call_that_was_under_way_is_in_doubt_on_both_sides(ledger_path: Path) -> None:
    process = started(KILLED, ledger_path)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
    finally:
        killed(process)
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()  # that of the client, which the server runs in here
        _, *last = [entry.row for entry in reading.events(turn.id)]
        asked = [(row.type, reading.body(row.event_id)) for row in last]
    assert asked == [("TOOL_CALL", b'{"id":7}')] * 2
