"""Tools: supplied and validated arguments, who asked, every kind of function."""

# ruff: noqa: PT012  the error has to come out of the step's own with block

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial

import pytest

from tests.unit.capture.house import House
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.turn import Turn
from turnledger.errors import UsageError
from turnledger.query.turn_report import turn_report


def asking(*tools: tuple[str | None, str, str]) -> bytes:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        for call_id, name, text in tools
    ]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    return json.dumps({"id": "r", "object": "chat.completion", "model": "m", "choices": [choice]}).encode()


def ask(turn: Turn, *tools: tuple[str | None, str, str]) -> ModelCallStep:
    with turn.model_call(request={"model": "m", "messages": []}) as call:
        call.result(asking(*tools))
    return call


def test_the_short_form_runs_records_and_gives_back(house: House) -> None:
    with house.agent.turn() as turn:
        ask(turn, ("c1", "lookup", '{"id": 7}'))
        found = turn.tool("lookup", lambda **given: given, supplied='{"id": 7}', call_id="c1")
        turn.commit()
    assert found == {"id": 7}
    tool, result = house.only(turn.id, "TOOL_CALL"), house.only(turn.id, "TOOL_RESULT")
    assert (tool.tokens["from"], tool.tokens["ordinal"], tool.tokens["validated"]) == ("2", "0", "1")
    assert tool.detail["callId"] == "c1"
    assert house.body(tool, "supplied") == b'{"id": 7}'
    assert house.body(tool) == b'{"id":7}'
    assert (result.tokens["status"], result.tokens["call"]) == ("ok", "3")
    assert house.body(result) == b'{"id":7}'


@pytest.mark.parametrize("supplied", ['"list all users"', '{"q": "x",, "force": true}', "[1]", "null"])
def test_d10_arguments_that_are_no_object_are_kept_to_the_letter(house: House, supplied: str) -> None:
    ran: list[object] = []
    with house.agent.turn() as turn:
        with pytest.raises(UsageError, match="no JSON object") as caught:
            turn.tool("search", ran.append, supplied=supplied)
        turn.commit()
    assert not ran
    assert supplied not in str(caught.value)
    tool, result = house.only(turn.id, "TOOL_CALL"), house.only(turn.id, "TOOL_RESULT")
    assert house.body(tool, "supplied") == house.body(tool) == supplied.encode()
    assert (tool.tokens["validated"], result.tokens["status"]) == ("0", "invalid")


def test_d10_a_validator_may_coerce_or_refuse(house: House) -> None:
    with house.agent.turn() as turn:
        got = turn.tool("add", lambda n: n + 1, supplied='{"n": "3", "extra": 1}', validated={"n": 3})
        with turn.tool_call("add", supplied='{"n": "x"}', valid=False) as step:
            step.result([{"loc": ["n"], "msg": "not a number"}], status="invalid")
        turn.commit()
    assert got == 4
    coerced, refused = house.all(turn.id, "TOOL_CALL")
    assert (house.body(coerced, "supplied"), house.body(coerced)) == (b'{"n": "3", "extra": 1}', b'{"n":3}')
    assert (refused.tokens["validated"], house.body(refused)) == ("0", b'{"n": "x"}')
    assert house.all(turn.id, "TOOL_RESULT")[1].tokens["status"] == "invalid"


def test_no_arguments_and_empty_text_are_a_call_without_arguments(house: House) -> None:
    with house.agent.turn() as turn:
        assert turn.tool("now", lambda: 1) == turn.tool("now", lambda: 1, supplied=" ") == 1
        turn.commit()
    assert [entry.tokens["validated"] for entry in house.all(turn.id, "TOOL_CALL")] == ["1", "1"]


def test_a_validated_model_is_given_to_the_tool_as_it_is(house: House) -> None:
    model = object()
    with house.agent.turn() as turn:
        assert turn.tool("t", lambda it: it is model, validated=model) is True
        turn.commit()


def test_o05_ids_that_are_missing_or_repeat_do_not_lose_a_call(house: House) -> None:
    asked = [("", "read", '{"f":"a"}'), ("", "read", '{"f":"b"}'), ("c1", "x", "{}"), ("c1", "y", "{}")]
    with house.agent.turn() as turn:
        call = ask(turn, *asked)
        for request in call.tool_requests:
            turn.tool(request.name, lambda **given: given, supplied=request.supplied, call_id=request.id)
        turn.commit()
    tools = house.all(turn.id, "TOOL_CALL")
    assert [(tool.tokens["tool"], tool.tokens["ordinal"]) for tool in tools] == [
        ("read", "0"),
        ("read", "1"),
        ("x", "2"),
        ("y", "3"),
    ]
    assert [tool.detail.get("callId") for tool in tools] == [None, None, "c1", "c1"]
    assert [house.body(tool) for tool in tools[:2]] == [b'{"f":"a"}', b'{"f":"b"}']
    assert len({tool.row.event_id for tool in tools}) == 4


