"""Prompt snapshots: instructions and tool definitions of a request, recorded once where they repeat."""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast
from uuid import UUID

from turnledger.capture.composer import Composed, compose, name_token
from turnledger.capture.content import Content
from turnledger.model.events import Prompt
from turnledger.providers.exchange import RequestFacts
from turnledger.wire.values import encode_value

__all__ = ["PromptSnapshot", "snapshot_of", "snapshot_of_request"]

_DOMAIN = b"turnledger/prompt/v1\n"


@dataclass(frozen=True, slots=True)
class PromptSnapshot:
    """Canonical JSON ``{"instructions": […], "tools": […]}``; ``chars`` counts the instructions only."""

    data: bytes = field(repr=False)
    chars: int
    tools: int
    role: str | None
    lossy: bool = False

    def digest(self, agent: UUID) -> str:
        """What names equal snapshots within an agent: HMAC-SHA-256 keyed with the agent's id, as hex."""
        return hmac.digest(agent.bytes, _DOMAIN + self.data, "sha256").hex()

    def compose(self, agent: UUID, event_id: UUID | None = None) -> Composed:
        """The PROMPT event."""
        facts: dict[str, object] = {"promptDigest": self.digest(agent)}
        role = None if self.role is None else name_token(facts, "role", self.role)
        event = Prompt(role=role, chars=self.chars, tools=self.tools)
        return compose(
            event, Content(self.data, encoded=True, lossy=self.lossy), facts=facts, event_id=event_id
        )


def snapshot_of_request(request: RequestFacts, role: str | None) -> PromptSnapshot | None:
    """The snapshot in a decoded request; None where it holds neither instructions nor tools."""
    if request.prompt is None:
        return None
    chars = sum(map(len, request.system_texts))
    return PromptSnapshot(request.prompt, chars, len(request.tools), role, "prompt-lossy" in request.flags)


def snapshot_of(instructions: object, tools: Sequence[object] | None, role: str | None) -> PromptSnapshot:
    """A snapshot of what the caller says the prompt is.  Raises GrammarError for a role that is no text."""
    name_token({}, "role", "" if role is None else role)
    parts, defined = _items(instructions), [] if tools is None else _items(tools)
    encoded = encode_value({"instructions": parts, "tools": defined})
    chars = sum(len(part) for part in parts if type(part) is str)
    return PromptSnapshot(encoded.data, chars, len(defined), role, encoded.lossy)


def _items(value: object) -> list[object]:
    """What is in a list; anything else is the only thing that is given."""
    return list(cast("list[object]", value)) if issubclass(type(value), (list, tuple)) else [value]
