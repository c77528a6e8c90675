"""The one list of wire formats; a new decoder is one module and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from turnledger.providers import (
    anthropic_messages,
    bedrock_converse,
    cohere_chat,
    cohere_chat_v1,
    gemini,
    gemini_interactions,
    ollama,
    openai_chat,
    openai_responses,
    other_answers,
    text_completion,
)

if TYPE_CHECKING:
    from turnledger.providers.format import WireFormat

__all__ = ["FORMATS"]

# The first that claims a body reads it; OpenAI chat comes behind those that are told from it by a detail,
# because it claims any request with messages, and what is no reply at all comes last.
FORMATS: Final[tuple[WireFormat, ...]] = (
    gemini_interactions.FORMAT,
    openai_responses.FORMAT,
    gemini.FORMAT,
    bedrock_converse.FORMAT,
    cohere_chat.FORMAT,
    cohere_chat_v1.FORMAT,
    ollama.FORMAT,
    anthropic_messages.FORMAT,
    openai_chat.FORMAT,
    text_completion.FORMAT,
    other_answers.EMBEDDINGS,
    other_answers.TOKEN_COUNT,
    other_answers.OTHER,
)
