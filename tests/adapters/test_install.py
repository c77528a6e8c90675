"""``turnledger.install()``: in processes of their own, because it lasts."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import turnledger
from tests.adapters.stub import Provider, Reply, anthropic_reply, chat_reply
from tests.patience import PROGRAM_S

if TYPE_CHECKING:
    from uuid import UUID

ROOT = Path(__file__).parents[2]

START = """
import sys, turnledger
ledger = turnledger.open(sys.argv[1])
convo, url = ledger.agent("support").conversation(), sys.argv[2]
"""
BEFORE = "turnledger.install(); turnledger.install()\n"
MADE = {
    "openai": 'import openai; client = openai.OpenAI(base_url=url + "/v1", api_key="x")',
    "anthropic": 'import anthropic; client = anthropic.Anthropic(base_url=url, api_key="x")',
    "google": """
        from google import genai
        client = genai.Client(api_key="x", http_options={"base_url": url})""",
}
ASKED = {
    "openai": 'client.chat.completions.create(model="m", messages=[])',
    "anthropic": 'client.messages.create(model="m", max_tokens=9, messages=[])',
    "google": 'client.models.generate_content(model="m", contents="Hello")',
}
END = 'turn.commit("done")\nprint(turn.id)'


def answer(sdk: str) -> Reply:
    text = (
        b'{"candidates": [{"content": {"parts": [{"text": "Hi"}], "role": "model"}, "finishReason": "STOP"}]}'
    )
    return {"openai": chat_reply(), "anthropic": anthropic_reply(), "google": Reply([text])}[sdk]


def run(program: str, *arguments: object) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PROGRAM_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def types(ledger: Path, turn: UUID | str) -> list[str]:
    with turnledger.read(str(ledger)) as reading:
        return [entry.row.type for entry in reading.events(turn)]


@pytest.mark.parametrize(
    ("sdk", "order"),
    [
        ("openai", "installed first"),
        ("openai", "imported first"),
        ("anthropic", "installed first"),
        ("google", "installed first"),
    ],
)
def test_clients_are_recorded_whenever_their_sdk_is_imported(
    provider: Provider, ledger_path: Path, sdk: str, order: str
) -> None:
    provider.says(answer(sdk))
    made = textwrap.dedent(MADE[sdk])
    imports, _, rest = made.strip().replace("; ", "\n").partition("\n")
    before = (BEFORE, imports) if order == "installed first" else (imports, BEFORE)
    turn = f"with convo.turn() as turn:\n    {ASKED[sdk]}\n    {END}".replace("\nprint", "\n    print")
    identity = run("\n".join([START, *before, rest, turn]), ledger_path, provider.url)
    assert types(ledger_path, identity.strip())[-3:] == ["MODEL_CALL", "MODEL_RESULT", "COMMIT"]
    assert len(provider.asked) == 1


TWICE = """
import asyncio
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
agent = Agent(OpenAIChatModel("m", provider=OpenAIProvider(base_url=url + "/v1", api_key="x")))
with convo.turn() as turn:
    asyncio.run(agent.run("Hello"))
    asyncio.run(agent.run("Hello"))
    turn.commit("done")
    print(turn.id)
"""


def test_a_framework_may_change_the_connections_of_its_client(provider: Provider, ledger_path: Path) -> None:
    provider.says(chat_reply(), chat_reply())
    identity = run(START + BEFORE + TWICE, ledger_path, provider.url)
    assert types(ledger_path, identity.strip()).count("MODEL_CALL") == len(provider.asked) == 2


SDKS = [
    "agents", "anthropic", "google.genai", "httpx", "httpx2", "langchain", "litellm", "mcp", "openai",
    "pydantic_ai", "smolagents",
]  # fmt: skip


def test_neither_it_nor_any_adapter_imports_an_sdk() -> None:
    program = f"""
import importlib, pkgutil, sys, turnledger, turnledger.adapters
turnledger.install()
for module in pkgutil.iter_modules(turnledger.adapters.__path__, "turnledger.adapters."):
    importlib.import_module(module.name)
print([name for name in {SDKS!r} if name in sys.modules])
"""
    assert run(program) == "[]\n"


def test_a_client_made_before_is_left_as_it_is(provider: Provider, ledger_path: Path) -> None:
    provider.says(chat_reply())
    made = MADE["openai"].replace("; ", "\n")
    run("\n".join([START, made, BEFORE, ASKED["openai"]]), ledger_path, provider.url)
    assert len(provider.asked) == 1
