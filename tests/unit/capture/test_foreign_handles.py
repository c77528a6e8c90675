"""A place counts in its own journal only: a handle of another is refused, never recorded as its number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.unit.capture.house import House, opened
from turnledger.capture.conversation import Conversation
from turnledger.capture.message import Message
from turnledger.errors import UsageError


def a_turn(convo: Conversation, message: Message) -> object:
    with convo.turn(trigger=message) as turn:
        return turn.commit("x")


WITH_A_MESSAGE: dict[str, Callable[[Conversation, Message], object]] = {
    "trigger": a_turn,
    "inbound reply_to": lambda convo, message: convo.inbound("x", reply_to=message),
    "outbound reply_to": lambda convo, message: convo.outbound("x", reply_to=message),
    "into": lambda convo, message: convo.inbound("x").collapsed(message),
}


def numbers_of_others(house: House, convo: Conversation) -> list[str]:
    return [one for one in house.types(convo.id) if one in {"TURN_OPENED", "COLLAPSED", "TURN_CLOSED"}]


@pytest.mark.parametrize("use", WITH_A_MESSAGE.values(), ids=WITH_A_MESSAGE)
def test_a_message_of_another_conversation_is_refused(
    house: House, use: Callable[[Conversation, Message], object]
) -> None:
    message = house.agent.conversation("one").inbound("hi")
    strangers = [
        house.agent.conversation("two"),
        house.agent.conversation(),
        house.ledger.agent("other").conversation("one"),
    ]
    for convo in strangers:
        with pytest.raises(UsageError, match="another conversation"):
            use(convo, message)
        assert numbers_of_others(house, convo) == []


@pytest.mark.parametrize("use", WITH_A_MESSAGE.values(), ids=WITH_A_MESSAGE)
def test_a_message_of_another_ledger_is_refused(
    house: House, use: Callable[[Conversation, Message], object]
) -> None:
    with opened() as elsewhere:
        message = elsewhere.agent.conversation("one").inbound("hi")
        with pytest.raises(UsageError, match="another conversation"):
            use(house.agent.conversation("one"), message)


@pytest.mark.parametrize("use", WITH_A_MESSAGE.values(), ids=WITH_A_MESSAGE)
def test_a_message_of_the_same_conversation_is_taken_from_any_handle_of_it(
    house: House, use: Callable[[Conversation, Message], object]
) -> None:
    message = house.agent.conversation("one").inbound("hi")
    use(house.agent.conversation("one"), message)
    house.ledger._core.names._known.clear()
    use(house.ledger.agent("support").conversation("one"), message)


def test_a_message_on_its_way_is_refused_too(house: House) -> None:
    async def main() -> None:
        async with house.agent.conversation("one") as one, house.agent.conversation("two") as two:
            message = one.inbound("hi")
            with pytest.raises(UsageError, match="another conversation"):
                await two.inbound("x", reply_to=message)
            async with one.turn(trigger=message) as turn:
                turn.commit("x")

    asyncio.run(main())


def test_a_turns_answer_can_be_answered(house: House) -> None:
    convo = house.agent.conversation("one")
    with convo.turn(trigger=convo.inbound("hi")) as turn:
        turn.commit("hello")
    assert turn.reply is not None
    convo.inbound("and?", reply_to=turn.reply)


def test_a_step_of_another_turn_is_refused(house: House) -> None:
    convo = house.agent.conversation("one")
    with convo.model_call(request={}) as outside:
        outside.result({})
    with convo.turn() as before:
        prompt = before.prompt("You are terse.")
        with before.model_call(request={}) as call:
            call.result({})
        with before.tool_call("lookup") as tool:
            tool.result(1)
        before.commit("x")
    with convo.turn() as turn:
        for stranger in (outside, call):
            with pytest.raises(UsageError, match="another turn"):
                turn.model_call(request={}, retry_of=stranger)
            with pytest.raises(UsageError, match="another turn"):
                turn.tool_call("lookup", call=stranger)
            with pytest.raises(UsageError, match="another turn"):
                turn.tool("lookup", lambda: 1, validated={}, call=stranger)
        with pytest.raises(UsageError, match="another turn"):
            turn.model_call(request={}, prompt=prompt)
        with pytest.raises(UsageError, match="another turn"):
            turn.approval(tool)
        with pytest.raises(UsageError, match="another turn"):
            convo.model_call(request={}, retry_of=call)
        turn.commit("x")
    assert house.types(turn.id) == ["INTAKE", "COMMIT"]


def test_a_conversations_own_steps_are_taken_from_any_handle_of_it(house: House) -> None:
    with house.agent.conversation("one").model_call(request={}) as call:
        call.result({}, http_status=500)
    with house.agent.conversation("one").model_call(request={}, retry_of=call) as again:
        again.result({})
    assert again.attempt == 2


def test_a_turn_that_was_taken_over_in_the_same_process_knows_its_own(house: House) -> None:
    with house.agent.conversation("one").turn() as turn, turn.tool_call("refund") as step:
        turn.approval(step)
    with house.agent.resume(turn.id) as resumed:
        (approval,) = resumed.approvals
        approval.decide("granted")
        resumed.approval(step, question="Really?").decide("denied")
        resumed.commit("x")
