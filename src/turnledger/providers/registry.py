"""The one list of wire formats; a new decoder is one module and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnledger.providers import (
    anthropic_messages,
    bedrock_converse,
    cohere_chat,
    gemini,
    openai_chat,
    openai_responses,
    other_answers,
)

if TYPE_CHECKING:
    from turnledger.providers.format import WireFormat

__all__ = ["FORMATS"]

# The first that claims a body reads it; OpenAI chat comes behind those that are told from it by a detail,
# because it claims any request with messages, and what is no reply at all comes last.
FORMATS: Final[tuple[WireFormat, ...]] = (
    openai_responses.FORMAT,
    gemini.FORMAT,
    bedrock_converse.FORMAT,
    cohere_chat.FORMAT,
    anthropic_messages.FORMAT,
    openai_chat.FORMAT,
    other_answers.EMBEDDINGS,
    other_answers.TOKEN_COUNT,
    other_answers.OTHER,
)
