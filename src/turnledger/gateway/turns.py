"""Which turn a request is recorded in: one of its own, or one that is open in this process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

import httpx2

from turnledger.adapters.exchange import step_of
from turnledger.capture.context import enter
from turnledger.errors import CaptureRefused
from turnledger.gateway import log
from turnledger.gateway.headers import own_words
from turnledger.gateway.proxy import Proxy, Scope, tell

if TYPE_CHECKING:
    from turnledger.capture.ledger import Ledger
    from turnledger.capture.turn import Turn
    from turnledger.gateway.reply import Reply
    from turnledger.gateway.upstreams import Target

__all__ = ["Gateway", "TurnGateway"]


class Gateway(Proxy):
    """A request to a model is a turn of its own.

    It is in the conversation that the header ``turnledger-conversation`` names (else one for each upstream),
    of the agent in ``turnledger-agent``.  ``turnledger-parent`` takes the ``handoff()`` of a turn that it is
    a part of.
    """

    def __init__(self, ledger: Ledger, upstreams: Mapping[str, str], agent: str) -> None:
        super().__init__(upstreams)
        self._ledger = ledger
        self._agent = agent

    async def _record(self, scope: Scope, target: Target, request: httpx2.Request, reply: Reply) -> None:
        turn = self._turn(scope, target)
        try:
            async with turn:
                try:
                    response = await self._ask(request, reply)
                except asyncio.CancelledError:
                    if not reply.has_reader:
                        await turn.abort(code="client_left", status="cancelled")
                    raise
                await _end(turn, response)
        except httpx2.HTTPError as error:
            await tell(target, error, reply, turn)
        except asyncio.CancelledError as error:
            say = log.stopped if reply.has_reader else log.client_left
            say(target.upstream, turn, error)
            raise

    def _turn(self, scope: Scope, target: Target) -> Turn:
        words = own_words(scope["headers"])
        agent = self._ledger.agent(words.get("agent", self._agent))
        parent = words.get("parent")
        if parent is not None:
            return agent.turn(parent=parent)
        key = words.get("conversation", f"gateway:{target.upstream}")
        return agent.conversation(key, connector="gateway").turn()


async def _end(turn: Turn, response: httpx2.Response) -> None:
    """The turn ends as its one call did."""
    step = step_of(response.extensions)
    error = None if step is None else step.error
    said = None if error is None else error.message
    if response.is_error:
        await turn.abort(said, code=f"http_{response.status_code}")
    elif error is not None:
        await turn.abort(said, code=error.type or error.code or "provider_error")
    else:
        await turn.commit(None if step is None else step.reply.text, reply=False)


class TurnGateway(Proxy):
    """A request to a model is a model call of one turn, which is open; refused once that has ended."""

    def __init__(self, turn: Turn, upstreams: Mapping[str, str]) -> None:
        super().__init__(upstreams)
        self._turn = turn
        self._handoff = turn.handoff()

    async def _record(self, scope: Scope, target: Target, request: httpx2.Request, reply: Reply) -> None:
        parent = own_words(scope["headers"]).get("parent")
        if parent is not None and parent != self._handoff:
            msg = "This gateway records for another turn, so the request has not been sent."
            raise CaptureRefused(msg, next_step="Give each turn's program the address of its own.")
        enter(self._turn)
        try:
            await self._ask(request, reply)
        except httpx2.HTTPError as error:
            await tell(target, error, reply, self._turn, "open")
