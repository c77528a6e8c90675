"""What only Agent Framework has: the Responses API, middlewares that come later, clients without HTTP."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai
import pytest
from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    FunctionMiddleware,
    Message,
    MiddlewareFailure,
    MiddlewareTermination,
    ResponseStream,
    tool,
)
from agent_framework.exceptions import ChatClientException
from agent_framework.openai import OpenAIChatClient, OpenAIChatCompletionClient

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import (
    Provider,
    Reply,
    chat_events,
    chat_reply,
    responses_events,
    responses_reply,
)
from tests.adapters.turns import ToolCall, chat_tools, refusing, tool_calls
from turnledger.adapters.agent_framework import Recording

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from tests.adapters.conftest import Recorder

SUPPLIED = '{"id":  7}'
CALL = ToolCall("call-1", "lookup", SUPPLIED)
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@tool(approval_mode="never_require")
def lookup(id: int) -> str:  # noqa: A002  as the model names it
    """Look an order up."""
    return f"{id} is on its way"


def asked(
    turn: turnledger.Turn,
    url: str,
    *middleware: Any,  # noqa: ANN401
    kind: Any = OpenAIChatCompletionClient,  # noqa: ANN401
    stream: bool = False,
) -> None:
    """Ask OpenAI's model the question in the turn, which is committed with what it said."""

    async def main() -> None:
        async with (
            openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="x", max_retries=0) as client,
            turn,
        ):
            model = kind(model="gpt-asked", async_client=client)
            agent = Agent(client=model, tools=[lookup], middleware=[*middleware])
            await turn.commit(await said(agent, stream=stream))

    asyncio.run(main())


async def said(agent: Any, *, stream: bool) -> str:  # noqa: ANN401
    if stream:
        return "".join([update.text async for update in agent.run(QUESTION, stream=True)])
    return str((await agent.run(QUESTION)).text)


@STREAMS
def test_the_responses_api_is_recorded(provider: Provider, recorder: Recorder, *, stream: bool) -> None:
    first = responses_reply(tool=CALL)
    provider.says(first if not stream else responses_events("On its way."), responses_reply("On its way."))
    turn = recorder.conversation.turn()
    asked(turn, provider.url, Recording(), kind=OpenAIChatClient, stream=stream)
    assert [step.payload for step in recorder.steps(turn, "MODEL_CALL")] == [
        one.body for one in provider.asked
    ]
    calls = tool_calls(recorder.path, turn.id)
    assert [(call.supplied, call.payload) for call in calls] == (
        [] if stream else [(SUPPLIED.encode(), b'{"id":7}')]
    )


@STREAMS
def test_what_a_provider_refuses_is_on_record_and_comes_out(
    provider: Provider, recorder: Recorder, *, stream: bool
) -> None:
    provider.says(Reply([b'{"error": {"message": "no such model"}}'], status=404))
    turn = recorder.conversation.turn()
    with pytest.raises(ChatClientException, match="no such model"):
        asked(turn, provider.url, Recording(), stream=stream)
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "error"


def test_a_stream_that_breaks_off_is_on_record_as_far_as_it_came(
    provider: Provider, recorder: Recorder
) -> None:
    reply = chat_events("On its ", "way.")
    reply.cut = True
    provider.says(reply)
    turn = recorder.conversation.turn()
    with pytest.raises(ChatClientException):
        asked(turn, provider.url, Recording(), stream=True)
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert b"On its " in (result.payload or b"")
    assert result.tokens["status"] == "error"


@STREAMS
def test_a_refusal_ends_the_run_as_one_of_the_frameworks_own(
    provider: Provider, recorder: Recorder, *, stream: bool
) -> None:
    provider.says(chat_tools(CALL))
    for types in ("MODEL_CALL", "TOOL_CALL"):
        if stream and types == "TOOL_CALL":
            continue
        with (
            pytest.raises(turnledger.CaptureRefused) as refusal,
            refusing(recorder.path, types),
        ):
            asked(recorder.conversation.turn(), provider.url, Recording(), stream=stream)
        assert isinstance(refusal.value, MiddlewareFailure)


# --- others around it ------------------------------------------------------------------------------


class Changing(FunctionMiddleware):
    """Changes what a tool is called with."""

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:  # noqa: ANN401
        context.arguments = {"id": 8}
        await call_next()


class Answering(FunctionMiddleware):
    """Answers in a tool's place."""

    async def process(self, context: Any, call_next: Callable[[], Awaitable[None]]) -> None:  # noqa: ANN401, ARG002
        context.result = "known"
        raise MiddlewareTermination


@pytest.mark.parametrize("order", [(Recording, Changing), (Changing, Recording)])
def test_what_another_middleware_changes_is_recorded_changed(
    provider: Provider, recorder: Recorder, order: Sequence[Callable[[], Any]]
) -> None:
    provider.says(chat_tools(CALL), chat_reply("On its way."))
    turn = recorder.conversation.turn()
    asked(turn, provider.url, *(make() for make in order))
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.payload) == (SUPPLIED.encode(), b'{"id":8}')


def test_a_tool_that_another_middleware_answers_for_has_not_run(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_tools(CALL))
    turn = recorder.conversation.turn()
    asked(turn, provider.url, Recording(), Answering())
    assert tool_calls(recorder.path, turn.id) == []


