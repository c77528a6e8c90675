"""Every SDK that is recorded, one entry each; what people are told about them is read here.

A new adapter adds its entry, its pin in ``requirements/dev.txt`` and its page in ``docs/sdks``.
"""

from __future__ import annotations

from typing import Final

from turnledger.adapters.described import Adapter, Hook, Part

__all__ = ["ADAPTERS"]

_REQUESTS: Final = Part("requests to models", Hook.TRANSPORT, "its httpx client")

ADAPTERS: Final[tuple[Adapter, ...]] = (
    Adapter(
        name="OpenAI",
        distribution="openai",
        packages=("openai",),
        oldest="2.54",
        newest="3.57.0",
        parts=(_REQUESTS,),
        switch_on=("client = turnledger.record(openai.OpenAI())",),
        by_install=True,
        not_seen=("realtime sessions (a websocket)", "the aiohttp client"),
        page="openai.md",
    ),
    Adapter(
        name="Anthropic",
        distribution="anthropic",
        packages=("anthropic",),
        oldest="2.0",
        newest="2.14.0",
        parts=(_REQUESTS,),
        switch_on=("client = turnledger.record(anthropic.Anthropic())",),
        by_install=True,
        page="anthropic.md",
    ),
    Adapter(
        name="Google Gen AI",
        distribution="google-genai",
        packages=("google.genai",),
        oldest="3.0",
        newest="3.6.1",
        parts=(_REQUESTS,),
        switch_on=("client = turnledger.record(genai.Client())",),
        by_install=True,
        not_seen=("the live API (a websocket)",),
        page="google-genai.md",
    ),
    Adapter(
        name="LiteLLM",
        distribution="litellm",
        packages=("litellm",),
        oldest="1.110",
        newest="1.110.2",
        parts=(_REQUESTS,),
        switch_on=("turnledger.install()  # before it is used for the first time",),
        by_install=True,
        not_seen=("realtime sessions (a websocket)", "SageMaker's SDK"),
        page="litellm.md",
    ),
    Adapter(
        name="Pydantic AI",
        distribution="pydantic-ai-slim",
        packages=("pydantic_ai",),
        oldest="2.62",
        newest="2.68.0",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.WRAPPER, "AbstractCapability.get_wrapper_model"),
            Part("tool runs", Hook.MIDDLEWARE, "AbstractCapability.wrap_tool_execute"),
        ),
        switch_on=(
            "from turnledger.adapters.pydantic_ai import Recording",
            "agent = Agent(…, capabilities=[Recording()])",
        ),
        module="pydantic_ai",
        not_seen=("realtime sessions (a websocket)", "tools that the provider runs"),
        page="pydantic-ai.md",
    ),
    Adapter(
        name="LangChain",
        distribution="langchain",
        packages=("langchain", "langchain_core"),
        oldest="1.5",
        newest="1.5.2",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.MIDDLEWARE, "AgentMiddleware.wrap_model_call"),
            Part("tool runs", Hook.MIDDLEWARE, "AgentMiddleware.wrap_tool_call"),
        ),
        switch_on=(
            "from turnledger.adapters.langchain import Recording",
            "agent = create_agent(…, middleware=[…, Recording()])",
        ),
        module="langchain",
        not_seen=("tools that the provider runs",),
        page="langchain.md",
    ),
    Adapter(
        name="LangGraph",
        distribution="langgraph",
        packages=("langgraph",),
        oldest="1.2.12",
        newest="1.2.24",
        parts=(_REQUESTS, Part("tool runs", Hook.MIDDLEWARE, "ToolNode(wrap_tool_call=…)")),
        switch_on=(
            "from turnledger.adapters.langchain import Recording",
            "model, recording = turnledger.record(model), Recording()",
            "ToolNode(…, wrap_tool_call=recording.wrap_tool_call, awrap_tool_call=recording.awrap_tool_call)",
        ),
        module="langchain",
        not_seen=("nodes of a graph that are functions of your own",),
        page="langchain.md",
    ),
    Adapter(
        name="OpenAI Agents",
        distribution="openai-agents",
        packages=("agents",),
        oldest="0.24",
        newest="0.24.0",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.CALLBACK, "RunHooks.on_llm_start"),
            Part("tool runs", Hook.CALLBACK, "RunHooks.on_tool_start"),
        ),
        switch_on=(
            "from turnledger.adapters.openai_agents import Recording",
            "agents.set_default_openai_client(turnledger.record(openai.AsyncOpenAI()))",
            "agents.Runner.run(…, hooks=Recording())",
        ),
        module="openai_agents",
        not_seen=("tools that the provider runs", "realtime sessions (a websocket)"),
        page="openai-agents.md",
    ),
    Adapter(
        name="Model Context Protocol",
        distribution="mcp",
        packages=("mcp",),
        oldest="2.0",
        newest="2.3.0",
        parts=(
            Part("tool calls of a client", Hook.WRAPPER, "ClientSession.call_tool"),
            Part("tool runs of a server", Hook.MIDDLEWARE, "MCPServer(middleware=…)"),
        ),
        switch_on=(
            "turnledger.record(client)  # in a client",
            "from turnledger.adapters.mcp import Recording  # in a server",
            "server = MCPServer(…, middleware=[Recording(conversation)])",
        ),
        module="mcp",
        not_seen=("resources and prompts",),
        page="mcp.md",
    ),
    Adapter(
        name="Claude Agent SDK",
        distribution="claude-agent-sdk",
        packages=("claude_agent_sdk",),
        oldest="0.2.189",
        newest="0.2.189",
        parts=(
            Part("tool runs", Hook.CALLBACK, "the hooks PreToolUse and PostToolUse"),
            Part("requests to models, with the gateway", Hook.TRANSPORT, "ANTHROPIC_BASE_URL"),
        ),
        switch_on=(
            "from turnledger.adapters.claude_agent_sdk import Recording",
            "options = Recording().options(ClaudeAgentOptions(…))",
        ),
        module="claude_agent_sdk",
        not_seen=("requests to models, without the gateway", "tools that the provider runs"),
        page="claude-agent-sdk.md",
    ),
    Adapter(
        name="Google ADK",
        distribution="google-adk",
        packages=("google.adk",),
        oldest="2.13",
        newest="2.13.0",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.WRAPPER, "BaseLlm.generate_content_async"),
            Part("tool runs", Hook.WRAPPER, "BaseTool.run_async"),
        ),
        switch_on=(
            "from turnledger.adapters.google_adk import Recording",
            "app = App(name=…, root_agent=agent, plugins=[Recording()])",
        ),
        module="google_adk",
        not_seen=("run_live (a websocket)", "tools that the provider runs"),
        page="google-adk.md",
    ),
    Adapter(
        name="Strands Agents",
        distribution="strands-agents",
        packages=("strands",),
        oldest="1.62",
        newest="1.62.0",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.MIDDLEWARE, "InvokeModelStage"),
            Part("tool runs", Hook.MIDDLEWARE, "ExecuteToolStage"),
        ),
        switch_on=(
            "from turnledger.adapters.strands import Recording",
            "agent = Agent(…, plugins=[…, Recording()])",
        ),
        module="strands",
        not_seen=("bidirectional agents (a websocket)",),
        page="strands.md",
    ),
    Adapter(
        name="smolagents",
        distribution="smolagents",
        packages=("smolagents",),
        oldest="1.26",
        newest="1.26.0",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.WRAPPER, "Model.generate"),
            Part("tool runs", Hook.WRAPPER, "Tool.forward"),
        ),
        switch_on=("agent = turnledger.record(agent)",),
        not_seen=("tools that code calls on another machine",),
        page="smolagents.md",
    ),
    Adapter(
        name="CrewAI",
        distribution="crewai",
        packages=("crewai",),
        oldest="1.15.30",
        newest="1.15.30",
        parts=(
            _REQUESTS,
            Part("models without such a client", Hook.WRAPPER, "BaseLLM.call"),
            Part("tool runs", Hook.WRAPPER, "BaseTool._run"),
        ),
        switch_on=("turnledger.install()",),
        by_install=True,
        not_seen=("what an interceptor of a model changes", "agents in other processes (A2A)"),
        page="crewai.md",
    ),
)
