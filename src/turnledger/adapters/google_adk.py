"""Google's Agent Development Kit: ``App(name=…, root_agent=agent, plugins=[Recording()])``.

Its callbacks do not stand at the effects: others run after them, and one that answers ends the rest.  So the
plugin uses them to stand around the model and the tool themselves, once each.
"""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownParameterType=false
# (it is in an environment of its own)
from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters import litellm
from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.joining import joined
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.capture.content import plain_form
from turnledger.capture.context import current

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from google.adk.plugins.base_plugin import BasePlugin

    from turnledger.capture.model_call import ModelCallStep

__all__ = ["Recording"]

_ASK: Final = "generate_content_async"
_RUN: Final = "run_async"
_CHOOSE: Final = "_delegate"  # of a model that asks one after another
_CLIENTS: Final = ("_openai_client", "_anthropic_client", "api_client")
"""Where models keep what sends their requests, made when it is first asked for."""
_ELSEWHERE: Final = ("use_interactions_api", "_api_type")
"""Attributes of models that may send by something else than that."""


class Plugin:
    """A plugin that records what the agents of an app do, in the turn that is open where it runs.

    ``role`` says what their models are used for.
    """

    def __init__(self, *, role: str | None = "primary") -> None:
        super().__init__(name="turnledger")  # type: ignore[call-arg]  # the plugin that this is joined with
        self.role = role

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Stand around the model that is about to be asked."""
        agent = callback_context.get_invocation_context().agent
        _stand_around_model(await agent.canonical_model_async(callback_context), self.role)

    async def before_tool_callback(self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any) -> None:
        """Stand around the tool that is about to run."""
        _stand_around(tool, _RUN, _Run)


def _stand_around_model(model: Any, role: str | None) -> None:
    kind = _Delegates if hasattr(type(model), _CHOOSE) else _Asked
    _stand_around(model, kind.name, lambda one: kind(one, role))


def _stand_around(owner: Any, name: str, make: Callable[[Any], _Around]) -> None:
    """Have ours in the place of a method, once; a copy of an object brings that of the other one along."""
    there = vars(owner).get(name)
    if not isinstance(there, _Around) or there.owner is not owner:
        made = make(owner)
        made.given = None if isinstance(there, _Around) else there
        vars(owner)[name] = made


class _Around:
    """Stands in the place of a method of ``owner``."""

    name: str
    given: Callable[..., Any] | None = None

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    @property
    def inner(self) -> Callable[..., Any]:
        """What was there before: set by somebody, or the method of its class."""
        return self.given or getattr(type(self.owner), self.name).__get__(self.owner)


class _Asked(_Around):
    """Sees that a request is on record before it leaves; raises CaptureRefused where that fails."""

    name = _ASK

    def __init__(self, owner: Any, role: str | None) -> None:
        super().__init__(owner)
        self.role = role

    async def __call__(self, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any]:  # noqa: FBT001, FBT002
        if self._records_itself():
            async with aclosing(self.inner(llm_request, stream)) as responses:
                async for response in responses:
                    yield response
            return
        async with (
            self._step(llm_request, stream=stream) as step,
            aclosing(self.inner(llm_request, stream)) as responses,
        ):
            async for response in responses:
                _take(step, response)
                yield response

    def _records_itself(self) -> bool:
        model = self.owner
        if hasattr(model, "llm_client"):  # LiteLLM's
            return litellm.is_recorded()
        if any(getattr(model, name, None) for name in _ELSEWHERE):
            return False
        client = next((getattr(model, name) for name in _CLIENTS if hasattr(type(model), name)), None)
        if client is None or not is_recordable(client):
            return False
        record(client, role=self.role)
        return True

    def _step(self, asked: Any, *, stream: bool) -> ModelCallStep:
        config = asked.config.model_dump(exclude_none=True, exclude={"http_options"})
        contents = [content.model_dump(exclude_none=True) for content in asked.contents]
        request = _json({"contents": contents, "config": config})
        name = asked.model or getattr(self.owner, "model", None) or type(self.owner).__name__
        return current().model_call(request=request, role=self.role, model=name, stream=stream)


class _Delegates(_Around):
    """Stands around each model that another one asks in its place."""

    name = _CHOOSE

    def __init__(self, owner: Any, role: str | None) -> None:
        super().__init__(owner)
        self.role = role

    def __call__(self, entry: Any) -> Any:
        model = self.inner(entry)
        _stand_around_model(model, self.role)
        return model


class _Run(_Around):
    """Has a call on record before the tool runs; raises CaptureRefused where that fails."""

    name = _RUN

    async def __call__(self, *, args: dict[str, Any], tool_context: Any) -> Any:
        tool = self.owner
        async with tool_step(tool.name, validated=args, call_id=tool_context.function_call_id) as step:
            with running(tool.name):
                result = await self.inner(args=args, tool_context=tool_context)
            find = getattr(tool, "_detect_error_in_response", None)
            failed = find is not None and find(result) is not None
            step.result(plain_form(result), status="error" if failed else "ok")
        return result


def _take(step: ModelCallStep, response: Any) -> None:
    """Keep what the model says as it comes; the last one, which is not partial, has all of it."""
    said = _json(response.model_dump(exclude_none=True))
    if response.partial:
        step.chunk(said)
        return
    counts = response.usage_metadata
    usage = None if counts is None else counts.model_dump(by_alias=True, exclude_none=True, mode="json")
    failed = response.error_code and response.content is None
    if not step.has_result:
        step.result(said, usage=usage, status="error" if failed else "ok")


def _json(value: object) -> object:
    from pydantic_core import to_jsonable_python  # noqa: PLC0415  the framework is made of it

    return to_jsonable_python(value, serialize_unknown=True, bytes_mode="base64")


if TYPE_CHECKING:

    class Recording(Plugin, BasePlugin):
        """See ``Plugin``."""

else:

    def __getattr__(name: str) -> object:
        if name != "Recording":
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from google.adk.plugins.base_plugin import BasePlugin  # noqa: PLC0415  whoever asks for it has it

        return joined(Plugin, BasePlugin, name)
