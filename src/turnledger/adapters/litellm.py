"""LiteLLM: ``turnledger.install()``, before it is used for the first time.

It has no client that its user holds, and makes an error of its own of every error below it, twice over.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

from turnledger.adapters.clients import record_http
from turnledger.adapters.methods import is_put_around, put_around
from turnledger.errors import LedgerError

__all__ = ["ERRORS", "HANDLERS", "hand_on_errors", "is_recorded", "record_stand_ins"]

HANDLERS: Final = "litellm.llms.custom_httpx.http_handler"
ERRORS: Final = "litellm.litellm_core_utils.exception_mapping_utils"

_HANDED_ON: Final = "_turnledger_handed_on"
_FINAL: Final = 400  # what it asks neither again nor elsewhere


def is_recorded() -> bool:
    """Whether what is asked through it is, in this process."""
    return is_put_around(getattr(sys.modules.get(ERRORS), "exception_type", None))


def record_stand_ins(module: ModuleType, role: str | None) -> None:
    """Record the client that takes over for one request where a connection could not be made."""

    def recorded(make: Callable[..., object]) -> Callable[..., object]:
        def make_recorded(self: object, *args: object, **kwargs: object) -> object:
            http = make(self, *args, **kwargs)
            record_http(http, "litellm", role)
            return http

        return make_recorded

    put_around(module.AsyncHTTPHandler, "create_client", recorded)


def hand_on_errors(module: ModuleType, role: str | None) -> None:  # noqa: ARG001  as all patches are called
    """Have our errors come out as they are: not as a server's, which is asked again."""
    translate: Callable[..., Any] = module.exception_type
    put_around(module, "exception_type", _handing_on)
    for name, user in list(sys.modules.items()):
        if name.startswith("litellm") and vars(user).get("exception_type") is translate:
            user.exception_type = module.exception_type  # type: ignore[attr-defined]


def _handing_on(translate: Callable[..., object]) -> Callable[..., object]:
    def hand_on(model: object, original_exception: BaseException, *args: object, **kwargs: object) -> object:
        ours = next(_ours(original_exception), None)
        if ours is None:
            return translate(model, original_exception, *args, **kwargs)
        vars(ours).update({_HANDED_ON: True, "status_code": _FINAL})
        raise ours

    return hand_on


def _ours(error: BaseException) -> Iterator[LedgerError]:
    """Errors of ours that this one is or was made of, but none that somebody was told of before."""
    if isinstance(error, LedgerError):
        yield error
    below = error.__cause__ or error.__context__
    while below is not None:
        if isinstance(below, LedgerError) and _HANDED_ON not in vars(below):
            yield below
        below = below.__cause__ or below.__context__
