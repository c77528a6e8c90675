"""The real Claude Agent SDK and the program that it brings, against a provider on this machine."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import aclosing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    Message,
    ResultError,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)

import turnledger
from tests.adapters.processes import killed, started
from tests.adapters.stub import (
    Asked,
    Provider,
    Reply,
    anthropic_events,
    anthropic_reply,
    anthropic_tool_events,
)
from tests.adapters.turns import refusing, tool_calls
from tests.patience import NEVER_S, eventually
from turnledger.adapters.claude_agent_sdk import Recording
from turnledger.gateway.local import local_gateway
from turnledger.gateway.run import RunningGateway
from turnledger.gateway.turns import Gateway
from turnledger.gateway.upstreams import parse_upstreams

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

NAME = "mcp__shop__lookup"
TEXT = '{"id":  7}'
QUESTION = "Where is my order?"
MODES = ("query", "client", "pieces")
"""How the program is asked: by the function, by a client, by either with parts of messages."""

Tool = Callable[[int], Any]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program writes into a home of its own, and asks nobody but the model."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")


@pytest.fixture(params=[False, True], ids=["hooks", "gateway"])
def by_gateway(request: pytest.FixtureRequest) -> bool:
    """Whether what the model is asked passes a gateway in this process."""
    return bool(request.param)


def asks_for_a_tool(asked: Asked) -> Reply:
    """The model asks for the tool, and answers once it has been told what came of it."""
    return asks_for(NAME, TEXT)(asked)


def asks_for(name: str, arguments: str) -> Callable[[Asked], Reply]:
    def answer(asked: Asked) -> Reply:
        if b'"tool_result"' in asked.body:
            return anthropic_events("On its ", "way.")
        return anthropic_tool_events("call-1", name, arguments)

    return answer


def lookup(id: int) -> str:  # noqa: A002
    return f"{id} is on its way"


def options(url: str, function: Tool, **more: Any) -> ClaudeAgentOptions:  # noqa: ANN401
    @tool("lookup", "Looks an order up", {"id": int})
    async def looked_up(given: dict[str, Any]) -> dict[str, Any]:
        said = function(given["id"])
        return {"content": [{"type": "text", "text": await said if asyncio.iscoroutine(said) else said}]}

    return ClaudeAgentOptions(
        model="claude-asked",
        mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[looked_up])},
        allowed_tools=[NAME, "Task"],
        setting_sources=[],
        env={"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-secret"},
        **more,
    )


async def ask(made: ClaudeAgentOptions, mode: str) -> str:
    """Run the agent, and give its answer."""
    if mode == "client":
        async with ClaudeSDKClient(made) as client:
            await client.query(QUESTION)
            return await answer_of(client.receive_response())
    made.include_partial_messages = mode == "pieces"
    return await answer_of(query(prompt=QUESTION, options=made))


async def answer_of(messages: AsyncIterator[Message]) -> str:
    async with aclosing(messages):  # type: ignore[type-var]
        return [one.result or "" async for one in messages if isinstance(one, ResultMessage)][-1]


@contextmanager
def recording(url: str, *, by_gateway: bool) -> Generator[Recording]:
    """What records in the turn that is open."""
    own = local_gateway(upstream=f"anthropic={url}") if by_gateway else nullcontext()
    with own as gateway:
        yield Recording(gateway=gateway)


class Agent:
    """An agent and the turn that it runs in."""

    def __init__(self, recorder: Recorder, url: str, *, by_gateway: bool = False) -> None:
        self.turn = recorder.conversation.turn()
        self.url = url
        self.by_gateway = by_gateway

    def run(self, function: Tool = lookup, mode: str = "query", **more: Any) -> str:  # noqa: ANN401
        async def main() -> str:
            async with self.turn:
                # What a gateway does not send on would reach nobody.
                url = "http://127.0.0.1:9" if self.by_gateway else self.url
                with recording(self.url, by_gateway=self.by_gateway) as recorded:
                    answer = await ask(recorded.options(options(url, function, **more)), mode)
                await self.turn.commit(answer)
            return answer

        return asyncio.run(main())


def types(recorder: Recorder, turn: turnledger.Turn) -> list[str]:
    return [step.type for step in recorder.steps(turn) if step.type != "PROMPT"]


def status(recorder: Recorder, turn: turnledger.Turn) -> str | None:
    with turnledger.read(str(recorder.path)) as reading:
        return reading.turn(turn.id).turn.status


@pytest.mark.parametrize("mode", MODES)
def test_a_turn_is_recorded_as_it_was(
    provider: Provider,
    recorder: Recorder,
    mode: str,
    by_gateway: bool,  # noqa: FBT001  a fixture
) -> None:
    provider.otherwise = asks_for_a_tool
    agent = Agent(recorder, provider.url, by_gateway=by_gateway)
    assert agent.run(mode=mode) == "On its way."
    model = ["MODEL_CALL", "MODEL_RESULT"]
    assert types(recorder, agent.turn) == [*model, "TOOL_CALL", "TOOL_RESULT", *model]
    calls = recorder.steps(agent.turn, "MODEL_CALL")
    sent = [call.payload or b"" for call in calls]
    if by_gateway:
        assert sent == [asked.body for asked in provider.asked]
        assert {call.tokens["form"] for call in calls} == {"wire"}
    else:
        assert json.loads(sent[0]) == {"prompt": QUESTION}
        assert b"7 is on its way" in sent[1]
        assert {call.tokens["form"] for call in calls} == {"encoded"}
        assert recorder.steps(agent.turn, "MODEL_RESULT")[1].payload == b"On its way."
    (call,) = tool_calls(recorder.path, agent.turn.id)
    assert (call.tokens["tool"], call.tokens["ordinal"], call.payload) == (NAME, "0", b'{"id":7}')
    assert "from" in call.tokens
    assert call.supplied == (TEXT.encode() if by_gateway else None)
    (result,) = recorder.steps(agent.turn, "TOOL_RESULT")
    assert result.tokens["status"] == "ok"
    assert b"7 is on its way" in (result.payload or b"")
    assert recorder.body(agent.turn, -1, "payload") == b"On its way."
    with turnledger.read(str(recorder.path)) as reading:
        assert len(reading.turns()) == 1


@pytest.mark.parametrize("mode", MODES)
def test_where_nothing_can_be_recorded_nothing_is_asked(
    provider: Provider,
    recorder: Recorder,
    mode: str,
    by_gateway: bool,  # noqa: FBT001  a fixture
) -> None:
    agent = Agent(recorder, provider.url, by_gateway=by_gateway)
    provider.otherwise = asks_for_a_tool

    async def main() -> None:
        async with agent.turn:
            with (
                refusing(recorder.path),
                recording(provider.url, by_gateway=by_gateway) as recorded,
            ):
                await agent.turn.commit(await ask(recorded.options(options(provider.url, lookup)), mode))

    with pytest.raises((turnledger.CaptureRefused, ResultError), match=r"could not be recorded|refused"):
        asyncio.run(main())
    assert provider.asked == []
    assert status(recorder, agent.turn) == "refused"


@pytest.mark.parametrize("mode", MODES)
def test_a_tool_that_cannot_be_recorded_does_not_run(
    provider: Provider, recorder: Recorder, mode: str
) -> None:
    ran: list[int] = []

    def count(id: int) -> str:  # noqa: A002
        ran.append(id)
        return ""

    provider.otherwise = asks_for_a_tool
    agent = Agent(recorder, provider.url)
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "TOOL_CALL"):
        agent.run(count, mode)
    assert (ran, len(provider.asked)) == ([], 1)
    assert status(recorder, agent.turn) == "refused"


@pytest.mark.parametrize("lost", ["MODEL_CALL", "TOOL_RESULT"])
def test_of_what_cannot_be_recorded_the_model_is_not_told(
    provider: Provider, recorder: Recorder, lost: str
) -> None:
    closing = refusing(recorder.path, lost)

    def lose(_: int) -> str:
        closing.__enter__()
        return "seven"

    provider.otherwise = asks_for_a_tool
    agent = Agent(recorder, provider.url)
    with pytest.raises((turnledger.CaptureRefused, turnledger.OutcomeUnrecorded)):
        agent.run(lose)
    closing.__exit__(None, None, None)
    assert len(provider.asked) == 1


@pytest.mark.parametrize("mode", ["query", "client"])
def test_without_a_turn_nothing_is_asked(provider: Provider, mode: str) -> None:
    told = asyncio.run(ask(Recording().options(options(provider.url, lookup)), mode))
    assert "No turn is open" in told
    assert provider.asked == []
    with pytest.raises(turnledger.CaptureRefused, match="No turn is open"):
        Recording(gateway="http://127.0.0.1:9").options(ClaudeAgentOptions())


def test_a_tool_that_raises_is_an_error_on_record(provider: Provider, recorder: Recorder) -> None:
    def fail(id: int) -> str:  # noqa: A002
        msg = f"no order {id}"
        raise LookupError(msg)

    provider.otherwise = asks_for_a_tool
    agent = Agent(recorder, provider.url)
    agent.run(fail)
    (result,) = recorder.steps(agent.turn, "TOOL_RESULT")
    assert result.tokens["status"] == "error"
    assert b"no order 7" in (result.payload or b"")


def test_what_came_of_a_tool_that_is_interrupted_is_unknown(provider: Provider, recorder: Recorder) -> None:
    running = asyncio.Event()

    async def hang(_: int) -> str:
        running.set()
        await asyncio.sleep(NEVER_S)
        return ""

    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            made = Recording().options(options(provider.url, hang))
            async with ClaudeSDKClient(made) as client:
                await client.query(QUESTION)
                await running.wait()
                await client.interrupt()
                async for _ in client.receive_response():
                    pass
            await turn.abort(status="cancelled")
        return turn

    provider.otherwise = asks_for_a_tool
    (result,) = recorder.steps(asyncio.run(main()), "TOOL_RESULT")
    assert result.tokens["status"] == "unknown"  # no hook tells of it
    assert len(provider.asked) == 1


@pytest.mark.parametrize(
    ("name", "arguments"), [("look_down", '{"id":7}'), (NAME, '{"id": 7, "pla')], ids=["name", "json"]
)
def test_s06_what_no_tool_takes_is_kept_and_none_runs(
    provider: Provider, recorder: Recorder, name: str, arguments: str
) -> None:
    ran: list[int] = []
    provider.otherwise = asks_for(name, arguments)
    agent = Agent(recorder, provider.url)
    agent.run(lambda id: str(ran.append(id)))  # type: ignore[func-returns-value]  # noqa: A006
    (call,) = tool_calls(recorder.path, agent.turn.id)
    assert (ran, call.tokens["tool"], call.tokens["validated"]) == ([], name, "0")
    assert name != NAME or call.supplied == arguments.encode()
    (result,) = recorder.steps(agent.turn, "TOOL_RESULT")
    assert result.tokens["status"] == "invalid"


def test_a_tool_that_nobody_allowed_is_denied_on_record(provider: Provider, recorder: Recorder) -> None:
    provider.otherwise = asks_for("Bash", '{"command": "curl http://127.0.0.1:9/"}')
    agent = Agent(recorder, provider.url)
    agent.run()
    (result,) = recorder.steps(agent.turn, "TOOL_RESULT")
    assert (result.tokens["tool"], result.tokens["status"]) == ("Bash", "denied")


def test_x03_parallel_tools_keep_their_place(
    provider: Provider,
    recorder: Recorder,
    by_gateway: bool,  # noqa: FBT001  a fixture
) -> None:
    def answer(asked: Asked) -> Reply:
        if b'"tool_result"' in asked.body:
            return anthropic_events("On its way.")
        return two_tools()

    provider.otherwise = answer
    agent = Agent(recorder, provider.url, by_gateway=by_gateway)
    agent.run()
    calls = tool_calls(recorder.path, agent.turn.id)
    assert {call.tokens["ordinal"]: call.payload for call in calls} == {"0": b'{"id":1}', "1": b'{"id":2}'}
    assert len({call.tokens["from"] for call in calls}) == 1
    results = recorder.steps(agent.turn, "TOOL_RESULT")
    assert sorted(b"1 is" in (result.payload or b"") for result in results) == [False, True]


def two_tools() -> Reply:
    """A stream that asks for two."""
    first, second = (anthropic_tool_events(f"call-{n}", NAME, json.dumps({"id": n})) for n in (1, 2))
    block = [piece.replace(b'"index": 0', b'"index": 1') for piece in second.pieces[1:-2]]
    return Reply([*first.pieces[:-2], *block, *first.pieces[-2:]], "text/event-stream")


def test_what_a_subagent_does_is_in_the_same_turn(
    provider: Provider,
    recorder: Recorder,
    by_gateway: bool,  # noqa: FBT001  a fixture
) -> None:
    task = {"description": "looks up", "prompt": "Look it up", "subagent_type": "general-purpose"}

    def answer(asked: Asked) -> Reply:
        if b'"tool_result"' in asked.body:
            return anthropic_events("On its way.")
        if b"Look it up" in asked.body:
            return anthropic_tool_events("call-1", NAME, TEXT)
        return anthropic_tool_events("call-1", "Task", json.dumps(task))

    provider.otherwise = answer
    agent = Agent(recorder, provider.url, by_gateway=by_gateway)
    agent.run()
    calls = tool_calls(recorder.path, agent.turn.id)
    assert [call.tokens["tool"] for call in calls] == ["Agent", NAME]
    results = recorder.steps(agent.turn, "TOOL_RESULT")
    assert {result.tokens["status"] for result in results} == {"ok"}
    sent = recorder.steps(agent.turn, "MODEL_CALL")
    assert len(sent) == len(provider.asked)


def test_two_runs_at_once_stay_apart(provider: Provider, recorder: Recorder) -> None:
    both = threading.Barrier(2)

    def wait(id: int) -> str:  # noqa: A002
        return f"{id} is on its way"

    async def last(id: int) -> str:  # noqa: A002
        await asyncio.to_thread(both.wait, NEVER_S)  # until both run
        return wait(id)

    made = Recording().options(options(provider.url, last))

    async def one() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            await turn.commit(await ask(made, "query"))
        return turn

    async def main() -> list[turnledger.Turn]:
        return list(await asyncio.gather(one(), one()))

    provider.otherwise = asks_for_a_tool
    model = ["MODEL_CALL", "MODEL_RESULT"]
    for turn in asyncio.run(main()):
        assert types(recorder, turn) == [*model, "TOOL_CALL", "TOOL_RESULT", *model]
        assert {one.tokens["status"] for one in recorder.steps(turn, "TOOL_RESULT")} == {"ok"}


def test_prompts_of_one_client_are_in_its_turn_and_in_no_later_one(
    provider: Provider, recorder: Recorder
) -> None:
    async def questions() -> AsyncIterator[dict[str, Any]]:
        yield {"type": "user", "message": {"role": "user", "content": "And now?"}}

    async def main() -> tuple[turnledger.Turn, turnledger.Turn, str]:
        async with recorder.conversation.turn() as turn:
            client = ClaudeSDKClient(Recording().options(options(provider.url, lookup)))
            await client.connect()
            for question in (QUESTION, questions()):
                await client.query(question)
                answer = await answer_of(client.receive_response())
            await turn.commit(answer)
        async with recorder.conversation.turn() as later:
            await client.query("And then?")
            told = await answer_of(client.receive_response())
            await later.commit(reply=False)
        await client.disconnect()
        return turn, later, told

    provider.otherwise = lambda _: anthropic_events("On its way.")
    turn, later, told = asyncio.run(main())
    assert types(recorder, turn) == ["MODEL_CALL", "MODEL_RESULT"] * 2
    assert (types(recorder, later), len(provider.asked)) == ([], 2)
    assert "it has ended" in told


def test_an_error_of_the_provider_is_one_on_record(provider: Provider, recorder: Recorder) -> None:
    def refuse(_: Asked) -> Reply:
        error = {"type": "error", "error": {"type": "invalid_request_error", "message": "no"}}
        return Reply([json.dumps(error).encode()], status=400)

    provider.otherwise = refuse
    agent = Agent(recorder, provider.url)
    with pytest.raises(ResultError):
        agent.run()
    (result,) = recorder.steps(agent.turn, "MODEL_RESULT")
    assert result.tokens["status"] == "error"


@pytest.fixture
def gateway(provider: Provider, recorder: Recorder) -> Iterator[str]:
    """A gateway as the command runs it."""
    upstreams = parse_upstreams([f"anthropic={provider.url}"])
    running = RunningGateway(Gateway(recorder.ledger, upstreams, "gateway"), host="127.0.0.1", port=0)
    thread = threading.Thread(target=running.run)
    thread.start()
    yield f"{running.url}/anthropic"
    running.stop()
    thread.join()


def test_what_passes_a_gateway_elsewhere_is_a_part_of_the_turn(
    provider: Provider, recorder: Recorder, gateway: str
) -> None:
    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            made = Recording(gateway=gateway).options(options("http://127.0.0.1:9", lookup))
            await turn.commit(await ask(made, "query"))
        return turn

    provider.otherwise = asks_for_a_tool
    turn = asyncio.run(main())
    with turnledger.read(str(recorder.path)) as reading:
        parts = [part for part in reading.turns()[::-1] if part.parent == turn.id]
        calls = [
            reading.body(entry.row.event_id)
            for part in parts
            for entry in reading.events(part.id)
            if entry.row.type == "MODEL_CALL"
        ]
    assert calls == [asked.body for asked in provider.asked]


KILLED = """
import asyncio, sys, time
import turnledger
from tests.adapters.apart.test_claude_agent_sdk import ask, options, recording

