"""Errors as providers report them, in whatever shape: one reader for all formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.providers.document import as_list, as_map, as_text
from turnledger.providers.exchange import ProviderError
from turnledger.wire.values import encode_value

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["provider_error"]

FIRST_FAILURE = 400

_PARTS = ("response", "delta", "x_groq")
_TYPES = ("type", "status", "error_type", "__type")  # Gemini says status, Hugging Face error_type, AWS __type


def provider_error(document: object, status: int | None) -> ProviderError | None:
    """The error that a JSON body or one event of a stream holds, or that the HTTP status alone says.

    Read are an ``error`` (object or text) of the document or of a part that may fail alone and, where the
    status or the document itself says so, ``message`` or ``detail`` at its top.  Gemini wraps errors in a
    list.
    """
    top = as_map(document) or as_map(next(iter(as_list(document)), None))
    failed = status is not None and status >= FIRST_FAILURE
    told = top.get("error")
    if told:
        return _from(as_map(told) or top, None if isinstance(told, dict) else told, status)
    told = _error_of_part(top)
    if told:
        return _from(as_map(told), None if isinstance(told, dict) else told, status)
    if failed or top.get("object") == "error" or top.get("type") == "error":
        return _from(top, top.get("detail"), status)
    return None


def _error_of_part(top: Mapping[str, object]) -> object:
    """The error of a choice (OpenRouter), a response in an event (OpenAI), a delta (Cohere) or ``x_groq``."""
    for key in _PARTS:
        part = top.get(key)
        if isinstance(part, dict) and part.get("error"):
            return part["error"]
    return next((error for part in as_list(top.get("choices")) if (error := as_map(part).get("error"))), None)


def _from(fields: Mapping[str, object], otherwise: object, status: int | None) -> ProviderError:
    code = fields.get("code")
    return ProviderError(
        status=status,
        type=next((word for key in _TYPES if (word := as_text(fields.get(key)))), None),
        code=str(code) if isinstance(code, (int, str)) and code != "" else None,
        message=_said(fields.get("message")) or _said(fields.get("Message")) or _said(otherwise),
    )


def _said(value: object) -> str | None:
    """A message; where it is a list of findings or an object (FastAPI, Mistral), that as JSON."""
    return encode_value(value).data.decode() if isinstance(value, (list, dict)) and value else as_text(value)
