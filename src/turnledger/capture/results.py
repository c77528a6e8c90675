"""What a MODEL_RESULT says of a reply, whoever records it."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from turnledger.capture.composer import name_token
from turnledger.ids import derived_id
from turnledger.model.events import ModelResult
from turnledger.model.vocabulary import ModelStatus
from turnledger.providers.exchange import Reply, ToolRequest, Usage

__all__ = ["model_result", "result_id"]

REQUESTS = 1000


def result_id(call: UUID) -> UUID:
    """Event id of the result of a call outside any turn, whoever records it: there is one, the first.

    ``call`` is the event id of the MODEL_CALL.
    """
    return derived_id(call, "result")


def model_result(
    call: int,
    status: ModelStatus,
    reply: Reply,
    usage: Usage | None,
    *,
    us: int | None = None,
    ttft_us: int | None = None,
) -> tuple[ModelResult, Mapping[str, object]]:
    """The event, and the facts for its detail.

    ``us`` is how long the call took and ``ttft_us`` how long its first output, in microseconds, where known.
    """
    facts = _reply_facts(reply, usage)
    counts = usage or Usage()
    served = reply.served_model
    event = ModelResult(
        call=call,
        status=status,
        model=None if served is None else name_token(facts, "model", served),
        in_=counts.uncached,
        out=counts.visible,
        cache_read=counts.cache_read,
        cache_write=counts.cache_write,
        reasoning=counts.reasoning,
        finish=reply.finish,
        ms=None if us is None else us // 1000,
        ttft_ms=None if ttft_us is None else ttft_us // 1000,
    )
    return event, facts


def _reply_facts(reply: Reply, usage: Usage | None) -> dict[str, object]:
    error = reply.error
    return {
        "usage": "absent" if usage is None else dict(usage.raw),
        "usageFlags": list(usage.flags) or None if usage is not None else None,
        "wire": reply.wire,
        "responseId": reply.response_id,
        "serviceTier": reply.service_tier,
        "toolUsage": dict(reply.tool_usage) or None,
        "finishRaw": reply.finish_raw,
        "truncatedReply": reply.truncated or None,
        "flags": [flag for flag in reply.flags if flag != "usage-absent"] or None,
        "requested": _requests(reply.tool_requests),
        "hosted": _requests(reply.hosted_tools),
        "providerError": None
        if error is None
        else {"status": error.status, "type": error.type, "code": error.code},
    }


def _requests(requests: tuple[ToolRequest, ...]) -> list[dict[str, object]] | None:
    return [{"tool": request.name, "id": request.id} for request in requests[:REQUESTS]] or None
