"""What only Google's kit has: Gemini, callbacks that come later, copies of tools, models without HTTP."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import TYPE_CHECKING, Any

import httpx
import openai
import pytest
from google import genai
from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.apps import App
from google.adk.integrations.openai import OpenAILlm
from google.adk.models import BaseLlm, FallbackModel, Gemini, LlmResponse
from google.adk.plugins import ReflectAndRetryToolPlugin
from google.adk.runners import InMemoryRunner
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.function_tool import FunctionTool
from google.genai import types

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import Provider, Reply, chat_events, chat_reply, google_events, google_reply
from tests.adapters.turns import ToolCall, chat_tools, refusing, tool_calls
from turnledger.adapters.google_adk import Recording

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from google.adk.plugins.base_plugin import BasePlugin

    from tests.adapters.conftest import Recorder

LIMITS = httpx.Limits(max_keepalive_connections=0)
SUPPLIED = '{"id":  7}'


async def _events(agent: LlmAgent, *plugins: BasePlugin, stream: bool = False) -> list[Any]:
    app = App(name="shop", root_agent=agent, plugins=list(plugins))
    mode = StreamingMode.SSE if stream else StreamingMode.NONE
    async with InMemoryRunner(app=app) as runner:
        session = await runner.session_service.create_session(app_name="shop", user_id="u")
        run = runner.run_async(
            user_id="u",
            session_id=session.id,
            new_message=types.UserContent(QUESTION),
            run_config=RunConfig(streaming_mode=mode),
        )
        return [event async for event in run]


def asked(recorder: Recorder, agent: LlmAgent, *plugins: BasePlugin, stream: bool = False) -> turnledger.Turn:
    """Ask the question in a turn, which is committed with what was said."""

    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            events = await _events(agent, *(plugins or (Recording(),)), stream=stream)
            await turn.commit("".join(part.text or "" for part in events[-1].content.parts))
        return turn

    return asyncio.run(main())


def openai_model(url: str, max_retries: int = 2) -> OpenAILlm:
    http: Any = httpx.AsyncClient(limits=LIMITS)
    client = openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="x", http_client=http, max_retries=max_retries)
    return OpenAILlm(model="gpt-asked", client=client)


def gemini_model(url: str) -> Gemini:
    options = types.HttpOptions(base_url=url, async_client_args={"limits": LIMITS})
    return Gemini(model="gemini-asked", client=genai.Client(api_key="x", http_options=options))


def lookup(id: int) -> str:  # noqa: A002  as the model names it
    """Look an order up."""
    return f"{id} is on its way"


def google_tools(call_id: str | None) -> Reply:
    """Gemini asks for the tool, with an id or none."""
    said = {} if call_id is None else {"id": call_id}
    body = json.loads(b"".join(google_reply().pieces))
    call = {**said, "name": "lookup", "args": "ARGS"}
    body["candidates"][0]["content"]["parts"] = [{"functionCall": call}]
    return Reply([json.dumps(body).replace('"ARGS"', SUPPLIED).encode()])


@pytest.mark.parametrize("call_id", ["call-1", None])
def test_gemini_is_recorded_by_its_own_client(
    provider: Provider, recorder: Recorder, call_id: str | None
) -> None:
    provider.says(google_tools(call_id), google_reply("On its way."))
    agent = LlmAgent(name="support", model=gemini_model(provider.url), tools=[lookup])
    turn = asked(recorder, agent)
    calls = recorder.steps(turn, "MODEL_CALL")
    assert [step.payload for step in calls] == [one.body for one in provider.asked]
    assert {step.tokens["form"] for step in calls} == {"wire"}
    assert {step.tokens["model"] for step in calls} == {"gemini-asked"}
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.tokens["tool"], call.tokens["from"], call.payload) == ("lookup", "3", b'{"id":7}')
    assert call.supplied == (None if call_id is None else SUPPLIED.encode())
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert (result.tokens["status"], result.payload) == ("ok", b"7 is on its way")


def test_gemini_that_streams_is_recorded_as_it_came(provider: Provider, recorder: Recorder) -> None:
    provider.says(google_events("On its ", "way."))
    turn = asked(recorder, LlmAgent(name="support", model=gemini_model(provider.url)), stream=True)
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert (result.tokens["status"], result.tokens["in"]) == ("ok", "20")
    assert b'"way."' in (result.payload or b"")


def test_gemini_is_not_asked_where_nothing_can_be_recorded(provider: Provider, recorder: Recorder) -> None:
    agent = LlmAgent(name="support", model=gemini_model(provider.url))
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        asked(recorder, agent)
    assert provider.asked == []


def test_what_a_provider_refuses_is_on_record_and_comes_out(provider: Provider, recorder: Recorder) -> None:
    provider.says(Reply([b'{"error": {"message": "no such model"}}'], status=404))
    agent = LlmAgent(name="support", model=openai_model(provider.url))
    turn = recorder.conversation.turn()

    async def main() -> None:
        async with turn:
            await _events(agent, Recording())

    with pytest.raises(openai.NotFoundError):
        asyncio.run(main())
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert result.tokens["status"] == "error"


def test_a_stream_that_breaks_off_is_on_record_as_far_as_it_came(
    provider: Provider, recorder: Recorder
) -> None:
    reply = chat_events("On its ", "way.")
    reply.cut = True
    provider.says(reply)
    agent = LlmAgent(name="support", model=openai_model(provider.url, max_retries=0))
    turn = recorder.conversation.turn()

    async def main() -> None:
        async with turn:
            await _events(agent, Recording(), stream=True)

    with pytest.raises(httpx.RemoteProtocolError):
        asyncio.run(main())
    (result,) = recorder.steps(turn, "MODEL_RESULT")
    assert b"On its " in (result.payload or b"")
    assert result.tokens["status"] == "error"


# --- others around it ------------------------------------------------------------------------------


def test_what_an_agents_own_callback_changes_is_recorded_changed(
    provider: Provider, recorder: Recorder
) -> None:
    def change(tool: Any, args: dict[str, Any], tool_context: Any) -> None:  # noqa: ANN401, ARG001  by name
        args["id"] = 8

    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)), chat_reply("On its way."))
    model = openai_model(provider.url)
    agent = LlmAgent(name="support", model=model, tools=[lookup], before_tool_callback=change)
    turn = asked(recorder, agent)
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.payload) == (SUPPLIED.encode(), b'{"id":8}')


def test_a_tool_that_a_callback_answers_for_has_not_run(provider: Provider, recorder: Recorder) -> None:
    def answer(tool: Any, args: dict[str, Any], tool_context: Any) -> dict[str, str]:  # noqa: ANN401, ARG001
        return {"state": "known"}

    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)), chat_reply("On its way."))
    model = openai_model(provider.url)
    agent = LlmAgent(name="support", model=model, tools=[lookup], before_tool_callback=answer)
    assert tool_calls(recorder.path, asked(recorder, agent).id) == []


def test_a_tool_that_was_copied_is_recorded_as_itself(provider: Provider, recorder: Recorder) -> None:
    tool = FunctionTool(lookup)
    for name in ("lookup", "again"):
        provider.says(chat_tools(ToolCall("call-1", name, SUPPLIED)), chat_reply("On its way."))
        agent = LlmAgent(name="support", model=openai_model(provider.url), tools=[tool])
        (call,) = tool_calls(recorder.path, asked(recorder, agent).id)
        assert call.tokens["tool"] == name
        tool = copy.copy(tool)
        tool.name = tool._get_declaration().name = "again"
        tool._get_declaration = _named(tool, "again")


def _named(tool: FunctionTool, name: str) -> Any:  # noqa: ANN401
    declaration = type(tool)._get_declaration(tool)
    assert declaration is not None
    declaration.name = name
    return lambda: declaration


def test_a_model_is_recorded_once_however_often_it_is_used(provider: Provider, recorder: Recorder) -> None:
    model = openai_model(provider.url)
    for _ in range(2):
        provider.says(chat_reply("On its way."))
        turn = asked(recorder, LlmAgent(name="support", model=model))
        assert [step.type for step in recorder.steps(turn, "MODEL_CALL")] == ["MODEL_CALL"]


@pytest.mark.filterwarnings("ignore:.*FALLBACK_MODEL is enabled")
def test_each_model_that_is_asked_in_place_of_another_is_recorded(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(Reply([b"{}"], status=503), chat_reply("On its way."))
    models = [openai_model(provider.url, max_retries=0), openai_model(provider.url)]
    turn = asked(recorder, LlmAgent(name="support", model=FallbackModel(models=models)))
    results = recorder.steps(turn, "MODEL_RESULT")
    assert [result.tokens["status"] for result in results] == ["error", "ok"]
    assert [step.payload for step in recorder.steps(turn, "MODEL_CALL")] == [
        one.body for one in provider.asked
    ]


@pytest.mark.filterwarnings("ignore:The `plugins` argument")  # which the kit itself gives
def test_an_agent_that_is_a_tool_is_recorded_with_what_it_asks(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(
        chat_tools(ToolCall("call-1", "clerk", '{"request": "order 7"}')),
        chat_tools(ToolCall("call-2", "lookup", SUPPLIED)),
        chat_reply("It moves."),
        chat_reply("On its way."),
    )
    model = openai_model(provider.url)
    clerk = LlmAgent(name="clerk", model=model, tools=[lookup])
    turn = asked(recorder, LlmAgent(name="support", model=model, tools=[AgentTool(clerk)]))
    assert len(recorder.steps(turn, "MODEL_CALL")) == 4
    assert [call.tokens["tool"] for call in tool_calls(recorder.path, turn.id)] == ["clerk", "lookup"]


def test_a_refusal_that_a_plugin_makes_an_answer_of_refuses_the_next_request(
    provider: Provider, recorder: Recorder
) -> None:
    provider.says(chat_tools(ToolCall("call-1", "lookup", SUPPLIED)))
    agent = LlmAgent(name="support", model=openai_model(provider.url), tools=[lookup])
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "TOOL_CALL"):
        asked(recorder, agent, ReflectAndRetryToolPlugin(), Recording())
    assert len(provider.asked) == 1


# --- models without a client that is known ------------------------------------------------------------


class Scripted(BaseLlm):
    """A model without HTTP."""

    model: str = "scripted"
    asked: int = 0

    async def generate_content_async(
        self,
        llm_request: Any,  # noqa: ANN401, ARG002
        stream: bool = False,  # noqa: FBT001, FBT002
    ) -> AsyncIterator[LlmResponse]:
        self.asked += 1
        for word in ("On its ", "way.") if stream else ():
            yield LlmResponse(content=types.ModelContent(word), partial=True)
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=9, candidates_token_count=3, total_token_count=12
        )
        yield LlmResponse(content=types.ModelContent("On its way."), usage_metadata=usage)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_a_model_without_http_is_recorded_by_what_it_is_asked(recorder: Recorder, *, stream: bool) -> None:
    config = types.GenerateContentConfig(
        http_options=types.HttpOptions(headers={"authorization": "sk-secret"})
    )
    agent = LlmAgent(
        name="support", model=Scripted(), instruction="Be short.", generate_content_config=config
    )
    turn = asked(recorder, agent, stream=stream)
    call, result = recorder.steps(turn, "MODEL_CALL", "MODEL_RESULT")
    assert (call.tokens["form"], call.tokens["model"]) == ("encoded", "scripted")
    request = call.payload or b""
    assert QUESTION.encode() in request
    assert b"Be short." in request
    assert b"sk-secret" not in request
    assert (result.tokens["in"], result.tokens["out"], result.tokens["status"]) == ("9", "3", "ok")
    assert b"On its way." in (result.payload or b"")


def test_a_model_without_http_is_not_asked_where_nothing_can_be_recorded(recorder: Recorder) -> None:
    model = Scripted()
    with pytest.raises(turnledger.CaptureRefused), refusing(recorder.path, "MODEL_CALL"):
        asked(recorder, LlmAgent(name="support", model=model))
    assert model.asked == 0
