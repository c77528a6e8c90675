"""CrewAI: ``turnledger.install()``.

Crews, flows and agents make models and tools for themselves and copy those that they are given, so it is
their classes that are recorded.  The tools are in ``crewai_tools``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters import litellm
from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.methods import Around, inside, is_inside, put_around_all
from turnledger.adapters.translation import translation_for
from turnledger.capture.content import plain_form
from turnledger.capture.context import current
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep

__all__ = ["MODELS", "as_a_stop", "record_models"]

MODELS: Final = "crewai.llms.base_llm"

_STOPS: Final = "crewai.hooks.dispatch"
_FINDERS: Final = {"call": "_get_sync_client", "acall": "_get_async_client"}
"""Methods that ask a model, and those by which a model of CrewAI's own finds its client."""

_usage: ContextVar[tuple[object, list[object]] | None] = ContextVar("turnledger_crewai_usage", default=None)
"""A model that is asked here, and what it said of its usage."""


def record_models(module: ModuleType, role: str | None) -> None:
    """Record what every model is asked: where its client sends it, else as it is given to the model."""
    for name, finder in _FINDERS.items():
        put_around_all(module.BaseLLM, name, _asking(finder, role))
    put_around_all(module.BaseLLM, "_track_token_usage_internal", _counting)


@contextmanager
def as_a_stop() -> Generator[None]:
    """Have an error of ours come out as one that stops a crew, where others are told to its agents."""
    try:
        yield
    except Exception as error:
        ours = next((one for one in _causes(error) if isinstance(one, LedgerError)), None)
        if ours is None:
            raise
        stop: Any = translation_for(_STOPS)(ours)
        stop.reason, stop.source = str(ours), "turnledger"
        raise stop from ours


def _causes(error: BaseException) -> Iterator[BaseException]:
    below: BaseException | None = error
    while below is not None:
        yield below
        is_its_own = below.__cause__ is below  # as CrewAI raises them
        below = below.__context__ if is_its_own else below.__cause__


def _asking(finder: str, role: str | None) -> Around:
    def around(call: Any) -> Callable[..., Any]:
        def recorded(llm: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
            with as_a_stop():
                if is_inside(llm, call) or _records_itself(llm, finder, role):
                    return call(llm, messages, *args, **kwargs)
                step = _model_step(llm, role, messages, args, kwargs)
                with step, inside(llm, call), _counted(llm) as said:
                    return _take(step, call(llm, messages, *args, **kwargs), said)

        async def recorded_async(llm: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
            with as_a_stop():
                if is_inside(llm, call) or _records_itself(llm, finder, role):
                    return await call(llm, messages, *args, **kwargs)
                async with _model_step(llm, role, messages, args, kwargs) as step:
                    with inside(llm, call), _counted(llm) as said:
                        return _take(step, await call(llm, messages, *args, **kwargs), said)

        return recorded_async if inspect.iscoroutinefunction(call) else recorded

    return around


def _records_itself(llm: Any, finder: str, role: str | None) -> bool:
    asked = getattr(llm, "_responses_delegate", None) or llm  # Azure's, for one of its two interfaces
    if asked.is_litellm:
        return litellm.is_recorded()
    find = getattr(asked, finder, None)
    client = None if find is None else find()
    if not is_recordable(client):
        return False
    record(client, role=role)
    return True


def _model_step(
    llm: Any, role: str | None, messages: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> ModelCallStep:
    tools = args[0] if args else kwargs.get("tools")
    request = {"messages": messages, "tools": tools}
    return current().model_call(
        request=request,
        role=role,
        model=llm.model,
        stream=bool(llm._effective_stream()),  # noqa: SLF001
    )


def _take(step: ModelCallStep, said: Any, usage: list[object]) -> Any:
    parts = [plain_form(part) for part in said] if isinstance(said, list) else plain_form(said)
    step.result(parts, usage=usage[-1] if usage else None, status="ok")
    return said


# --- usage -------------------------------------------------------------------------------------------


@contextmanager
def _counted(llm: object) -> Generator[list[object]]:
    said: list[object] = []
    token = _usage.set((llm, said))
    try:
        yield said
    finally:
        _usage.reset(token)


def _counting(track: Any) -> Callable[..., Any]:
    def counted(llm: Any, usage: Any) -> Any:
        asked = _usage.get()
        if usage and asked is not None and asked[0] is llm:  # and not one that it asks in turn
            asked[1].append(usage)
        return track(llm, usage)

    return counted