def lookup(id):
    print("running", flush=True)
    time.sleep(600)

async def main():
    async with turnledger.open(sys.argv[1]).agent("support").conversation("chat:1").turn():
        with recording(sys.argv[2], by_gateway=sys.argv[3] == "True") as recorded:
            await ask(recorded.options(options(sys.argv[2], lookup)), "query")

asyncio.run(main())
"""


@pytest.mark.crash
@pytest.mark.parametrize("at", ["tool", "request"])
def test_what_was_under_way_is_in_doubt(
    provider: Provider,
    ledger_path: Path,
    at: str,
    by_gateway: bool,  # noqa: FBT001  a fixture
) -> None:
    never = threading.Event()
    held = anthropic_reply()
    held.hold = never
    provider.otherwise = asks_for_a_tool if at == "tool" else lambda _: held
    process = started(KILLED, ledger_path, provider.url, by_gateway)
    try:
        assert process.stdout is not None
        if at == "tool":
            assert process.stdout.readline() == "running\n"
        eventually(lambda: bool(provider.asked))
    finally:
        killed(process)
        never.set()
    with turnledger.read(str(ledger_path)) as reading:
        (turn,) = reading.turns()
        events = [entry.row.type for entry in reading.events(turn.id) if entry.row.type != "PROMPT"]
    asked = ["INTAKE", "MODEL_CALL"]
    assert events == (asked if at == "request" else [*asked, "MODEL_RESULT", "TOOL_CALL"])
    if at == "tool":
        (call,) = tool_calls(ledger_path, turn.id)
        assert json.loads(call.payload or b"") == {"id": 7}
