"""The one list of wire formats; a new decoder is one module and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnledger.providers import anthropic_messages, openai_chat

if TYPE_CHECKING:
    from turnledger.providers.format import WireFormat

__all__ = ["FORMATS"]

# The first that claims a body reads it; OpenAI chat is last because it claims any request with messages.
FORMATS: Final[tuple[WireFormat, ...]] = (
    anthropic_messages.FORMAT,
    openai_chat.FORMAT,
)
