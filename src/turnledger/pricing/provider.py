"""Who was asked, from what the recorder noted: a host, or the word that the agent gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from turnledger.providers.endpoint import endpoint_of

__all__ = ["Provider", "provider_of"]

_WORDS: Final[Mapping[str, str]] = {
    "azure-openai": "azure",
    "azure_openai": "azure",
    "aws": "bedrock",
    "amazon": "bedrock",
    "aws_bedrock": "bedrock",
    "gemini": "google",
    "vertex_ai": "google",
    "google-genai": "google",
    "google_genai": "google",
    "mistralai": "mistral",
    "togetherai": "together",
    "fireworks-ai": "fireworks",
    "x-ai": "xai",
    "moonshotai": "moonshot",
}


@dataclass(frozen=True, slots=True)
class Provider:
    """``recorded`` is what was noted, in lower case; ``name`` the provider that it stands for, if known."""

    recorded: str | None = None
    name: str | None = None

    @property
    def names(self) -> frozenset[str]:
        """All that a price table may call it by."""
        return frozenset(name for name in (self.recorded, self.name) if name is not None)


def provider_of(recorded: str | None) -> Provider:
    """The provider behind a recorded host (``api.openai.com``) or word (``openai``)."""
    if not recorded:
        return Provider()
    text = recorded.strip().lower()
    by_host = endpoint_of(f"https://{text}").provider if "." in text or ":" in text else None
    if by_host is not None:
        return Provider(text, by_host)
    is_word = text.replace("-", "").replace("_", "").isalnum() and text != "localhost"
    return Provider(text, _WORDS.get(text, text) if is_word else None)
