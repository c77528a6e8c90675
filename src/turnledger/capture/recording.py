"""What turns and conversations have in common: the steps that may stand in either journal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from turnledger.capture.composer import compose, name_token
from turnledger.capture.content import snapshot
from turnledger.capture.model_call import ModelCallStep
from turnledger.capture.names import checked_name
from turnledger.capture.prompts import snapshot_of
from turnledger.capture.refusals import looked_up
from turnledger.capture.words import word
from turnledger.ids import new_id
from turnledger.model.draft import AliasKind, Placed
from turnledger.model.events import Guard, MemoryWrite
from turnledger.model.vocabulary import GuardDecision, MemoryOp

if TYPE_CHECKING:
    from turnledger.capture.pen import Pen
    from turnledger.capture.receipts import Receipt
    from turnledger.capture.waiting import Work

__all__ = ["Recording"]


class Recording:
    """A turn or a conversation as something to record steps in.

    Inside ``with`` its methods return when their event is durable; inside ``async with`` they queue it and
    return at once, and what they return can be awaited.
    """

    def __init__(self, pen: Pen) -> None:
        self._steps = pen

    def model_call(
        self,
        *,
        request: object,
        role: str | None = None,
        model: str | None = None,
        stream: bool | None = None,
        provider: str | None = None,
        prompt: Receipt | None = None,
        retry_of: ModelCallStep | None = None,
        media_type: str | None = None,
        url: str | None = None,
    ) -> ModelCallStep:
        """A request to a model, to be used with ``with`` or ``async with``: durable before the block runs.

        ``request`` is the body: bytes or text as sent, or an object.  ``model`` and ``stream`` are read from
        it where they are not given.  ``role`` says what the call is for, such as ``primary`` or ``title``.
        ``prompt`` is the receipt of a ``prompt(…)`` that the request repeats; without it the snapshot is
        taken from the request.  ``retry_of`` makes this the next attempt of a call that failed.  ``url`` is
        where it is sent: provider, model and format are read from it where the body leaves them open; it is
        not kept.
        """
        return ModelCallStep(
            self._steps,
            request=request,
            role=role,
            model=model,
            stream=stream,
            provider=provider,
            prompt=prompt,
            retry_of=retry_of,
            media_type=media_type,
            url=url,
        )

    def prompt(
        self, instructions: object, *, tools: Sequence[object] = (), role: str | None = None
    ) -> Receipt:
        """Record instructions (a text or a list of parts) and tool definitions as a prompt snapshot."""
        shot = snapshot_of(instructions, tools, role)
        event_id = new_id()
        pen = self._steps

        def work() -> Work[Placed]:
            agent = yield from pen.agent_id()
            return (yield from pen.append("The PROMPT", shot.compose(agent, event_id)))

        return pen.send(event_id, work())

    def guard(
        self, guard: str, decision: str, *, stage: str | None = None, finding: object = None
    ) -> Receipt:
        """Record that a guard looked at something: ``decision`` is ``allow``, ``deny`` or ``flag``.

        ``stage`` says where it stands (``input``, ``tool``, ``output`` …), ``finding`` what it found.
        """
        facts: dict[str, object] = {}
        event = Guard(
            guard=name_token(facts, "guard", guard),
            stage=None if stage is None else name_token(facts, "stage", stage),
            decision=word(GuardDecision, decision),
        )
        payload = None if finding is None else snapshot(finding)
        return self._steps.record(compose(event, payload, facts=facts))

    def memory_write(self, key: str, content: object = None, *, op: str | None = None) -> Receipt:
        """Record a new revision of the memory entry that the agent knows by ``key``.

        ``op`` is ``create``, ``update`` or ``delete``; without it, it follows from what is on record, and
        ``content=None`` deletes.
        """
        payload = None if content is None else snapshot(content)
        wanted = None if op is None else word(MemoryOp, op)
        name = checked_name(key, "memory key")
        event_id = new_id()
        pen = self._steps

        def work() -> Work[Placed]:
            agent = yield from pen.agent_id()
            entry, is_new = yield from pen.core.names.claim(AliasKind.MEMORY, agent, name)
            last = 0 if is_new else looked_up("The MEMORY_WRITE", pen.core.sink.last_revision, agent, entry)
            usual = MemoryOp.DELETE if payload is None else MemoryOp.UPDATE if last else MemoryOp.CREATE
            event = MemoryWrite(entry=entry, revision=last + 1, op=wanted or usual)
            return (yield from pen.append("The MEMORY_WRITE", compose(event, payload, event_id=event_id)))

        return pen.send(event_id, work())
