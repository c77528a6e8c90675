"""The public surface as the contract writes it, to the letter."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import turnledger
from turnledger.model.vocabulary import TurnStatus


def lookup_order(id: int) -> dict[str, object]:  # noqa: A002  a tool's argument
    return {"id": id, "state": "shipped"}


def send(request: object) -> object:
    usage = {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    return {"object": "chat.completion", "choices": [], "usage": usage, "echo": request}


def test_the_example_of_the_contract(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TURNLEDGER_URL", str(ledger_path))
    request = {"model": "gpt-5.2", "messages": [{"role": "user", "content": "Where is my order?"}]}
    text = '{"id": 7}'
    reply_text = "It is on its way."

    ledger = turnledger.open()
    agent = ledger.agent("support")
    convo = agent.conversation("slack:C042/1712.33", connector="slack", shape="thread", place="C042")
    msg = convo.inbound("Where is my order?", actor="slack:U7")
    msg.verdict("engage", reason="direct mention")

    with convo.turn(trigger=msg) as turn:
        order = turn.tool("lookup_order", lookup_order, supplied='{"id": 7}')
        with turn.model_call(role="primary", model="gpt-5.2", request=request) as call:
            call.result(send(request))
        with turn.tool_call(
            "lookup_order", supplied=text, validated={"id": 7}, ordinal=0, call_id="c1"
        ) as step:
            step.result(lookup_order(id=7))
        turn.commit(reply_text)
    ledger.close()

    assert order == {"id": 7, "state": "shipped"}
    with turnledger.read() as reading:
        (row,) = reading.turns("support")
        assert (row.status, row.tool_calls, row.model_calls, row.tokens_in) == (TurnStatus.COMPLETED, 2, 1, 5)
        page = reading.timeline(row.conversation)
        assert [entry.row.type for entry in page.entries] == [
            *("OPENED", "MESSAGE", "VERDICT", "TURN_OPENED", "INTAKE"),
            *("TOOL_CALL", "TOOL_RESULT", "MODEL_CALL", "MODEL_RESULT", "TOOL_CALL", "TOOL_RESULT"),
            *("COMMIT", "TURN_CLOSED", "MESSAGE"),
        ]
        assert [each.key for each in reading.conversations("support")] == ["slack:C042/1712.33"]
        assert reading.body(page.entries[-1].row.event_id) == b"It is on its way."


def test_async_with_is_the_same_code(ledger_path: Path) -> None:
    async def main() -> None:
        ledger = turnledger.open(ledger_path)
        convo = ledger.agent("support").conversation("c")
        msg = convo.inbound("Where is my order?", actor="slack:U7")
        msg.verdict("engage", reason="direct mention")
        async with convo.turn(trigger=msg) as turn:
            order = turn.tool("lookup_order", lookup_order, supplied='{"id": 7}')
            async with turn.model_call(role="primary", request={"messages": []}) as call:
                call.result(send({}))
            turn.commit(f"It is {order['state']}.")
        ledger.close()

    asyncio.run(main())
    with turnledger.read(ledger_path) as reading:
        assert reading.turns()[0].status is TurnStatus.COMPLETED
