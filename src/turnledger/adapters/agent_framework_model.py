"""Requests of Agent Framework's clients: its own messages where no HTTP client is known, and its streams."""

# pyright: reportMissingImports=false
# (it is in an environment of its own)
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnledger.adapters.translation import translation_for
from turnledger.capture.context import current
from turnledger.errors import LedgerError

if TYPE_CHECKING:
    from types import TracebackType

    from turnledger.capture.model_call import ModelCallStep

__all__ = ["StreamedStep", "is_stream", "model_step", "ours_in", "take"]


def ours_in(error: BaseException | None) -> LedgerError | None:
    """Our error that a client has made another one of, so that it ends the run; None where it is not ours."""
    while error is not None and not isinstance(error, LedgerError):
        error = error.__cause__
    return None if error is None else translation_for("agent_framework")(error)


def is_stream(result: object) -> bool:
    """Whether this is a stream of the framework, which hooks can be hung on."""
    return hasattr(result, "with_pull_context_manager")


def model_step(context: Any, role: str | None) -> ModelCallStep:
    """The step of a request in the framework's own messages, not entered yet."""
    options = dict(context.options or {})
    tools = options.pop("tools", None)
    request = {
        "messages": [message.to_dict() for message in context.messages],
        "options": options,
        "tools": [_tool(tool) for tool in tools or []],
    }
    name = options.get("model") or getattr(context.client, "model", None)
    name = name if isinstance(name, str) else type(context.client).__name__
    return current().model_call(request=_json(request), role=role, model=name, stream=bool(context.stream))


def take(step: ModelCallStep, response: Any) -> None:
    """Keep what the model said."""
    step.result(_json(response.to_dict()), usage=_usage(response.usage_details), status="ok")


class StreamedStep:
    """Stands around each pull of a stream, and keeps what arrives for the step, if there is one."""

    def __init__(self, step: ModelCallStep | None) -> None:
        self._step = step
        self._updates: list[Any] = []
        self._error: BaseException | None = None
        self._is_whole = False

    def stand_around(self, stream: Any) -> None:
        """See the updates of a stream before anybody changes them, and its end."""
        stream.with_pull_context_manager(lambda: self)
        if self._step is not None:
            stream.with_transform_hook(self._keep)
            stream.with_cleanup_hook(self._end)

    def __enter__(self) -> None:
        """The next update is asked for."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, StopAsyncIteration):
            self._is_whole = True
            return
        self._error = error
        refusal = ours_in(error)
        if refusal is not None:
            raise refusal from error

    def _keep(self, update: Any) -> None:
        self._updates.append(update)
        if self._step is not None:
            self._step.chunk(_json(update.to_dict()))

    async def _end(self) -> None:
        step, self._step = self._step, None
        if step is None:
            return
        if self._is_whole:
            from agent_framework import ChatResponse  # noqa: PLC0415  its user has imported it

            take(step, ChatResponse.from_updates(self._updates))
        error = self._error
        if error is None:
            await step.__aexit__(None, None, None)
        else:
            await step.__aexit__(type(error), error, error.__traceback__)


def _tool(tool: Any) -> object:
    describe = getattr(tool, "to_json_schema_spec", None)
    return tool if describe is None else describe()


def _usage(counts: Any) -> dict[str, object] | None:
    if not counts:
        return None
    return {
        "input_tokens": counts.get("input_token_count"),
        "output_tokens": counts.get("output_token_count"),
        "total_tokens": counts.get("total_token_count"),
        "input_tokens_details": {
            "cached_tokens": counts.get("cache_read_input_token_count"),
            "cache_write_tokens": counts.get("cache_creation_input_token_count"),
        },
        "output_tokens_details": {"reasoning_tokens": counts.get("reasoning_output_token_count")},
    }


def _json(value: object) -> object:
    from pydantic_core import to_jsonable_python  # noqa: PLC0415  the framework is made of it

    return to_jsonable_python(value, serialize_unknown=True, bytes_mode="base64")
