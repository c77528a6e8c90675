"""What only LangChain and LangGraph have: models without HTTP, shared connections, other graphs, pauses."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolCall
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, interrupt

import turnledger
from tests.adapters.playing import QUESTION
from tests.adapters.stub import Provider, chat_reply
from tests.adapters.turns import SUPPLIED, lookup_turn, refusing, tool_calls
from turnledger.adapters.langchain import Recording

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

ASKED: Any = {"messages": [HumanMessage(QUESTION)]}
ASK_FOR_TOOL = AIMessage(
    "", tool_calls=[ToolCall(name="lookup", args={"id": 7, "place": "Köln"}, id="call-1")]
)
USAGE = {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12, "input_token_details": {"cache_read": 4}}


def lookup(id: int, place: str) -> str:  # noqa: A002
    """Look an order up."""
    return f"{id} is on its way to {place}"


class Scripted(FakeMessagesListChatModel):
    """Says what it was told to."""

    def bind_tools(self, tools: Sequence[Any], **_: object) -> Any:  # noqa: ANN401, ARG002  as the base does
        return self


def scripted() -> Scripted:
    return Scripted(responses=[ASK_FOR_TOOL, AIMessage("It is on its way.", usage_metadata=USAGE)])


def tool(function: Any = lookup) -> StructuredTool:  # noqa: ANN401
    return StructuredTool.from_function(function, name="lookup", description="Look an order up.")


def on_http(provider: Provider) -> ChatOpenAI:
    return ChatOpenAI(model="gpt-asked", base_url=f"{provider.url}/v1", api_key="x")  # type: ignore[arg-type]


def test_a_model_without_http_is_recorded_by_its_messages(recorder: Recorder) -> None:
    agent = create_agent(scripted(), [tool()], middleware=[Recording()])
    with recorder.conversation.turn() as turn:
        turn.commit(agent.invoke(ASKED)["messages"][-1].text)
    calls = recorder.steps(turn, "MODEL_CALL")
    assert [step.tokens["form"] for step in calls] == ["encoded", "encoded"]
    assert QUESTION.encode() in (calls[0].payload or b"")
    assert b"7 is on its way" in (calls[1].payload or b"")
    first, last = recorder.steps(turn, "MODEL_RESULT")
    assert "in" not in first.tokens
    assert (last.tokens["in"], last.tokens["cacheRead"], last.tokens["out"]) == ("5", "4", "3")


def test_a_model_without_http_is_not_asked_where_nothing_can_be_recorded(recorder: Recorder) -> None:
    model = scripted()
    agent = create_agent(model, [tool()], middleware=[Recording()])
    with (
        pytest.raises(turnledger.CaptureRefused),
        refusing(recorder.path, "MODEL_CALL"),
        recorder.conversation.turn(),
    ):
        agent.invoke(ASKED)
    assert model.i == 0


def test_models_that_share_its_connections_are_not_recorded(provider: Provider, recorder: Recorder) -> None:
    recorded, other = turnledger.record(on_http(provider)), on_http(provider)
    provider.says(chat_reply("other"), chat_reply("recorded"), chat_reply("bound"))
    assert other.invoke(QUESTION).text == "other"
    with recorder.conversation.turn() as turn:
        assert turnledger.record(recorded).invoke(QUESTION).text == "recorded"
        assert recorded.bind_tools([tool()]).invoke(QUESTION).text == "bound"
        turn.commit("done")
    assert len(recorder.steps(turn, "MODEL_CALL")) == 2
    with pytest.raises(turnledger.CaptureRefused):
        recorded.invoke(QUESTION)
    assert len(provider.asked) == 3


def test_a_graph_of_ones_own_records_its_tools(provider: Provider, recorder: Recorder) -> None:
    model, recording = turnledger.record(on_http(provider)).bind_tools([tool()]), Recording()
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([tool()], wrap_tool_call=recording.wrap_tool_call))
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    graph.set_entry_point("model")
    lookup_turn(provider)
    with recorder.conversation.turn() as turn:
        turn.commit(graph.compile().invoke(ASKED)["messages"][-1].text)
    (call,) = tool_calls(recorder.path, turn.id)
    assert (call.supplied, call.tokens["from"]) == (SUPPLIED.encode(), "3")


def test_a_tool_that_asks_somebody_is_two_calls(recorder: Recorder) -> None:
    def ask(id: int, place: str) -> str:  # noqa: A002
        return f"{id} to {place}: {interrupt('May I?')}"

    agent = create_agent(scripted(), [tool(ask)], middleware=[Recording()], checkpointer=InMemorySaver())
    thread: Any = {"configurable": {"thread_id": "1"}}
    with recorder.conversation.turn() as turn:
        assert "__interrupt__" in agent.invoke(ASKED, thread)
        agent.invoke(Command(resume="yes"), thread)
        turn.commit("done")
    paused, done = recorder.steps(turn, "TOOL_RESULT")
    assert (paused.tokens["status"], done.tokens["status"]) == ("cancelled", "ok")
    assert b"May I?" in (paused.payload or b"")
    assert done.payload == "7 to Köln: yes".encode()


@pytest.mark.parametrize("middleware", [[Recording()], []])
def test_a_recorded_async_function_is_awaited_as_a_tool(recorder: Recorder, middleware: list[Any]) -> None:
    @turnledger.tool
    async def lookup(id: int, place: str) -> str:  # noqa: A002
        """Look an order up."""
        await asyncio.sleep(0)
        return f"{id} is on its way to {place}"

    async def main() -> tuple[turnledger.Turn, list[Any]]:
        agent = create_agent(scripted(), [lookup], middleware=middleware)
        async with recorder.conversation.turn() as turn:
            said = await agent.ainvoke(ASKED)
            await turn.commit("done")
        return turn, said["messages"]

    turn, messages = asyncio.run(main())
    assert [one.text for one in messages if one.type == "tool"] == ["7 is on its way to Köln"]
    (result,) = recorder.steps(turn, "TOOL_RESULT")
    assert result.tokens["status"] == "ok"
    assert b"is on its way to" in (result.payload or b"")
