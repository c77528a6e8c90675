"""Which requests are attempts of one call: what asks the same again, in the same place, after it failed.

It makes no difference who tries again: the SDK's client, a framework above it, or the program itself.
"""

from __future__ import annotations

import weakref
from contextvars import ContextVar
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from turnledger.adapters.http_library import Request
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.recording import Recording

__all__ = ["attempt_before", "note_attempt"]

_COUNT: Final = "x-stainless-retry-count"
"""How the clients of OpenAI, Anthropic and others count, some of which ask something else the next time."""


class _Attempt(NamedTuple):
    scope: weakref.ref[Recording]
    step: weakref.ref[ModelCallStep]
    url: str
    digest: bytes


_last: ContextVar[_Attempt | None] = ContextVar("turnledger_last_attempt", default=None)


def attempt_before(scope: Recording, request: Request, body: bytes) -> ModelCallStep | None:
    """The call of this turn or conversation that failed and that this request tries again; None for none."""
    last = _last.get()
    step = None if last is None else last.step()
    if last is None or step is None or not step.is_on_record or last.scope() is not scope:
        return None
    is_counted = request.headers.get(_COUNT, "0") not in {"", "0"}
    is_same = step.has_failed and (last.url, last.digest) == (str(request.url), sha256(body).digest())
    return step if is_counted or is_same else None


def note_attempt(scope: Recording, step: ModelCallStep, request: Request, body: bytes) -> None:
    """Remember what is sent, in this task or thread."""
    _last.set(_Attempt(weakref.ref(scope), weakref.ref(step), str(request.url), sha256(body).digest()))
