"""What the OpenAPI document says about appending: the same objects as MessagePack and as JSON."""

from __future__ import annotations

from typing import Any, Final

from turnledger.server.reply import answers, schema_of
from turnledger.wire.capture_form import JSON, MSGPACK, CaptureAnswer, CaptureRequest

__all__ = ["CAPTURE_ANSWERS", "CAPTURE_BODY"]

_AGENT: Final = "01890a5d-ac96-774b-bcce-b302099a8057"
_NIL: Final = "00000000-0000-0000-0000-000000000000"

_CLAIM: Final = {
    "batches": [{"claim": {"kind": "agent", "scope": _NIL, "name": "support", "target": _AGENT}}]
}

CAPTURE_BODY: Final[dict[str, Any]] = {
    "parameters": [
        {
            "name": "Content-Encoding",
            "in": "header",
            "required": False,
            "description": "zstd or gzip.",
            "schema": {"type": "string", "enum": ["zstd", "gzip", "identity"]},
        }
    ],
    "requestBody": {
        "required": True,
        "content": {
            JSON: {"schema": schema_of(CaptureRequest), "example": _CLAIM},
            MSGPACK: {"schema": schema_of(CaptureRequest)},
        },
    },
}

CAPTURE_ANSWERS: Final = answers(None, 400, 413, 415)
CAPTURE_ANSWERS[200]["content"] = {
    JSON: {
        "schema": schema_of(CaptureAnswer),
        "example": {"results": [{"status": "appended", "target": _AGENT}]},
    },
    MSGPACK: {"schema": schema_of(CaptureAnswer)},
}
