"""smolagents: ``turnledger.record(agent)``, or a model of it alone."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from turnledger.adapters import clients, litellm
from turnledger.adapters.methods import put_around
from turnledger.adapters.smolagents_runs import record_runs
from turnledger.capture.content import plain_form
from turnledger.capture.context import current
from turnledger.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from turnledger.capture.model_call import ModelCallStep

__all__ = ["record"]


def record(thing: Any, role: str | None = "primary") -> None:
    """Record what an agent does from now on, its managed agents included; or what a model is asked.

    It belongs to the turn that is open where the agent runs; without one it is refused, and nothing is asked.
    Raises UsageError for a model that asks through LiteLLM where that is not recorded.
    """
    tools = getattr(thing, "tools", None)
    if not isinstance(tools, dict):
        _record_model(thing, role)
        return

    def prepare() -> None:
        _record_model(thing.model, role)
        for managed in thing.managed_agents.values():
            record(managed, role)

    prepare()
    record_runs(thing, prepare)


def _record_model(model: Any, role: str | None) -> None:
    client = getattr(model, "client", None)
    if clients.is_recordable(client):
        clients.record(client, role=role)
    elif clients.package_of(client) == "litellm":
        if not litellm.is_recorded():
            msg = f"A {type(model).__qualname__} asks through LiteLLM, which is not recorded."
            raise UsageError(msg, next_step="Call turnledger.install() before LiteLLM is imported.")
    else:
        put_around(model, "generate", functools.partial(_recorded_generate, model, role))
        put_around(model, "generate_stream", functools.partial(_recorded_stream, model, role))


def _recorded_generate(model: Any, role: str | None, generate: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(messages: Any, *args: Any, **kwargs: Any) -> Any:
        with _model_step(model, role, messages, kwargs, stream=False) as step:
            said = generate(messages, *args, **kwargs)
            step.result(plain_form(said.content), usage=_usage(said), status="ok")
            return said

    return recorded


def _recorded_stream(model: Any, role: str | None, generate: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(messages: Any, *args: Any, **kwargs: Any) -> Iterator[Any]:
        with _model_step(model, role, messages, kwargs, stream=True) as step:
            said, last = "", None
            for delta in generate(messages, *args, **kwargs):
                said += step.chunk(delta.content or "")
                last = delta if delta.token_usage is not None else last
                yield delta
            step.result(said, usage=_usage(last), status="ok")

    return recorded


def _model_step(
    model: Any, role: str | None, messages: Any, asked: dict[str, Any], *, stream: bool
) -> ModelCallStep:
    tools = [tool.name for tool in asked.get("tools_to_call_from") or ()]
    request = {"messages": [plain_form(message) for message in messages], "tools": tools}
    name = getattr(model, "model_id", None)
    name = name if isinstance(name, str) else type(model).__name__
    return current().model_call(request=request, role=role, model=name, stream=stream)


def _usage(said: Any) -> dict[str, object] | None:
    counts = getattr(said, "token_usage", None)
    if counts is None:
        return None
    return {"input_tokens": counts.input_tokens, "output_tokens": counts.output_tokens}
