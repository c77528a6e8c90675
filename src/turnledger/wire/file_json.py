"""JSON for files that people read: keys in the order of the contract, any text and any integer.

Nothing hashes these bytes; what is hashed travels inside them as strings.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping

from turnledger.errors import GrammarError

__all__ = ["bytes_from_json", "bytes_to_json", "file_json", "from_base64"]


def file_json(value: object, *, indent: int | None = None) -> bytes:
    """``value`` as UTF-8 JSON, on one line unless ``indent`` is given; ends without a line feed."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(  # noqa: TID251  an encoder for hashed bytes would sort the keys
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    # Only a lone surrogate cannot be encoded, and its backslash form is the JSON escape for it.
    return text.encode("utf-8", "backslashreplace")


def bytes_to_json(data: bytes) -> str | dict[str, str]:
    """``data`` so that its exact bytes come back: text where it is UTF-8, else ``{"base64": …}``."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def bytes_from_json(value: object, what: str) -> bytes:
    """The bytes that ``bytes_to_json`` was given; raises GrammarError for any other form of ``value``."""
    if isinstance(value, str):
        try:
            return value.encode()
        except UnicodeEncodeError as error:
            msg = f"{what} is text with half of a surrogate pair, which no bytes can be."
            raise GrammarError(msg, next_step="Export it again.") from error
    if isinstance(value, Mapping) and set(value) == {"base64"}:
        return from_base64(value["base64"], what)
    msg = f"{what} is neither text nor an object with the one key base64."
    raise GrammarError(msg, next_step="Export it again.")


def from_base64(value: object, what: str) -> bytes:
    """The bytes of strict standard base64 text; raises GrammarError for anything else."""
    try:
        if isinstance(value, str):
            return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError) as error:
        msg = f"{what} is not valid base64."
        raise GrammarError(msg, next_step="Export it again.") from error
    msg = f"{what} is not base64 text."
    raise GrammarError(msg, next_step="Export it again.")