def test_what_was_asked_for_and_not_run_shows(house: House) -> None:
    with house.agent.turn() as turn:
        ask(turn, ("a", "one", "{}"), ("b", "two", "{}"))
        turn.tool("two", lambda: 2, supplied="{}")
        turn.tool("own_idea", lambda: 3)
        turn.commit()
    tools = house.all(turn.id, "TOOL_CALL")
    assert [(tool.tokens["from"], tool.tokens["ordinal"]) for tool in tools] == [("2", "1"), ("2", "2")]
    (unrun,) = turn_report(house.reading.reader, turn.id).unrun
    assert (unrun.tool, unrun.ordinal) == ("one", 0)


def test_the_asking_call_can_be_named(house: House) -> None:
    with house.agent.turn() as turn:
        first = ask(turn, ("a", "one", "{}"))
        ask(turn, ("b", "two", "{}"))
        turn.tool("one", lambda: 1, supplied="{}", call=first, ordinal=0)
        turn.commit()
    assert house.only(turn.id, "TOOL_CALL").tokens["from"] == "2"


def test_an_async_tool_is_awaited_by_the_caller(house: House) -> None:
    async def double(n: int) -> int:
        await asyncio.sleep(0)
        return 2 * n

    def twice(function: Callable[[int], Awaitable[int]], n: int) -> Awaitable[int]:
        return function(2 * n)

    async def main() -> None:
        async with house.agent.turn() as turn:
            assert await turn.tool("double", double, supplied='{"n": 4}') == 8
            assert await turn.tool("hidden", partial(twice, double), supplied='{"n": 1}') == 4
            with pytest.raises(UsageError):
                await turn.tool("double", double, supplied="4")
            turn.commit()

    asyncio.run(main())
    results = house.all(house.reading.turns()[0].id, "TOOL_RESULT")
    assert [entry.tokens["status"] for entry in results] == ["ok", "ok", "invalid"]
    assert [house.body(entry) for entry in results[:2]] == [b"8", b"4"]


def test_an_async_tool_that_fails_or_is_cancelled(house: House) -> None:
    async def fail() -> None:
        raise ArithmeticError

    async def hang(started: asyncio.Event) -> None:
        started.set()
        await asyncio.sleep(60)

    async def main() -> None:
        started = asyncio.Event()
        async with house.agent.turn() as turn:
            with pytest.raises(ArithmeticError):
                await turn.tool("fail", fail)
            task = asyncio.create_task(turn.tool("hang", hang, validated=started))
            await started.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            turn.commit()

    asyncio.run(main())
    results = house.all(house.reading.turns()[0].id, "TOOL_RESULT")
    assert [entry.tokens["status"] for entry in results] == ["error", "cancelled"]


def test_x04_each_run_of_a_generator_is_one_call_with_all_it_yielded(house: House) -> None:
    async def pages() -> AsyncIterator[int]:
        yield 1
        yield 2

    def lines(n: int) -> Iterator[str]:
        for number in range(n):
            yield f"line {number}"

    async def main() -> None:
        async with house.agent.turn() as turn:
            assert [page async for page in turn.tool("pages", pages)] == [1, 2]
            assert [page async for page in turn.tool("pages", pages)] == [1, 2]
            assert list(turn.tool("lines", lines, supplied='{"n": 2}')) == ["line 0", "line 1"]
            turn.commit()

    asyncio.run(main())
    turn_id = house.reading.turns()[0].id
    assert house.types(turn_id) == ["INTAKE", *(["TOOL_CALL", "TOOL_RESULT"] * 3), "COMMIT"]
    bodies = [house.body(entry) for entry in house.all(turn_id, "TOOL_RESULT")]
    assert bodies == [b"[1,2]", b"[1,2]", b'["line 0","line 1"]']


