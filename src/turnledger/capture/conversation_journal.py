"""Appending to a conversation's journal: many writers share it, so nobody knows a place beforehand."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

from turnledger.capture.composer import Composed
from turnledger.capture.prompts import PromptSnapshot
from turnledger.capture.refusals import accepted
from turnledger.capture.sink import Sink
from turnledger.capture.waiting import Work
from turnledger.model.draft import Batch, BatchResult, Claim, Draft, Journal, Lease, Placed
from turnledger.model.events import ModelCall
from turnledger.model.vocabulary import JournalKind

if TYPE_CHECKING:
    from turnledger.capture.arrivals import Incoming
    from turnledger.capture.core import Core

__all__ = ["ConversationJournal"]

PROMPTS = 32


class ConversationJournal:
    """One conversation that is on record."""

    def __init__(self, sink: Sink, agent: UUID, conversation: UUID) -> None:
        self.sink = sink
        self.agent = agent
        self.conversation = conversation
        self._journal = Journal(JournalKind.CONVERSATION, conversation)
        self._prompts: OrderedDict[str, int] = OrderedDict()

    def keep_arriving(self, core: Core, incoming: Incoming) -> None:
        """Have what arrives of a reply kept from now on, and its call shown alive."""
        lease = Lease(core.holder, 0, core.ttl_ms)
        core.arrivals.add(incoming, self, self.conversation, lease, stays_alive=True)

    def draft(self, event: Composed) -> Draft:
        """The event as a draft for this journal."""
        return event.draft(self._journal, self.agent, self.conversation)

    def append(self, what: str, *events: Composed) -> Work[tuple[Placed, ...]]:
        """Append events; raises CaptureRefused."""
        result = yield from self.claim(what, None, *events)
        return result.placed

    def claim(self, what: str, claim: Claim | None, *events: Composed) -> Work[BatchResult]:
        """Append events unless the claim's name is taken; raises CaptureRefused."""
        drafts = tuple([self.draft(event) for event in events])
        return (yield from accepted(self.sink, Batch(drafts, claim), what))

    def append_call(self, what: str, call: Composed, prompt: PromptSnapshot | None) -> Work[Placed]:
        """Append a MODEL_CALL, and before it its PROMPT if this handle did not write that lately."""
        if prompt is not None and isinstance(call.event, ModelCall):
            digest = prompt.digest(self.agent)
            seq = self._prompts.get(digest)
            if seq is None:
                placed = yield from self.append(what, prompt.compose(self.agent))
                seq = self._prompts[digest] = placed[0].seq
                if len(self._prompts) > PROMPTS:
                    self._prompts.popitem(last=False)
            call = call.saying(replace(call.event, prompt=seq))
        placed = yield from self.append(what, call)
        return placed[0]
