"""What an address says of an exchange: the provider, and what some bodies leave to it (model, stream)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Endpoint", "endpoint_of"]

# A host is the one named or below it; the first that fits decides.
_HOSTS: Final[Mapping[str, str]] = {
    "api.anthropic.com": "anthropic",
    "openai.azure.com": "azure",
    "services.ai.azure.com": "azure",
    "models.inference.ai.azure.com": "github",
    "cognitiveservices.azure.com": "azure",
    "api.openai.com": "openai",
    "generativelanguage.googleapis.com": "google",
    "aiplatform.googleapis.com": "google",
    "api.mistral.ai": "mistral",
    "api.cohere.com": "cohere",
    "api.cohere.ai": "cohere",
    "api.groq.com": "groq",
    "openrouter.ai": "openrouter",
    "api.deepseek.com": "deepseek",
    "api.z.ai": "zai",
    "open.bigmodel.cn": "zai",
    "router.huggingface.co": "huggingface",
    "api-inference.huggingface.co": "huggingface",
    "endpoints.huggingface.cloud": "huggingface",
    "api.cerebras.ai": "cerebras",
    "api.together.xyz": "together",
    "api.together.ai": "together",
    "api.fireworks.ai": "fireworks",
    "api.x.ai": "xai",
    "api.moonshot.ai": "moonshot",
    "api.moonshot.cn": "moonshot",
    "api.perplexity.ai": "perplexity",
    "api.deepinfra.com": "deepinfra",
    "api.sambanova.ai": "sambanova",
    "api.novita.ai": "novita",
    "api.minimax.io": "minimax",
    "dashscope.aliyuncs.com": "alibaba",
    "dashscope-intl.aliyuncs.com": "alibaba",
    "integrate.api.nvidia.com": "nvidia",
    "models.github.ai": "github",
    "ai-gateway.vercel.sh": "vercel",
}
_BEDROCK = re.compile(r"bedrock-(?:runtime|mantle)(-fips)?\.[a-z0-9-]+\.(amazonaws\.com(\.cn)?|api\.aws)")
_VERTEX = re.compile(r"[a-z0-9-]+-aiplatform\.googleapis\.com")
_MODEL = re.compile(r"/(?:models?|deployments|endpoints)/([^/]+?)(?:/|:(?=[a-zA-Z]+$)|$)")
_STREAMS = re.compile(r"stream(generate|raw|query)|-stream$", re.IGNORECASE)
_WIRES = {
    "/v1/messages": "anthropic-messages",
    "/v2/chat": "cohere-chat",
    "/interactions": "gemini-interactions",
    "/api/chat": "ollama",
    "/api/generate": "ollama",
}
_STORED = re.compile(r"/(responses/resp_|chat/completions/chatcmpl-)[\w-]+/?$")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What an address tells; None where it does not.

    ``model`` is the one asked for.  ``streams`` says that the address is one for streams only, ``stored``
    that it names a reply that was made earlier.  ``wire`` is the format of requests that look like those of
    OpenAI chat and are others.
    """

    provider: str | None = None
    model: str | None = None
    streams: bool = False
    stored: bool = False
    wire: str | None = None


_UNKNOWN = Endpoint()


def endpoint_of(uri: str | None) -> Endpoint:
    """What ``uri`` tells; nothing where it can't be read."""
    if not uri:
        return _UNKNOWN
    try:
        parts = urlsplit(uri)
        host = (parts.hostname or "").lower().rstrip(".")
    except ValueError:
        return _UNKNOWN
    return _endpoint(host, parts.path)


@lru_cache(maxsize=256)  # a call asks three times, a client always the same few
def _endpoint(host: str, path: str) -> Endpoint:
    model = _MODEL.search(path)
    return Endpoint(
        provider=_provider(host),
        model=None if model is None else unquote(model[1]),
        streams=_STREAMS.search(path) is not None,
        stored=_STORED.search(path) is not None,
        wire=next((name for end, name in _WIRES.items() if path.rstrip("/").endswith(end)), None),
    )


def _provider(host: str) -> str | None:
    if _BEDROCK.fullmatch(host):
        return "bedrock"
    if _VERTEX.fullmatch(host):
        return "google"
    return next((name for known, name in _HOSTS.items() if host == known or host.endswith(f".{known}")), None)
