"""Functions that are recorded as tools."""

from __future__ import annotations

import asyncio
import enum
import functools
import inspect
import json
import re
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, Protocol, TypedDict

import pytest
from pydantic import BaseModel

import turnledger

if TYPE_CHECKING:
    from tests.adapters.conftest import Recorder

ran: list[object] = []


class Address(BaseModel):
    street: str
    number: int


@turnledger.tool
def look_up(order: int, *, detail: Literal["short", "long"] = "short") -> dict[str, object]:
    """Find an order."""
    ran.append((order, detail))
    return {"order": order, "status": "shipped"}


@turnledger.tool(name="ship")
def send_off(to: Address) -> str:
    return f"{to.street} {to.number}"


@turnledger.tool
async def wait_for(order: int) -> str:
    await asyncio.sleep(0)
    return f"waited for {order}"


@turnledger.tool
def count_to(last: int) -> Iterator[int]:
    yield from range(1, last + 1)


@turnledger.tool
async def count_async(last: int) -> AsyncIterator[int]:
    for number in range(1, last + 1):
        yield number


@turnledger.tool
def fail(reason: str) -> None:
    raise LookupError(reason)


class Desk:
    def __init__(self, name: str) -> None:
        self.name = name

    @turnledger.tool
    def greet(self, who: str) -> str:
        return f"{self.name} greets {who}"


@pytest.fixture(autouse=True)
def _fresh() -> None:
    ran.clear()


def test_what_was_supplied_and_what_it_became_are_on_record(recorder: Recorder) -> None:
    text = '{"order":  "7"}'
    with recorder.conversation.turn() as turn:
        assert look_up.call(text, call_id="c1") == {"order": 7, "status": "shipped"}
        turn.commit("done")
    call, result = recorder.steps(turn)
    assert (call.tokens["tool"], call.tokens["validated"], call.payload) == ("look_up", "1", b'{"order":7}')
    assert recorder.body(turn, 1, "supplied") == text.encode()
    assert (result.tokens["status"], result.payload) == ("ok", b'{"order":7,"status":"shipped"}')
    assert ran == [(7, "short")]


def test_called_like_any_function(recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn:
        assert look_up(7, detail="long") == {"order": 7, "status": "shipped"}
        turn.commit("done")
    assert recorder.steps(turn)[0].payload == b'{"detail":"long","order":7}'
    assert (look_up.__name__, look_up.__doc__) == ("look_up", "Find an order.")
    assert str(inspect.signature(look_up)).startswith("(order: 'int'")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"order": "seven"}', "order does not fit"),
        ('{"order": 7, "detail": "all"}', "detail does not fit"),
        ("{}", "it needs order"),
        ('{"order": 7, "colour": "red"}', "it takes no colour"),
        ('{"order": 7', "no JSON object"),
        ("[7]", "no JSON object"),
    ],
)
def test_d10_arguments_that_do_not_fit_are_on_record_and_not_run(
    recorder: Recorder, text: str, problem: str
) -> None:
    with recorder.conversation.turn() as turn:
        with pytest.raises(turnledger.UsageError, match=problem):
            look_up.call(text)
        turn.commit("done")
    call, result = recorder.steps(turn)
    assert (call.tokens["validated"], call.payload) == ("0", text.encode())
    assert result.tokens["status"] == "invalid"
    assert ran == []


