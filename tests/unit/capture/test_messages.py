"""Conversations and messages: opened once, told apart by outside names, every fate recorded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.unit.capture.house import House
from turnledger.errors import CaptureRefused, GrammarError, UsageError
from turnledger.model.draft import AliasKind
from turnledger.model.vocabulary import InboundVerdict


def test_a_conversation_is_opened_once_whoever_comes_first(house: House) -> None:
    barrier = threading.Barrier(8)
    shared = house.agent.conversation()

    def say(number: int) -> tuple[object, object]:
        mine = house.agent.conversation("slack:C1")
        barrier.wait()
        mine.inbound(f"from {number}")
        shared.inbound(f"from {number}")
        return mine.id, shared.id

    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(say, range(8)))
    assert len(ids) == 1
    assert sorted(row.messages for row in house.reading.conversations()) == [8, 8]
    for conversation in house.reading.conversations():
        assert house.types(conversation.id) == ["OPENED", *(["MESSAGE"] * 8)]


def test_the_same_key_is_the_same_conversation_in_another_process(house: House) -> None:
    first = house.agent.conversation("slack:C1", connector="slack", shape="channel", place="C1")
    first.inbound("hi")
    house.ledger._core.names._known.clear()
    assert house.agent.conversation("slack:C1").id == first.id
    assert house.ledger.agent("other").conversation("slack:C1").id != first.id
    (row,) = house.reading.conversations("support")
    assert (row.key, row.connector, row.place) == ("slack:C1", "slack", "C1")


def test_o01_a_message_delivered_twice_is_one_message(house: House) -> None:
    convo = house.agent.conversation("c")
    first = convo.inbound("hi", external_id="ev-1")
    again = convo.inbound("hi", external_id="ev-1")
    assert (first.is_duplicate, again.is_duplicate) == (False, True)
    assert (again.seq, again.event_id) == (first.seq, first.event_id)
    again.verdict("ignore", reason="had it before")
    assert house.types(convo.id) == ["OPENED", "MESSAGE", "VERDICT"]


def test_every_fate_of_a_message(house: House) -> None:
    convo = house.agent.conversation("c")
    first, second, third = (convo.inbound(text, actor="U") for text in ("a", "b", "c"))
    second.collapsed(into=first)
    third.shed("stale", age_ms=9000, stale_ms=5000, depth=3)
    convo.shed("shutting_down", collapsed=2)
    convo.inbound("d").verdict("defer")
    with convo.turn(first) as turn:
        turn.commit()
    convo.outbound("reminder", reply_to=first, actor="bot")
    assert house.only(turn.id, "INTAKE").tokens["collapsed"] == "1"
    assert house.only(convo.id, "COLLAPSED").tokens["into"] == str(first.seq)
    sheds = house.all(convo.id, "SHED")
    assert [shed.tokens.get("message") for shed in sheds] == [str(third.seq), None]
    assert (sheds[0].tokens["ageMs"], sheds[1].tokens["collapsed"]) == ("9000", "2")
    messages = house.reading.reader.messages(convo.id, -1, 10)
    assert messages[3].verdict is InboundVerdict.DEFER
    assert messages[4].actor_name == "bot"
    assert house.all(convo.id, "MESSAGE")[4].tokens["replyTo"] == str(first.seq)


def test_a_message_may_be_any_value(house: House) -> None:
    convo = house.agent.conversation()
    convo.inbound({"blocks": [1]})
    convo.inbound(b"\xff\xfe")
    convo.inbound("ein \ud83d halbes")
    value, raw, text = house.all(convo.id, "MESSAGE")
    assert (house.body(value), house.body(raw)) == (b'{"blocks":[1]}', b"\xff\xfe")
    assert house.body(text) == b"ein \\ud83d halbes"
    assert (text.detail["lossy"], text.tokens["chars"]) == (True, "12")


def test_memory_entries_have_revisions(house: House) -> None:
    convo = house.agent.conversation()
    for content in ({"tier": "gold"}, {"tier": "lead"}, None):
        convo.memory_write("customer/7", content)
    house.ledger._core.names._known.clear()
    convo.memory_write("customer/7", "again", op="create")
    rows = house.reading.reader.memory(house.agent.id, None, None, 10)
    assert [(row.revision, str(row.op.value), row.key) for row in rows] == [
        (4, "create", "customer/7"),
        (3, "delete", "customer/7"),
        (2, "update", "customer/7"),
        (1, "create", "customer/7"),
    ]


@pytest.mark.parametrize("name", ["", "a\0b", "\ud83d", "x" * 70_000])
def test_names_that_a_ledger_cannot_keep_are_refused_and_nobody_else_is_harmed(
    house: House, name: str
) -> None:
    with pytest.raises(GrammarError):
        house.ledger.agent(name)
    with pytest.raises(GrammarError):
        house.agent.conversation(name)
    with pytest.raises(GrammarError):
        house.agent.conversation(place=name)
    convo = house.agent.conversation()
    for say in (
        lambda: convo.inbound("x", actor=name),
        lambda: convo.inbound("x", external_id=name),
        lambda: convo.memory_write(name, 1),
    ):
        with pytest.raises(GrammarError):
            say()
    convo.inbound("still here", actor="a" * 6000)


def test_words_outside_the_vocabularies_are_refused(house: House) -> None:
    msg = house.agent.conversation().inbound("x")
    with pytest.raises(UsageError, match="Use one of: defer, engage, ignore, observe"):
        msg.verdict("maybe")
    with pytest.raises(UsageError, match="'bored' is no shed reason"):
        msg.shed("bored")
    with pytest.raises(UsageError):
        house.agent.conversation(shape="circle")
    with pytest.raises(GrammarError):
        house.agent.conversation(connector="two words")


def test_a_message_the_ledger_cannot_find_again_is_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    convo = house.agent.conversation()
    convo.inbound("x", external_id="1")
    monkeypatch.setattr(house.sink, "event", lambda _: None)
    with pytest.raises(CaptureRefused, match="external id"):
        convo.inbound("x", external_id="1")


def test_names_remembered_are_bounded(house: House) -> None:
    names = house.ledger._core.names
    agent = house.agent.id
    for number in range(5000):
        names.remember(AliasKind.ACTOR, agent, f"U{number}", agent)
    assert len(names._known) <= 4096


def test_in_an_async_conversation_nothing_blocks_and_order_holds(house: House) -> None:
    async def main() -> None:
        async with house.agent.conversation("c") as convo:
            first = convo.inbound("a", actor="U1")
            second = await convo.inbound("b", actor="U1", external_id="2")
            first.verdict("ignore")
            second.collapsed(into=first)
            receipt = convo.guard("g", "allow")
            assert (await receipt).seq > second.seq
            async with convo.turn(first) as turn:
                turn.commit("x")

    asyncio.run(main())
    conversation = house.reading.conversations()[0].id
    assert sorted(house.types(conversation)) == sorted(
        [
            "OPENED",
            "MESSAGE",
            "MESSAGE",
            "VERDICT",
            "COLLAPSED",
            "GUARD",
            "TURN_OPENED",
            "TURN_CLOSED",
            "MESSAGE",
        ]
    )


def test_a_failure_that_nobody_awaited_is_raised_when_the_conversation_is_left(house: House) -> None:
    async def main() -> None:
        async with house.agent.conversation("c") as convo:
            house.fail_on("GUARD")
            convo.guard("g", "allow")

    with pytest.raises(CaptureRefused):
        asyncio.run(main())


def test_a_name_that_is_no_text_is_refused_by_what_it_names(house: House) -> None:
    number: Any = 4711
    convo = house.agent.conversation("k")
    uses: dict[str, Callable[[], object]] = {
        "actor": lambda: convo.inbound("hi", actor=number),
        "agent": lambda: house.ledger.agent(number),
        "external id": lambda: convo.inbound("hi", external_id=number),
        "connector": lambda: house.agent.conversation("k2", connector=number),
        "model": lambda: convo.model_call(model=number, request={}),
        "guard": lambda: convo.guard(number, "allow"),
    }
    for what, use in uses.items():
        with pytest.raises(GrammarError, match=f"The {what} .*int"):
            use()
    assert house.reading.turns() == []