def test_x04_a_generator_left_early_keeps_what_it_yielded(house: House) -> None:
    def lines() -> Iterator[str]:
        yield "a"
        yield "b"

    def broken() -> Iterator[str]:
        yield "a"
        raise ArithmeticError

    with house.agent.turn() as turn:
        items = turn.tool("lines", lines)
        assert next(iter(items)) == "a"
        items.close()  # type: ignore[attr-defined]
        with pytest.raises(ArithmeticError):
            list(turn.tool("broken", broken))
        turn.commit()
    left, failed = house.all(turn.id, "TOOL_RESULT")
    assert (left.tokens["status"], failed.tokens["status"]) == ("cancelled", "error")
    assert house.body(left) == house.body(failed) == b'["a"]'
    assert b"ArithmeticError" in house.body(failed, "attachment-0")


def test_x03_parallel_tools_keep_the_models_order(house: House) -> None:
    async def main() -> None:
        async with house.agent.turn() as turn:
            with turn.model_call(request={"model": "m", "messages": []}) as call:
                call.result(asking(("a", "t1", "{}"), ("b", "t2", "{}"), ("c", "t3", "{}")))

            on_record = [asyncio.Event() for _ in range(3)]

            async def last_first(place: int) -> int:
                if place < 2:
                    await on_record[place + 1].wait()
                return place

            async def run(place: int) -> None:
                request = call.tool_requests[place]
                await turn.tool(request.name, last_first, validated={"place": place}, ordinal=request.ordinal)
                on_record[place].set()

            async def make_title() -> None:
                async with turn.model_call(role="title", request={"model": "small", "messages": []}) as title:
                    title.result({"title": "x"})

            task = asyncio.create_task(make_title())
            await asyncio.gather(run(2), run(0), run(1))
            await task
            turn.commit()

    asyncio.run(main())
    turn_id = house.reading.turns()[0].id
    tools = {entry.row.seq: entry for entry in house.all(turn_id, "TOOL_CALL")}
    assert {
        (tool.tokens["tool"], tool.tokens["ordinal"], tool.tokens["from"]) for tool in tools.values()
    } == {
        ("t1", "0", "2"),
        ("t2", "1", "2"),
        ("t3", "2", "2"),
    }
    finished = [
        tools[entry.number("call") or 0].tokens["tool"] for entry in house.all(turn_id, "TOOL_RESULT")
    ]
    assert finished == ["t3", "t2", "t1"]
    assert [entry.tokens.get("role") for entry in house.all(turn_id, "MODEL_CALL")] == [None, "title"]


def test_a_timeout_is_a_status_of_its_own(house: House) -> None:
    with house.agent.turn() as turn:
        with pytest.raises(TimeoutError), turn.tool_call("slow"):
            raise TimeoutError
        turn.commit()
    assert house.only(turn.id, "TOOL_RESULT").tokens["status"] == "timeout"


def test_a_result_given_before_an_error_is_the_result(house: House) -> None:
    with house.agent.turn() as turn:
        with pytest.raises(KeyError), turn.tool_call("t") as step:
            step.result({"done": True})
            raise KeyError
        with turn.tool_call("t") as step:
            step.result(1)
            with pytest.raises(UsageError, match="result already"):
                step.result(2)
        turn.commit()
    first = house.all(turn.id, "TOOL_RESULT")[0]
    assert (first.tokens["status"], house.body(first)) == ("ok", b'{"done":true}')


def test_the_idempotency_key_is_the_intents_id(house: House) -> None:
    with house.agent.turn() as turn:
        with turn.tool_call("pay") as step:
            key = step.idempotency_key
            step.result("paid")
        turn.commit()
    assert key == str(house.only(turn.id, "TOOL_CALL").row.event_id)


class Silent:
    """An object that answers nothing."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


class Text(str):
    """Text that will not be encoded."""

    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        raise RuntimeError(encoding, errors)


class Octets(bytes):
    """Bytes that will not be copied."""

    def __bytes__(self) -> bytes:
        raise RuntimeError


@pytest.mark.parametrize(
    ("observation", "body"),
    [
        (Silent(), b'{"$turnledger":"unknown","type":"tests.unit.capture.test_tools.Silent"}'),
        (Text("paid"), b"paid"),
        (Octets(b"\0\xff"), b"\0\xff"),
    ],
    ids=["silent", "text", "octets"],
)
def test_what_a_tool_returned_comes_back_whatever_it_does_when_asked(
    house: House, observation: object, body: bytes
) -> None:
    with house.agent.turn() as turn:
        assert turn.tool("t", lambda: observation) is observation
        turn.commit()
    result = house.only(turn.id, "TOOL_RESULT")
    assert (result.tokens["status"], house.body(result)) == ("ok", body)
