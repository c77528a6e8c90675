"""How answers leave: JSON from the answer classes, and what the OpenAPI document says about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import JSONResponse

from turnledger.server.answers.problem import Problem

__all__ = ["JSON", "PROBLEM", "Reply", "answers", "in_body", "reply"]

JSON = "application/json"
PROBLEM = "application/problem+json"
SCHEMAS = "#/components/schemas/"

_STATUSES = {
    400: "The request makes no sense as it stands.",
    401: "Nobody is logged in.",
    403: "The caller may not do this.",
    404: "There is no such thing, or not for this caller.",
    409: "It is there already, or something else is under way.",
    413: "The request is too large.",
    415: "The request's media type is not one of those accepted.",
    416: "The range is outside the body.",
    422: "A parameter has the wrong form, or the resource has no such parameter.",
    503: "The ledger cannot be reached at the moment.",
}
_ALWAYS = (401, 403, 422, 503)

_encoder = msgspec.json.Encoder()


class Reply(JSONResponse):
    """A JSON answer; its content is the bytes."""

    def render(self, content: bytes) -> bytes:
        """See ``JSONResponse``."""
        return content


def reply(answer: msgspec.Struct, status: int = 200) -> Reply:
    """The answer as JSON."""
    return Reply(_encoder.encode(answer), status)


def answers(
    answer: type[msgspec.Struct] | None, *problems: int, status: int = 200, about: str = "The answer."
) -> dict[int | str, dict[str, Any]]:
    """For a route's ``responses``: what it answers, and the problems it may answer instead."""
    found: dict[int | str, dict[str, Any]] = {status: {"description": about}}
    if answer is not None:
        found[status]["content"] = {JSON: {"schema": schema_of(answer)}}
    for code in sorted({*problems, *_ALWAYS}):
        content = {PROBLEM: {"schema": schema_of(Problem)}}
        found[code] = {"description": _STATUSES[code], "content": content}
    return found


def in_body(asked: type[msgspec.Struct], example: Mapping[str, object]) -> dict[str, Any]:
    """For a route's ``openapi_extra``: the JSON object that its request's body has to be."""
    content = {"schema": schema_of(asked), "example": dict(example)}
    return {"requestBody": {"required": True, "content": {JSON: content}}}


def schema_of(kind: type[msgspec.Struct]) -> dict[str, str]:
    """A reference to the schema of an answer or question."""
    return {"$ref": SCHEMAS + kind.__name__}
