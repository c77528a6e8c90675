"""Models of Pydantic AI: recorded by their HTTP client where they have one, else by what they are given."""

from __future__ import annotations

import copy
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters.clients import is_recordable, record
from turnledger.adapters.joining import joined
from turnledger.capture.context import current

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep

__all__ = ["recording_model"]

_ESTIMATING: Final = ("pydantic_ai.models.test", "pydantic_ai.models.function")


def recording_model(model: Any, role: str | None) -> Any:
    """What has to be asked instead of ``model`` so that it is recorded; None where it can be asked itself."""
    members = getattr(model, "models", None)
    if isinstance(members, list):  # one is asked after another
        recording = [recording_model(member, role) or member for member in members]
        if all(ours is theirs for ours, theirs in zip(recording, members, strict=True)):
            return None
        fallback = copy.copy(model)
        fallback.models = recording
        return fallback
    if is_recordable(model):
        record(model, role=role)
        return None
    from pydantic_ai.models.wrapper import WrapperModel  # noqa: PLC0415  its user has imported it

    return joined(ModelRecorder, WrapperModel, "RecordingModel")(model, role)


class ModelRecorder:
    """A model that records what another one is asked, as the framework's own messages."""

    wrapped: Any
    model_name: str
    system: str

    def __init__(self, wrapped: Any, role: str | None) -> None:
        super().__init__(wrapped)  # type: ignore[call-arg]  # the wrapper that this is joined with
        self.role = role

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> Any:
        """Ask once the request is on record."""
        async with self._step(messages, model_settings, model_request_parameters, stream=False) as step:
            response = await self.wrapped.request(messages, model_settings, model_request_parameters)
            self._take(step, response, "ok")
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: Any,
        model_settings: Any,
        model_request_parameters: Any,
        run_context: Any = None,
    ) -> AsyncGenerator[Any]:
        """Ask once the request is on record; what came of it is recorded when the stream is left."""
        async with (
            self._step(messages, model_settings, model_request_parameters, stream=True) as step,
            self.wrapped.request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream,
        ):
            yield stream
            response = stream.get()
            self._take(step, response, "ok" if response.state == "complete" else "aborted")

    def _step(self, messages: Any, settings: Any, parameters: Any, *, stream: bool) -> ModelCallStep:
        request = {"messages": messages, "settings": settings, "tools": _tools(parameters)}
        return current().model_call(
            request=_json(request), role=self.role, model=self.model_name, stream=stream, provider=self.system
        )

    def _take(self, step: ModelCallStep, response: Any, status: str) -> None:
        usage = None
        if type(self.wrapped).__module__ not in _ESTIMATING and response.usage.has_values():
            usage = _usage(response.usage)
        step.result(_json(response), usage=usage, status=status)


def _tools(parameters: Any) -> list[dict[str, object]]:
    tools = [*parameters.function_tools, *parameters.output_tools]
    return [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
        for tool in tools
    ]


def _json(value: object) -> object:
    from pydantic_core import to_jsonable_python  # noqa: PLC0415  the framework is made of it

    return to_jsonable_python(value, serialize_unknown=True, bytes_mode="base64")


def _usage(usage: Any) -> dict[str, object]:
    cached = {"cached_tokens": usage.cache_read_tokens, "cache_write_tokens": usage.cache_write_tokens}
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "input_tokens_details": cached,
        "details": dict(usage.details),
    }
