"""Limits that stand in ``Annotated``: what breaks one is on record and is not run, however it is given."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NewType, NotRequired, TypedDict

import annotated_types as at
import msgspec
import pydantic
import pytest

import turnledger

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.adapters.conftest import Recorder
    from turnledger.adapters.tool import Tool

Positive = Annotated[int, at.Gt(0)]
Count = NewType("Count", Positive)


@dataclass
class Line:
    amount: Annotated[int, at.Ge(1)]


class Place(NamedTuple):
    floor: Annotated[int, at.Lt(10)]


class Wish(TypedDict):
    many: NotRequired[Annotated[int, msgspec.Meta(le=3)]]


class Even(at.Gt):
    """A limit of a user's own, made of one that is known."""


MOMENT = datetime(2026, 11, 30)  # noqa: DTZ001  without a zone, which is the point
CASES: list[tuple[Any, Any, Any, str]] = [
    (Positive, 1, 0, "greater than 0"),
    (Annotated[int, Even(0)], 1, 0, "greater than 0"),
    (Annotated[int, at.Ge(1)], 1, 0, "at least 1"),
    (Annotated[float, at.Lt(1)], 0.5, 1.0, "less than 1"),
    (Annotated[int, at.Le(1)], 1, 2, "at most 1"),
    (Annotated[int, at.Interval(ge=1, lt=5)], 4, 5, "less than 5"),
    (Annotated[int, at.MultipleOf(5)], 10, 11, "a multiple of 5"),
    (Annotated[float, at.MultipleOf(0.5)], 1.5, 1.25, "a multiple of 0.5"),
    (Annotated[str, at.MinLen(2)], "ab", "a", "a length of at least 2"),
    (Annotated[list[int], at.Len(1, 2)], [1], [1, 2, 3], "a length of at most 2"),
    (Annotated[str, at.Predicate(str.islower)], "ab", "AB", "such that islower holds"),
    (at.LowerCase[str], "ab", "AB", "such that islower holds"),
    (Annotated[int, msgspec.Meta(gt=0)], 1, 0, "greater than 0"),
    (Annotated[int, msgspec.Meta(ge=0, lt=9)], 0, 9, "less than 9"),
    (Annotated[str, msgspec.Meta(pattern="^[a-z]+$")], "abc", "a1", "is found in it"),
    (Annotated[str, msgspec.Meta(min_length=1, max_length=2)], "a", "", "a length of at least 1"),
    (Annotated[int, pydantic.Field(gt=0, description="how many")], 1, 0, "greater than 0"),
    (Annotated[str, pydantic.Field(pattern="^a")], "ab", "ba", "is found in it"),
    (Annotated[str, pydantic.StringConstraints(max_length=2)], "ab", "abc", "a length of at most 2"),
    (pydantic.PositiveInt, 1, 0, "greater than 0"),
    (Annotated[Annotated[int, at.Gt(0)], at.Lt(9)], 8, 0, "greater than 0"),
    (Count, 1, 0, "greater than 0"),
    (Positive | None, None, 0, "greater than 0"),
    (Annotated[int | None, at.Gt(0)], None, 0, "greater than 0"),
    (Positive | str, "word", 0, "greater than 0"),
    (Positive | Annotated[int, at.Lt(-9)], -10, -5, "greater than 0"),
    (list[Positive], [1, 2], [1, 0], "[1] has to be greater than 0"),
    (dict[str, Positive], {"a": 1}, {"a": 0}, "[…] has to be greater than 0"),
    (dict[Annotated[str, at.MinLen(1)], int], {"a": 1}, {"": 1}, "'s key has to be of a length"),
    (tuple[int, Positive], [0, 1], [0, 0], "[1] has to be greater than 0"),
    (tuple[Positive, ...], [1], [1, 0], "[1] has to be greater than 0"),
    (Line, {"amount": 1}, {"amount": 0}, ".amount has to be at least 1"),
    (list[Line], [{"amount": 1}], [{"amount": 0}], "[0].amount has to be at least 1"),
    (Place, [9], [10], ".floor has to be less than 10"),
    (Wish, {"many": 3}, {"many": 4}, "Wish is needed"),
]