def test_a_model_of_pydantic_is_made_and_recorded(recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn:
        assert send_off.call('{"to": {"street": "Rue Haute", "number": "3"}}') == "Rue Haute 3"
        with pytest.raises(turnledger.UsageError, match="to does not fit"):
            send_off.call('{"to": {"street": "Rue Haute"}}')
        turn.commit("done")
    first, *_ = recorder.steps(turn, "TOOL_CALL")
    assert (first.tokens["tool"], first.payload is not None) == ("ship", True)


def test_what_a_tool_raises_is_its_result_and_goes_on(recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn:
        with pytest.raises(LookupError, match="gone"):
            fail("gone")
        turn.commit("done")
    assert recorder.steps(turn)[1].tokens["status"] == "error"


def test_generators_and_coroutines_stay_what_they_are(recorder: Recorder) -> None:
    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            assert await wait_for(4) == "waited for 4"
            assert [number async for number in count_async(2)] == [1, 2]
            await turn.commit("done")
        return turn

    first = asyncio.run(main())
    assert [step.payload for step in recorder.steps(first, "TOOL_RESULT")] == [b"waited for 4", b"[1,2]"]
    with recorder.conversation.turn() as second:
        assert list(count_to(3)) == [1, 2, 3]
        second.commit("done")
    assert recorder.steps(second)[1].payload == b"[1,2,3]"


def test_a_method_is_a_tool_of_its_object(recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn:
        assert Desk("Nora").greet("Ida") == "Nora greets Ida"
        turn.commit("done")
    assert recorder.steps(turn)[0].payload == b'{"who":"Ida"}'


def test_x03_parallel_calls_answer_their_own_requests(recorder: Recorder) -> None:
    asked = {
        "choices": [
            {
                "message": {
                    "role": "assistant",
                    "tool_calls": [
                        {
                            "id": f"c{n}",
                            "type": "function",
                            "function": {"name": "look_up", "arguments": "{}"},
                        }
                        for n in range(6)
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ]
    }
    with recorder.conversation.turn() as turn:
        with turn.model_call(request={"messages": []}) as call:
            call.result(asked)
        with turnledger.PropagatingThreadPool(6) as pool:
            runs = [
                pool.submit(look_up.call, f'{{"order": {n}}}', call_id=f"c{n}") for n in reversed(range(6))
            ]
            assert [run.result()["order"] for run in runs] == [5, 4, 3, 2, 1, 0]
        turn.commit("done")
    calls = recorder.steps(turn, "TOOL_CALL")
    assert {step.tokens["ordinal"]: step.payload for step in calls} == {
        str(n): f'{{"order":{n}}}'.encode() for n in range(6)
    }


def test_x02_without_a_turn_it_does_not_run(recorder: Recorder) -> None:
    with recorder.conversation.turn() as turn:
        with ThreadPoolExecutor(1) as pool, pytest.raises(turnledger.CaptureRefused, match="No turn is open"):
            pool.submit(look_up, 7).result()
        turn.commit("done")
    with pytest.raises(turnledger.CaptureRefused):
        look_up(7)
    assert ran == []


def test_parameters_without_a_name_are_refused_at_once() -> None:
    with pytest.raises(turnledger.UsageError, match="no name"):
        turnledger.tool(lambda *orders: orders)


def test_inspect_and_asyncio_see_the_kind_of_the_function() -> None:
    for made in (wait_for, turnledger.tool(name="later")(functools.partial(wait_for.function, 4))):
        assert inspect.iscoroutinefunction(made)
        assert asyncio.iscoroutinefunction(made)
    assert inspect.isgeneratorfunction(count_to)
    assert inspect.isasyncgenfunction(count_async)
    for kind in (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction):
        assert not kind(look_up)


@turnledger.tool
def echo(first: str) -> Generator[str, str, str]:
    said = first
    while said != "end":
        try:
            said = yield said
        except LookupError as error:
            said = f"caught {error}"
    return "over"


@turnledger.tool
async def echo_async(first: str) -> AsyncGenerator[str, str]:
    said = first
    while said != "end":
        try:
            said = yield said
        except LookupError as error:
            said = f"caught {error}"


def test_what_is_sent_and_thrown_reaches_a_generator_and_its_return_value_comes_back(
    recorder: Recorder,
) -> None:
    with recorder.conversation.turn() as turn:
        talk = echo("a")
        assert [next(talk), talk.send("b"), talk.throw(LookupError("c"))] == ["a", "b", "caught c"]
        with pytest.raises(StopIteration) as end:
            talk.send("end")
        assert end.value.value == "over"
        turn.commit("done")
    result = recorder.steps(turn)[1]
    assert (result.tokens["status"], result.payload) == ("ok", b'["a","b","caught c"]')


def test_what_is_sent_and_thrown_reaches_an_async_generator(recorder: Recorder) -> None:
    async def main() -> turnledger.Turn:
        async with recorder.conversation.turn() as turn:
            talk = echo_async("a")
            heard = [await anext(talk), await talk.asend("b"), await talk.athrow(LookupError("c"))]
            assert heard == ["a", "b", "caught c"]
            with pytest.raises(StopAsyncIteration):
                await talk.asend("end")
            await turn.commit("done")
        return turn

    result = recorder.steps(asyncio.run(main()))[1]
    assert (result.tokens["status"], result.payload) == ("ok", b'["a","b","caught c"]')


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(NamedTuple):
    x: int
    y: int


class Order(TypedDict):
    id: int


class Shelf(dict[str, int]):
    """A dict of one's own."""


class Named(Protocol):
    name: str


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Colour, Colour.RED),
        (list[Colour], [Colour.RED]),
        (Colour | None, Colour.BLUE),
        (Colour | None, None),
        (dict[str, Colour], {"a": Colour.RED}),
        (list, [1]),
        (list[int], [1]),
        (dict, {"a": 1}),
        (dict[str, int], Shelf(a=1)),
        (Mapping[str, int], Shelf(a=1)),
        (set[int], {1}),
        (Order, {"id": 7, "more": 1}),
        (tuple[int, int], Point(1, 2)),
        (tuple[int, ...], Point(1, 2)),
        (Point, Point(1, 2)),
        (bytes | bytearray, bytearray(b"x")),
        (Sequence[Order], [{"id": 7}]),
        (Counter[str], Counter("aab")),
        (Annotated[list[int], "of ids"], [1]),
        (Callable[[int], int], abs),
        (type[Desk], Desk),
        (Iterator[int], iter([1])),
        (Address, Address(street="Rue Haute", number=3)),
        (list[Address], [Address(street="Rue Haute", number=3)]),
        (Named, Desk("Nora")),
    ],
)
def test_a_direct_call_gets_the_very_objects_that_it_is_given(
    recorder: Recorder, hint: object, value: object
) -> None:
    def take(given: object) -> None:
        ran.append(given)

    take.__annotations__ = {"given": hint}
    with recorder.conversation.turn() as turn:
        turnledger.tool(take)(value)
        turn.commit("done")
    assert ran[0] is value
    assert recorder.steps(turn)[0].tokens["validated"] == "1"


def test_a_direct_call_takes_the_default_whatever_the_hint_says(recorder: Recorder) -> None:
    def plain(given: Any = None, size: Any = "1000 m") -> object:  # noqa: ANN401  hints follow
        return given, size

    plain.__annotations__ = {"given": int, "size": int}
    take = turnledger.tool(plain)
    with recorder.conversation.turn() as turn:
        assert take(None, "1000 " + "m") == (None, "1000 m")
        assert take(given=7) == (7, "1000 m")
        with pytest.raises(turnledger.UsageError, match="size does not fit"):
            take(size="1001 m")
        turn.commit("done")


@pytest.mark.parametrize(
    ("hint", "value", "problem"),
    [
        (int, "seven", "given does not fit: int is needed, str was given"),
        (int | None, [], "given does not fit: int or null is needed, list was given"),
        (str, None, "given does not fit: str is needed, null was given"),
        (Literal["a", "b"], "c", "given does not fit: one of 'a', 'b' is needed, str was given"),
        (Colour, "green", "given does not fit: one of 'red', 'blue' is needed, str was given"),
        (list[int], ["x"], "given does not fit: list[int] is needed, list was given (Expected `int`, got"),
        (Address, 3, "given does not fit: Address is needed, int was given"),
        (Annotated[list[int], "of ids"], 1, "given does not fit: list[int] is needed"),
        (dict[str, tuple[int, ...]], 3, "given does not fit: dict[str, tuple[int, …]] is needed"),
    ],
)
def test_d10_what_does_not_fit_is_told_in_a_models_words(
    recorder: Recorder, hint: object, value: object, problem: str
) -> None:
    def take(given: object) -> None:
        ran.append(given)

    take.__annotations__ = {"given": hint}
    made = turnledger.tool(take)
    with recorder.conversation.turn() as turn:
        with pytest.raises(turnledger.UsageError, match=re.escape(problem)):
            made(value)
        with pytest.raises(turnledger.UsageError, match=re.escape(problem)):
            made.call(json.dumps({"given": value}))
        turn.commit("done")
    assert ran == []


def test_the_text_of_a_model_becomes_what_the_hint_says(recorder: Recorder) -> None:
    @turnledger.tool
    def take(colours: list[Colour], at: tuple[int, int]) -> None:
        ran.append((colours, at))

    with recorder.conversation.turn() as turn:
        take.call('{"colours": ["red"], "at": [1, "2"]}')
        with pytest.raises(turnledger.UsageError, match="colours does not fit"):
            take.call('{"colours": "red", "at": [1, 2]}')
        turn.commit("done")
    assert ran == [([Colour.RED], (1, 2))]


def test_what_a_direct_call_changes_is_the_callers_and_the_record_says_what_was_given(
    recorder: Recorder,
) -> None:
    @turnledger.tool
    def add(items: list[int], totals: dict[str, int]) -> None:
        items.append(2)
        totals["all"] = 3

    items, totals = [1], Shelf()
    with recorder.conversation.turn() as turn:
        add(items, totals)
        turn.commit("done")
    assert (items, totals) == ([1, 2], {"all": 3})
    assert recorder.steps(turn)[0].payload == b'{"items":[1],"totals":{}}'


@pytest.mark.parametrize(
    ("thing", "problem"),
    [(5, "a int is no function"), (functools.partial(json.dumps), "a partial has no name")],
)
def test_what_cannot_be_a_tool_is_told_so(thing: Any, problem: str) -> None:  # noqa: ANN401
    with pytest.raises(turnledger.UsageError, match=problem) as refused:
        turnledger.tool(thing)
    assert "@turnledger.tool(name=" in refused.value.next_step
    if callable(thing):
        assert turnledger.tool(name="say")(thing).name == "say"
    else:
        with pytest.raises(turnledger.UsageError, match=problem):
            turnledger.tool(name="say")(thing)
