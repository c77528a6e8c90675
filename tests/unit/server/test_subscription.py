"""One reader's place and line: in order without a gap, bounded, and told when something was passed over."""

from __future__ import annotations

import asyncio
from uuid import UUID

import msgspec
import pytest

from turnledger.engine.access import Caller
from turnledger.model.access import Grant, Scope
from turnledger.model.draft import Journal
from turnledger.model.rows import EventRow
from turnledger.model.vocabulary import JournalKind
from turnledger.server.stream_form import Frame
from turnledger.server.subscription import WAITING, Subscription, Topic

AGENT, OTHER, TALK = UUID(int=1), UUID(int=2), UUID(int=3)
CALLER = Caller("token", UUID(int=9), "viewer", Grant(frozenset([Scope.VIEW_AUDIT_LOG])), b"")


def _frame(number: int, agent: UUID = AGENT) -> Frame:
    journal = Journal(JournalKind.CONVERSATION, TALK)
    row = EventRow(
        journal,
        agent,
        TALK,
        number,
        "MESSAGE",
        b"",
        "",
        b"",
        0,
        UUID(int=number),
        number,
        b"{}",
        number * 7,
        (),
    )
    return Frame(row)


def _taken(one: Subscription) -> list[object]:
    found: list[object] = []
    for part in one.take().split(b"\n\n"):
        for line in part.split(b"\n"):
            if line.startswith(b"data: "):
                data = msgspec.json.decode(line[6:])
                found.append(data.get("seq", data.get("reason")))
    return found


@pytest.fixture(params=[Topic(conversation=TALK), Topic()], ids=["conversation", "install"])
def one(request: pytest.FixtureRequest) -> Subscription:
    async def made() -> Subscription:
        return Subscription(request.param, CALLER)

    return asyncio.run(made())


def test_what_comes_before_the_past_is_read_waits(one: Subscription) -> None:
    for number in (3, 4, 5):
        one.offer(_frame(number))
    assert _taken(one) == []
    past = [_frame(number) for number in (2, 3)]
    one.begin(3 if one.by_position else 21, past, None)
    assert _taken(one) == [2, 3, 4, 5]


def test_nothing_comes_twice(one: Subscription) -> None:
    one.begin(0, [], None)
    for number in (1, 2, 2, 1, 3):
        one.offer(_frame(number))
    assert _taken(one) == [1, 2, 3]


def test_a_reader_too_slow_is_told_and_goes_on(one: Subscription) -> None:
    one.begin(0, [], None)
    for number in range(1, WAITING + 5):
        one.offer(_frame(number))
    assert _taken(one) == ["slow_reader", *range(WAITING + 2, WAITING + 5)]


def test_all_readers_share_the_bytes() -> None:
    frame = _frame(1)
    assert frame.bytes(by_position=True) is frame.bytes(by_position=True)
    assert frame.bytes(by_position=True) != frame.bytes(by_position=False)


def test_a_place_that_comes_early_is_looked_for() -> None:
    one = Subscription(Topic(conversation=TALK), CALLER)
    one.begin(0, [], None)
    one.offer(_frame(1))
    one.offer(_frame(3))
    assert (one.must_look, _taken(one)) == (True, [1])
    one.offer(_frame(4))
    one.looked([_frame(2), _frame(3)])
    assert (one.must_look, _taken(one)) == (True, [2, 3])
    one.looked([_frame(4)])
    assert (one.must_look, _taken(one)) == (False, [4])


def test_topics() -> None:
    mine, other = _frame(1).row, _frame(1, OTHER).row
    assert Topic(agents=frozenset([AGENT])).holds(mine)
    assert not Topic(agents=frozenset([AGENT])).holds(other)
    assert Topic().holds(other)
    assert Topic(conversation=TALK).holds(mine)
    assert not Topic(conversation=AGENT).holds(mine)
