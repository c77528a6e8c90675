"""``turnledger doctor --adapters``."""

from __future__ import annotations

import json

import pytest

from tests.cli.kit import run
from turnledger.adapters.registry import ADAPTERS
from turnledger.cli import adapters_view


def install(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    """Only these are installed."""
    monkeypatch.setattr(adapters_view, "installed_version", versions.get)


def test_an_installed_sdk_is_told_with_its_hooks_and_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, openai="3.57.0", langchain="1.5.1")
    shown = run("doctor", "--adapters")
    assert shown.status == 0
    assert "openai 3.57.0  recorded (tested 2.54 to 3.57.0)" in shown.lines
    assert "  switch on  client = turnledger.record(openai.OpenAI())" in shown.lines
    assert "langchain 1.5.1  recorded (tested 1.5 to 1.5.2)" in shown.lines
    (tools,) = [line for line in shown.lines if "tool runs" in line]
    assert tools.split(None, 1)[1].split("  ", 1)[0] == "tool runs"
    assert "write_ahead, else refused  middleware: AgentMiddleware.wrap_tool_call" in tools
    assert "turnledger.install(), for every client of openai" in shown.out
    (absent,) = [line for line in shown.lines if line.startswith("absent")]
    assert "anthropic" in absent
    assert "openai," not in absent


def test_without_any_it_teaches_how_to_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch)
    shown = run("doctor", "--adapters")
    assert shown.status == 0
    assert shown.lines[0] == "No SDK that is recorded is installed here."
    assert "pip install openai" in shown.out
    for words in ("@turnledger.tool", "turn.model_call", "turnledger gateway", "outside is refused"):
        assert words in shown.out


def test_a_release_that_is_too_old_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, openai="2.9")
    shown = run("doctor", "--adapters")
    assert shown.status == 1
    assert "openai 2.9  too old to be recorded: upgrade it (tested 2.54 to 3.57.0)" in shown.lines


def test_a_newer_release_is_not_called_tested(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, openai="99.0")
    shown = run("doctor", "--adapters")
    assert shown.status == 0
    assert shown.lines[0].startswith("openai 99.0  newer than tested")


def test_as_json_every_adapter_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, openai="2.9", mcp="2.3.0")
    shown = run("doctor", "--adapters", "--json")
    told = json.loads(shown.out)
    assert (shown.status, told["ok"]) == (1, False)
    by_name = {one["distribution"]: one for one in told["adapters"]}
    assert by_name.keys() == {adapter.distribution for adapter in ADAPTERS}
    assert (by_name["openai"]["installed"], by_name["openai"]["support"]) == ("2.9", "older")
    assert (by_name["anthropic"]["installed"], by_name["anthropic"]["support"]) == (None, None)
    assert by_name["mcp"]["tested"] == {"oldest": "2.0", "newest": "2.3.0"}
    assert by_name["openai"]["records"] == [
        {
            "what": "requests to models",
            "hook": "transport",
            "at": "its httpx client",
            "assurance": "write_ahead",
            "refuses": True,
        }
    ]
    assert by_name["openai"]["byInstall"] is True


def test_what_concerns_a_ledger_is_wrong_with_it() -> None:
    assert run("doctor", "--adapters", "--rebuild").status == 2
