"""Turns in every state that the inspector shows, kept in it for as long as the tests look at them."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from uuid import UUID

import turnledger
from tests.console.story import Told, tell_all
from tests.server.kit import REQUEST, RESPONSE
from turnledger.capture.agent import Agent
from turnledger.capture.conversation import Conversation
from turnledger.capture.ledger import Ledger

GONE_S = 0.1
"""Lease of a writer that dies; the shortest there is."""
LIVING_S = 3600.0
HISTORY = [{"role": "user", "content": "Refund order 7."}]
ANSWERED = {"role": "assistant", "content": "Which of the two?"}
CHOSEN = {"role": "user", "content": "The second one."}
SHORTENED = {"role": "user", "content": "(The customer wants a refund.)"}


class Inexpressible:
    """An object that no encoding has words for."""


@contextmanager
def every_state(url: str) -> Generator[Told]:
    """The ledger at ``url`` with one turn in each state; those that run do so until this is left."""
    with turnledger.open(url, lease_s=GONE_S) as dying:
        interrupted = left_behind(dying, "reaped")
    time.sleep(2 * GONE_S)
    with turnledger.open(url, lease_s=LIVING_S) as ledger:
        told = tell_all(ledger)
        agent = ledger.agent("support")
        talk = agent.conversation("mail:refunds", connector="mail", shape="dm")
        told.turns |= {"interrupted": interrupted, "pruned": pruned(url, talk), **odd_bodies(talk)}
        told.turns |= {"calls": several_calls(talk), **decided(talk), **handed_over(ledger, agent)}
        told.turns["bare"] = bare(talk)
        running = talk.turn()
        running.__enter__()
        running.tool_call("slow_report", supplied="{}").__enter__()
        told.turns["running"] = running.id
        with turnledger.open(url, lease_s=GONE_S) as dying:
            told.turns["silent"] = left_behind(dying, "not reaped")
        time.sleep(2 * GONE_S)
        yield told
        running.abort(status="cancelled")


def left_behind(ledger: Ledger, key: str) -> UUID:
    """A turn whose writer is gone: a model call and a tool in doubt, and a tool that was not allowed."""
    turn = ledger.agent("support").conversation(key).turn()
    turn.__enter__()
    turn.model_call(role="primary", model="gpt-5", request=REQUEST).__enter__()
    turn.tool_call("deploy", supplied='{"env": "prod"}').__enter__()
    held = turn.tool_call("wire_money", supplied='{"minor": 100}')
    held.__enter__()
    turn.approval(held, question="May it be wired?").decide("denied", reason="not by a machine")
    return turn.id


def several_calls(talk: Conversation) -> UUID:
    """Three calls of one role: the second adds to the first, the third changed what was said before."""
    with talk.turn() as turn:
        for messages, more in (
            (HISTORY, {}),
            ([*HISTORY, ANSWERED, CHOSEN], {"temperature": 0}),
            ([SHORTENED, CHOSEN], {}),
        ):
            request = {"model": "gpt-5", "messages": messages, **more}
            with turn.model_call(role="primary", request=request) as call:
                call.result({"choices": [{"message": {"role": "assistant", "content": "Done."}}]})
        with turn.model_call(role="title", request={"model": "gpt-5-nano", "messages": HISTORY}) as call:
            call.result({"error": {"message": "slow down"}}, http_status=429, status="error")
        turn.commit("Done.")
    return turn.id


def decided(talk: Conversation) -> dict[str, UUID]:
    """A turn that waits for an approval, one that was denied it, and one that was stopped."""
    with talk.turn() as waiting, waiting.tool_call("refund", supplied='{"order": 7}') as step:
        waiting.approval(step, question="May it be refunded?")
    with talk.turn() as denied:
        with denied.tool_call("refund", supplied='{"order": 8}') as step:
            denied.approval(step, question="And this one?").decide("denied", by="slack:U9", reason="no")
            step.result("not allowed", status="denied")
        denied.commit("No.")
    with talk.turn() as cancelled:
        cancelled.verify("answer-names-the-order", "fail", finding={"missing": ["order"]})
        cancelled.abort("The customer hung up.", code="hangup", status="cancelled")
    return {"waiting": waiting.id, "denied": denied.id, "cancelled": cancelled.id}


def handed_over(ledger: Ledger, agent: Agent) -> dict[str, UUID]:
    """A turn that another agent did a part of."""
    with agent.conversation("mail:hand-over").turn() as parent:
        with ledger.agent("researcher").turn(parent=parent.handoff()) as child:
            child.commit("Found it.")
        parent.commit("Here it is.")
    return {"parent": parent.id, "child": child.id}


def odd_bodies(talk: Conversation) -> dict[str, UUID]:
    """A body that could not be had again as it was, a detail that had to be cut, a reply that is no JSON."""
    with talk.turn() as lossy:
        with lossy.tool_call("look", supplied="{}") as step:
            step.result({"found": Inexpressible()})
        lossy.guard("g" * 250_000, "flag")
        with lossy.model_call(role="primary", request=REQUEST, stream=True) as call:
            call.chunk('data: {"choices": [{"delta": {"content": "half an ans')
        lossy.commit("Half.")
    with talk.turn() as silent:
        silent.commit(reply=False)
    return {"lossy": lossy.id, "wordless": silent.id}


def bare(talk: Conversation) -> UUID:
    """A turn without a step."""
    with talk.turn() as turn:
        turn.commit("Nothing to do.")
    return turn.id


def pruned(url: str, talk: Conversation) -> UUID:
    """A turn whose request and response are gone, as they are after their time."""
    with talk.turn() as turn:
        with turn.model_call(role="primary", request={**REQUEST, "user": "pruned"}) as call:
            call.result(json.dumps(RESPONSE))
        turn.commit("Gone.")
    with closing(sqlite3.connect(url)) as file, file:
        file.execute(
            "UPDATE bodies SET salt = NULL, recipe = NULL WHERE (jid, seq) IN"
            " (SELECT e.jid, e.seq FROM events e JOIN journals j ON j.jid = e.jid"
            " WHERE j.id = ? AND e.type IN ('PROMPT', 'MODEL_CALL', 'MODEL_RESULT'))",
            (turn.id.bytes,),
        )
    return turn.id
