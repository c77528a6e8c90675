"""Examples for the OpenAPI document, made from its schemas: each is a whole answer with telling values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

__all__ = ["example_of"]

_ID: Final = "01890a5d-ac96-774b-bcce-b302099a8057"
_HASH: Final = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
_TIME: Final = "2026-11-30T12:00:00.000Z"

# What a field is an example of, by its name; else its type decides.
_BY_NAME: Final[Mapping[str, object]] = {
    "actorName": "slack:U7",
    "amount": "0.000057",
    "agentName": "support",
    "brokenAtSeq": -1,
    "connector": "slack",
    "currency": "USD",
    "detail": {"id": "01890a5dac96774bbcceb302099a8057", "mediaType": "text/plain; charset=utf-8"},
    "explanation": "every event that is there is as it was written, in its place",
    "fates": {"answered": 3, "observed": 1, "shed": 1, "unaccounted": 0},
    "holder": _ID,
    "key": "slack:C042/1712.33",
    "mediaType": "application/json",
    "name": "support",
    "names": {_ID: "slack:U7"},
    "nextStep": "Check the id and the agent's id.",
    "path": "/login#Zb1yQ…",
    "place": "C042",
    "prices": "genai-prices 0.2.3",
    "provider": "openai",
    "reason": "ok",
    "reasons": {"no-usage": 1},
    "role": "primary",
    "sessionId": "slack:C042/1712.33",
    "shed": {"queue_full": 1},
    "shape": "thread",
    "slot": "payload",
    "status": "completed",
    "statuses": {"completed": 3, "failed": 1},
    "summary": "direction=inbound chars=21 assurance=w detail=" + _HASH,
    "timeZone": "Europe/Berlin",
    "title": "Not found",
    "token": "tl_…",
    "tokens": {"direction": "inbound", "chars": "21", "assurance": "w", "detail": _HASH},
    "trigger": "1",
    "type": "MODEL_RESULT",
    "verdict": "intact",
    "verification": "ok",
}
_BY_FORMAT: Final = {"uuid": _ID, "date-time": _TIME, "byte": "AA=="}

_TYPES: Final[Mapping[str, type]] = {"string": str, "integer": int, "object": dict}

Schema = Mapping[str, Any]


def example_of(name: str, schemas: Mapping[str, Schema]) -> object:
    """An example of the schema with this name among ``schemas``."""
    return _example(name, schemas[name], schemas)


def _example(name: str, schema: Schema, schemas: Mapping[str, Schema]) -> object:
    if "$ref" in schema:
        return _example(name, schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if schema.get("type") == "object" and "properties" in schema:
        fields = cast("Mapping[str, Schema]", schema["properties"])
        return {field: _example(field, about, schemas) for field, about in fields.items()}
    if "anyOf" in schema:
        return _example(name, schema["anyOf"][0], schemas)
    if schema.get("type") == "array":
        return [_example(name, schema["items"], schemas)]
    return _plain(name, schema)


def _plain(name: str, schema: Schema) -> object:
    kind, named = schema.get("type", ""), _named(name)
    if "enum" in schema:
        return named if named in schema["enum"] else schema["enum"][0]
    if kind in _TYPES and isinstance(named, _TYPES[kind]):
        return named
    kinds: Mapping[str, object] = {"integer": 1, "boolean": False, "object": {}, "null": None}
    if kind in kinds:
        return kinds[kind]
    if schema.get("pattern") is not None:
        return _HASH
    return _BY_FORMAT.get(schema.get("format", ""), name)


def _named(name: str) -> object:
    return _BY_NAME.get(name)