def test_arguments_that_do_not_fit_are_invalid_on_record(provider: Provider, recorder: Recorder) -> None:
    provider.says(chat_tools(ToolCall("call-1", "lookup", '{"id": "seven"}')), chat_reply("Sorry."))
    turn = recorder.conversation.turn()
    asked(turn, provider.url, Recording())
    (call,) = tool_calls(recorder.path, turn.id)
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert (call.tokens["validated"], call.payload) == ("0", b'{"id": "seven"}')
    assert result.tokens["status"] == "invalid"


def test_a_tool_runs_and_is_recorded_once_somebody_has_approved_it(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_tools(CALL), chat_reply("On its way."))
    asking = tool(name="lookup", approval_mode="always_require")(lookup.func)
    turn = recorder.conversation.turn()

    async def main(client: openai.AsyncOpenAI) -> None:
        model = OpenAIChatCompletionClient(model="gpt-asked", async_client=client)
        agent = Agent(client=model, tools=[asking], middleware=[Recording()])
        session = agent.create_session()
        async with client, turn:
            (request,) = (await agent.run(QUESTION, session=session)).user_input_requests
            assert tool_calls(recorder.path, turn.id) == []
            approval = Message("user", [request.to_function_approval_response(approved=True)])
            await turn.commit((await agent.run(approval, session=session)).text)

    asyncio.run(main(openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="x")))
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.tokens["from"]) == (SUPPLIED.encode(), "3")


def test_an_agent_that_is_a_tool_is_recorded_once(provider: Provider, recorder: Recorder) -> None:
    clerks = ToolCall("call-1", "clerk", '{"task": "order 7"}')
    provider.says(chat_tools(clerks), chat_reply("It moves."), chat_reply("On its way."))
    turn = recorder.conversation.turn()

    async def main(client: openai.AsyncOpenAI) -> None:
        model = OpenAIChatCompletionClient(model="gpt-asked", async_client=client)
        clerk = Agent(client=model, name="clerk", description="knows", middleware=[Recording()])
        agent = Agent(client=model, tools=[clerk.as_tool()], middleware=[Recording()])
        async with client, turn:
            await turn.commit((await agent.run(QUESTION)).text)

    asyncio.run(main(openai.AsyncOpenAI(base_url=f"{provider.url}/v1", api_key="x")))
    assert [step.payload for step in recorder.steps(turn, "MODEL_CALL")] == [
        one.body for one in provider.asked
    ]
    (call,) = tool_calls(recorder.path, turn.id)
    assert call.tokens["tool"] == "clerk"


# --- clients without HTTP ---------------------------------------------------------------------------


class Scripted(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A client without HTTP."""

    model = "scripted"
    asked = 0
    breaks = False

    def _inner_get_response(self, *, stream: bool = False, **_: Any) -> Any:  # noqa: ANN401
        self.asked += 1
        return (
            ResponseStream(self._pieces(), finalizer=ChatResponse.from_updates) if stream else self._whole()
        )

    async def _whole(self) -> ChatResponse:
        usage: Any = {"input_token_count": 9, "output_token_count": 3, "total_token_count": 12}
        return ChatResponse(messages=[Message("assistant", ["On its way."])], usage_details=usage)

    async def _pieces(self) -> AsyncIterator[ChatResponseUpdate]:
        yield ChatResponseUpdate(contents=[Content.from_text("On its ")], role="assistant")
        if self.breaks:
            msg = "gone"
            raise ConnectionError(msg)
        usage: Any = {"input_token_count": 9, "output_token_count": 3, "total_token_count": 12}
        yield ChatResponseUpdate(contents=[Content.from_text("way."), Content.from_usage(usage)])


async def _run_scripted(client: Scripted, turn: turnledger.Turn, *, stream: bool) -> None:
    async with turn:
        agent = Agent(client=client, instructions="Be short.", tools=[lookup], middleware=[Recording()])
        await turn.commit(await said(agent, stream=stream))


@STREAMS
def test_a_client_without_http_is_recorded_by_what_it_is_asked(recorder: Recorder, *, stream: bool) -> None:
    turn = recorder.conversation.turn()
    asyncio.run(_run_scripted(Scripted(), turn, stream=stream))
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["form"], call.tokens["model"]) == ("encoded", "scripted")
    request = call.payload or b""
    assert all(part in request for part in (QUESTION.encode(), b"Be short.", b"Look an order up."))
    assert (result.tokens["in"], result.tokens["out"], result.tokens["status"]) == ("9", "3", "ok")
    assert b"On its " in (result.payload or b"")


@STREAMS
def test_a_client_without_http_is_not_asked_where_nothing_can_be_recorded(
    recorder: Recorder, *, stream: bool
) -> None:
    client = Scripted()
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        asyncio.run(_run_scripted(client, recorder.conversation.turn(), stream=stream))
    assert client.asked == 0


def test_what_came_before_a_stream_broke_is_on_record(recorder: Recorder) -> None:
    client = Scripted()
    client.breaks = True
    turn = recorder.conversation.turn()
    with pytest.raises(ConnectionError, match="gone"):
        asyncio.run(_run_scripted(client, turn, stream=True))
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "error"
    assert b"On its " in (result.payload or b"")


def test_a_stream_that_nobody_reads_on_is_aborted_on_record(recorder: Recorder) -> None:
    turn = recorder.conversation.turn()

    async def main() -> None:
        async with turn:
            agent = Agent(client=Scripted(), middleware=[Recording()])
            stream = agent.run(QUESTION, stream=True)
            async for _ in stream:
                break
            await stream.close()
            await turn.commit("That is enough.")

    asyncio.run(main())
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "aborted"
