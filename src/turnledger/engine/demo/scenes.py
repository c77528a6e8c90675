"""Short scenes, written for the demo, of what the recorded conversations lack: a desk's ordinary day.

A room in which the agent mostly listens, a refund that a person approves, another that waits for somebody to
decide, and an agent that asks another one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnledger.engine.demo.dialogue import SCENE_MODEL, Dialogue

if TYPE_CHECKING:
    from uuid import UUID

    from turnledger.capture.agent import Agent
    from turnledger.capture.conversation import Conversation
    from turnledger.engine.demo.stage import Stage

__all__ = ["ask_a_colleague", "ask_for_refund", "leave_waiting", "listen_in_a_room", "settle"]

_HOUR_MS: Final = 3_600_000


def listen_in_a_room(stage: Stage) -> None:
    """People talk with each other; of what is written to the agent, little is answered."""
    room = stage.talk("room-orders", "channel", place="demo:room-orders")
    thanks = stage.hear(room, "Thanks Ana, the parcel for B-2040 has arrived!", "ben")
    _let_router_decide(room, "observe")
    thanks.verdict("observe", reason="Ben talks to Ana; nobody asked the agent.", by=SCENE_MODEL)
    robot = stage.hear(room, "Build 4711 passed.", "build-robot")
    robot.verdict("ignore", reason="Robots are not answered.", by="robot-rule")
    wish = stage.hear(room, "@desk tell us when the new lamps are here.", "ana")
    wish.verdict("defer", reason="There is nothing to tell yet.", by="mention-rule")
    late = stage.hear(room, "@desk is the shop open on Sunday?", "ben")
    late.verdict("engage", reason="The agent was mentioned.", by="mention-rule")
    late.shed("stale", age_ms=90 * 60_000, stale_ms=_HOUR_MS)
    crowd = stage.hear(room, "@desk and on Monday?", "ana")
    crowd.verdict("engage", reason="The agent was mentioned.", by="mention-rule")
    crowd.shed("queue_full", age_ms=31_000, stale_ms=_HOUR_MS, depth=12)
    pieces = stage.hear(room, "@desk where is", "ana")
    whole = stage.hear(room, "@desk where is B-2042?", "ana")
    whole.verdict("engage", reason="The agent was mentioned.", by="mention-rule")
    pieces.collapsed(whole)
    with room.turn(trigger=whole, tools=4) as turn:
        model = Dialogue(turn, stage.pace, "where is B-2042?")
        (wanted,) = model.ask(("lookup_order", '{"order": "B-2042"}'))
        model.run(wanted, {"order": "B-2042", "state": "on its way", "arrives": "tomorrow"})
        turn.commit(model.say("B-2042 is on its way and arrives tomorrow, Ana."))


def _let_router_decide(room: Conversation, decision: str) -> None:
    """A small model's call outside of any turn."""
    request = {"model": SCENE_MODEL, "messages": [{"role": "user", "content": "Is the agent meant?"}]}
    message = {"role": "assistant", "content": decision}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    with room.model_call(role="router", request=request) as call:
        call.result({"object": "chat.completion", "model": f"{SCENE_MODEL}-1", "choices": [choice]})


def ask_for_refund(stage: Stage) -> UUID:
    """A refund: guarded, approved by a person, remembered.  Gives the turn."""
    question = "My lamp (order B-2038) came broken. Please refund the 129 EUR."
    desk = stage.talk("dm-cleo", "dm")
    with desk.turn(trigger=stage.asked(desk, question, "cleo"), tools=4) as turn:
        turn.guard("personal-data", "allow", stage="input", finding={"found": []})
        model = Dialogue(turn, stage.pace, question)
        (wanted,) = model.ask(("refund_order", '{"order": "B-2038", "amount_eur": "129" }'))
        turn.guard("refund-limit", "flag", stage="tool", finding={"limit_eur": 100, "asked_eur": 129})
        arguments = {"order": "B-2038", "amount_eur": 129}  # the model wrote the amount as a text
        with turn.tool_call(
            wanted.name, supplied=wanted.supplied, validated=arguments, call_id=wanted.id
        ) as step:
            turn.progress("One moment, a colleague has to approve this.", kind="ack")
            approval = turn.approval(step, question="Refund 129 EUR for order B-2038?")
            stage.pace.wait(4)
            approval.decide("granted", by="demo:dora", reason="The carrier confirmed the damage.")
            step.result({"refund": "R-771", "amount_eur": 129})
        model.told(wanted, {"refund": "R-771", "amount_eur": 129})
        turn.memory_write("customer/cleo", "Had a broken delivery (B-2038), refunded.")
        answer = model.say("I am sorry about the lamp. 129 EUR are on their way back to you (refund R-771).")
        turn.verify("answer-names-the-refund", "pass")
        turn.commit(answer)
    if turn.reply is not None:
        turn.reply.delivery("delivered")
    return turn.id


def leave_waiting(stage: Stage) -> UUID:
    """A refund over which nobody has decided yet.  Gives the turn; see ``settle``."""
    question = "The desk (order B-2047) has a scratch. I would like 240 EUR back."
    desk = stage.talk("dm-eva", "dm")
    with desk.turn(trigger=stage.asked(desk, question, "eva"), tools=4) as turn:
        model = Dialogue(turn, stage.pace, question)
        (wanted,) = model.ask(("refund_order", '{"order": "B-2047", "amount_eur": 240}'))
        with turn.tool_call(wanted.name, supplied=wanted.supplied, call_id=wanted.id) as step:
            turn.approval(step, question="Refund 240 EUR for order B-2047?")
    return turn.id


def settle(agent: Agent, waiting: UUID) -> None:
    """Somebody decides, and the turn that waited is gone on with."""
    with agent.resume(waiting) as turn:
        (approval,) = turn.approvals
        approval.decide("denied", by="demo:dora", reason="There is no scratch on the picture.")
        for step in turn.open_tools:
            with step:
                step.result("A person has refused the refund.", status="denied")
        turn.commit("A colleague has looked at it: we cannot refund the desk. Please send a picture.")


def ask_a_colleague(stage: Stage) -> None:
    """A letter for which the desk's agent asks the warehouse's; both turns are linked."""
    question = "Do you have the blue chair in stock? I would order six."
    letter = stage.talk("mail-gil", "thread", connector="email", place="demo:inbox")
    with letter.turn(trigger=stage.asked(letter, question, "gil"), tools=4) as turn:
        model = Dialogue(turn, stage.pace, question)
        with stage.helper.turn(parent=turn.handoff(), content="How many blue chairs are there?") as part:
            counting = Dialogue(part, stage.pace, "How many blue chairs are there?", system="You count.")
            found = counting.say("There are eleven blue chairs.")
            part.commit(found)
        turn.memory_write("stock/blue-chair", "Eleven on the last look.")
        turn.commit(model.say("Yes: there are eleven blue chairs, so six are no problem."))
    reminder = letter.turn("timer", content="Has Gil ordered?")
    with reminder as turn:
        turn.memory_write("stock/blue-chair", None)
        turn.commit(reply=False)