GIVEN: list[tuple[Any, Any, Any, str]] = [
    *(case for case in CASES if not isinstance(case[1], list | dict) or case[0] is list[Positive]),
    (tuple[int, Positive], (0, 1), (0, 0), "[1] has to be greater than 0"),
    (Line, Line(1), Line(0), ".amount has to be at least 1"),
    (Place, Place(9), Place(10), ".floor has to be less than 10"),
    (Wish, {"many": 3}, {"many": 4}, ".many has to be at most 3"),
    (Annotated[float, at.Gt(0)], 1.0, float("nan"), "greater than 0"),
    (Annotated[datetime, at.Timezone(None)], MOMENT, MOMENT.replace(tzinfo=UTC), "without a time zone"),
    (Annotated[datetime, at.Timezone(...)], MOMENT.replace(tzinfo=UTC), MOMENT, "with a time zone"),
    (Annotated[datetime, msgspec.Meta(tz=True)], MOMENT.replace(tzinfo=UTC), MOMENT, "with a time zone"),
    (Annotated[object, at.Gt(0)], 1, "one", "greater than 0"),
]


def names(cases: list[tuple[Any, Any, Any, str]]) -> list[str]:
    return [f"{place}: {case[3]}" for place, case in enumerate(cases)]


def a_tool(hint: Any) -> tuple[Tool[..., None], list[object]]:  # noqa: ANN401
    ran: list[object] = []

    def take(given: object) -> None:
        ran.append(given)

    take.__annotations__ = {"given": hint}
    return turnledger.tool(take), ran


def refused(recorder: Recorder, call: Callable[[], object]) -> str:
    """What a call is refused with, on record as invalid."""
    with recorder.conversation.turn() as turn:
        with pytest.raises(turnledger.UsageError) as caught:
            call()
        turn.commit("done")
    intent, result = recorder.steps(turn)
    assert (intent.tokens["validated"], result.tokens["status"]) == ("0", "invalid")
    return str(caught.value)


@pytest.mark.parametrize(("hint", "within", "beyond", "problem"), CASES, ids=names(CASES))
def test_d10_what_a_model_writes_beyond_a_limit_is_not_run(
    recorder: Recorder, hint: object, within: object, beyond: object, problem: str
) -> None:
    made, ran = a_tool(hint)
    assert problem in refused(recorder, lambda: made.call(json.dumps({"given": beyond})))
    assert ran == []
    with recorder.conversation.turn() as turn:
        made.call(json.dumps({"given": within}))
        turn.commit("done")
    assert len(ran) == 1


@pytest.mark.parametrize(("hint", "within", "beyond", "problem"), GIVEN, ids=names(GIVEN))
def test_d10_what_a_program_gives_beyond_a_limit_is_not_run(
    recorder: Recorder, hint: object, within: object, beyond: object, problem: str
) -> None:
    made, ran = a_tool(hint)
    assert problem in refused(recorder, lambda: made(beyond))
    with recorder.conversation.turn() as turn:
        made(within)
        turn.commit("done")
    assert len(ran) == 1
    assert ran[0] is within


def test_a_value_is_not_told(recorder: Recorder) -> None:
    made, _ = a_tool(Annotated[str, at.MaxLen(3)])
    assert "secret" not in refused(recorder, lambda: made("secret"))


def test_what_contains_itself_is_looked_through_once(recorder: Recorder) -> None:
    @dataclass
    class Node:
        number: Annotated[int, at.Gt(0)]
        next: Any = None

    Node.__annotations__["next"] = Node
    node = Node(1)
    node.next = node
    made, ran = a_tool(Node)
    with recorder.conversation.turn() as turn:
        made(node)
        turn.commit("done")
    assert ran == [node]


@pytest.mark.parametrize(
    "limit", [at.Timezone("Europe/Brussels"), pydantic.AfterValidator(abs), pydantic.Field(max_digits=3)]
)
def test_a_limit_that_cannot_be_checked_is_said_once(caplog: pytest.LogCaptureFixture, limit: object) -> None:
    a_tool(Annotated[Any, limit])
    (said,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert "Tool 'take' does not check the limit of its parameter 'given'" in said


def test_what_is_no_limit_is_not_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    for one in ("of ids", at.doc("of ids"), pydantic.Field(description="of ids"), msgspec.Meta(title="ids")):
        a_tool(Annotated[int, one])
    assert caplog.records == []
