"""Every Python example in docs/ runs, top to bottom, as one program for each page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import turnledger
from tests.adapters.stub import Asked, Reply, any_answer, running
from tests.adapters.turns import ToolCall, chat_tool_events, chat_tools
from tests.apart import APART, ENVIRONMENT
from tests.patience import PROGRAM_S
from turnledger.adapters.registry import ADAPTERS
from turnledger.integrity.verdict import Verdict
from turnledger.query.verify import verify_ledger

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
APART_PAGES = {
    DOCS / "sdks" / one.page: APART[one.distribution] for one in ADAPTERS if one.distribution in APART
}
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if EXAMPLE.search(page.read_text()) and APART_PAGES.get(page, "here") == ENVIRONMENT
)

WARNINGS = ["-W", "error"]
if ENVIRONMENT == "crewai":  # which warns of itself
    WARNINGS += ["-W", "ignore::ImportWarning", "-W", "ignore::DeprecationWarning"]

THE_READERS_OWN = """
request = {"model": "gpt-5.2", "messages": [{"role": "user", "content": "Where is my order?"}]}
asked = {"id": "c1", "type": "function", "function": {"name": "lookup_order", "arguments": '{"id": 7}'}}
reply = {"role": "assistant", "content": None, "tool_calls": [asked]}

def send(request):
    choice = {"index": 0, "message": reply, "finish_reason": "tool_calls"}
    return {"object": "chat.completion", "choices": [choice]}

async def send_async(request):
    return send(request)

def lookup_order(id):
    return {"id": id, "state": "on its way"}

async def lookup_async(id):
    return lookup_order(id)

def charge(cents, idempotency_key):
    return {"charged": cents}

def refund(order):
    return {"refunded": order}

"""


def program(page: Path) -> str:
    """The page with everything blank that is no example, so that a traceback names its lines."""
    text = page.read_text()
    kept = [""] * (text.count("\n") + 1)
    for example in EXAMPLE.finditer(text):
        first = text.count("\n", 0, example.start(1))
        for number, line in enumerate(example[1].splitlines(), start=first):
            kept[number] = line
    return "\n".join(kept)


def run_page(page: Path, ledger: Path) -> None:
    start = f"exec(compile({THE_READERS_OWN!r}, 'the reader', 'exec'))\n"
    code = f"{start}exec(compile({program(page)!r}, {str(page)!r}, 'exec'))"
    with running() as provider:
        provider.otherwise = answer
        environment = os.environ | {
            "TURNLEDGER_URL": str(ledger),
            "OPENAI_BASE_URL": f"{provider.url}/v1",
            "OPENAI_API_KEY": "none",
            "ANTHROPIC_BASE_URL": provider.url,
            "ANTHROPIC_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": provider.url,
            "GOOGLE_API_KEY": "none",
            "OPENAI_AGENTS_DISABLE_TRACING": "1",
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "CLAUDE_CONFIG_DIR": str(ledger.parent / "claude"),
            "CREWAI_DISABLE_TELEMETRY": "true",
            "CREWAI_TESTING": "true",
            "XDG_DATA_HOME": str(ledger.parent),
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }
        done = subprocess.run(
            [sys.executable, *WARNINGS, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PROGRAM_S,
            check=False,
        )
    assert done.returncode == 0, done.stderr


def answer(asked: Asked) -> Reply:
    """What a provider says to an example."""
    path = asked.path.partition("?")[0]
    is_chat = path.endswith("/completions")
    if is_chat and asked.json.get("tools") and asked.json["messages"][-1]["role"] == "user":
        tools = chat_tool_events if asked.json.get("stream") else chat_tools
        return tools(ToolCall("call-1", "lookup_order", '{"order": 7}'))
    return any_answer(asked)


@pytest.mark.beside
def test_there_are_pages_with_examples() -> None:
    assert DOCS / "recording.md" in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_a_page_run(page: Path, ledger_path: Path) -> None:
    run_page(page, ledger_path)


@pytest.mark.beside
def test_what_the_recording_page_does_is_on_record(ledger_path: Path) -> None:
    run_page(DOCS / "recording.md", ledger_path)
    with turnledger.read(ledger_path) as reading:
        turns = reading.turns(limit=100)
        assert Counter(turn.status for turn in turns) == {"completed": 11, "cancelled": 1}
        assert {finding.verdict for finding in verify_ledger(reading.reader)} == {Verdict.INTACT}
        seen = {entry.row.type for turn in turns for entry in reading.events(turn.id)}
        assert seen >= {
            "GUARD",
            "PROMPT",
            "PROGRESS",
            "MEMORY_WRITE",
            "VERIFY",
            "BUDGET",
            "APPROVAL",
            "ABORT",
        }
