"""Pydantic AI: ``Agent(model, capabilities=[Recording()])``.

Tool runs are recorded with the text that the model wrote and the arguments that were validated, requests to
models byte for byte where their client speaks HTTP, else as the messages that the model was given.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters.joining import joined
from turnledger.adapters.pydantic_ai_approval import approved_step, ask_for_approval, supplied_text
from turnledger.adapters.pydantic_ai_model import recording_model
from turnledger.adapters.tool_hook import running, tool_step
from turnledger.capture.context import current_turn
from turnledger.errors import UsageError
from turnledger.model.vocabulary import ApprovalDecision

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering

    from turnledger.capture.conversation import Conversation
    from turnledger.capture.tool_call import ToolCallStep

__all__ = ["Recording"]


class _Run:
    """One execution of a tool: its step, from where it starts until it has an outcome."""

    def __init__(self) -> None:
        self.step: ToolCallStep | None = None

    async def end(self, error: BaseException | None) -> None:
        """End the step, if it is open."""
        step, self.step = self.step, None
        if step is not None:
            trace = None if error is None else error.__traceback__
            await step.__aexit__(None if error is None else type(error), error, trace)


_run: ContextVar[_Run | None] = ContextVar("turnledger_pydantic_ai_run", default=None)

_TEXT: Final = (str, bytes)


class Capability:
    """A capability that records what the agent does, in the turn that is open where it runs.

    ``role`` says what its model is used for.  With ``conversation``, a run outside of any turn is a turn of
    its own: the prompt is its trigger, the output its answer.  It stands innermost, wherever it is given.
    """

    def __init__(self, *, role: str | None = "primary", conversation: Conversation | None = None) -> None:
        super().__init__()
        self.role = role
        self.conversation = conversation

    def get_ordering(self) -> CapabilityOrdering:
        """Nothing stands between this and the effects: what other capabilities change is recorded changed."""
        from pydantic_ai.capabilities import CapabilityOrdering  # noqa: PLC0415  its user has imported it

        return CapabilityOrdering(position="innermost")

    def get_wrapper_model(self, model: Any) -> Any:
        """A recorder around a model without an HTTP client that is known; None where the client records."""
        return recording_model(model, self.role)

    async def wrap_run(self, ctx: Any, *, handler: Callable[[], Awaitable[Any]]) -> Any:
        """Open a turn around a run that has none, if a conversation was given for that."""
        if self.conversation is None or current_turn() is not None:
            return await handler()
        prompt = ctx.prompt
        content = prompt if prompt is None or isinstance(prompt, _TEXT) else list(prompt)
        async with self.conversation.turn(content=content) as turn:
            result = await handler()
            if not any(approval.decision is ApprovalDecision.REQUESTED for approval in turn.approvals):
                await turn.commit(result.output)
        return result

    # --- tools ---------------------------------------------------------------------------------

    async def on_tool_validate_error(self, ctx: Any, *, call: Any, error: Exception, **_: Any) -> Any:
        """Record a call whose arguments were refused; it goes on to be refused."""
        step = tool_step(
            call.tool_name, supplied=supplied_text(call), valid=False, call_id=call.tool_call_id or None
        )
        async with step:
            step.result(str(error), status="invalid")
        raise error

    async def wrap_tool_execute(
        self,
        ctx: Any,
        *,
        call: Any,
        args: dict[str, Any],
        handler: Callable[[dict[str, Any]], Awaitable[Any]],
        **_: Any,
    ) -> Any:
        """See that a run which was begun has an outcome."""
        run = _Run()
        token = _run.set(run)
        try:
            with running(call.tool_name):
                return await handler(args)
        except BaseException as error:
            if run.step is not None and _is_deferral(error):
                run.step.result(str(error) or type(error).__name__, status="cancelled")
            await run.end(error)
            raise
        finally:
            _run.reset(token)
            await run.end(None)

    async def before_tool_execute(
        self,
        ctx: Any,
        *,
        call: Any,
        args: dict[str, Any],
        **_: Any,
    ) -> dict[str, Any]:
        """Have the call on record; raises CaptureRefused where that fails, and the tool does not run."""
        step = await approved_step(call) if ctx.tool_call_approved else None
        if step is None:
            step = tool_step(
                call.tool_name,
                supplied=supplied_text(call),
                validated=args,
                call_id=call.tool_call_id or None,
            )
            await step.__aenter__()
        run = _run.get()
        if run is not None:
            run.step = step
        return args

    async def after_tool_execute(self, ctx: Any, *, result: Any, **_: Any) -> Any:
        """Have what the tool returned on record before anybody makes something else of it."""
        run = _run.get()
        if run is not None and run.step is not None:
            run.step.result(result)
            await run.end(None)
        return result

    async def handle_deferred_tool_calls(self, ctx: Any, *, requests: Any) -> None:
        """Have a call that waits for an approval on record, so that the turn waits with it."""
        for call in requests.approvals:
            await ask_for_approval(call, requests.metadata.get(call.tool_call_id))


def _is_deferral(error: BaseException) -> bool:
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred  # noqa: PLC0415  its user has imported it

    return isinstance(error, (ApprovalRequired, CallDeferred))


if TYPE_CHECKING:

    class Recording(Capability, AbstractCapability[Any]):
        """See ``Capability``."""

else:

    def __getattr__(name: str) -> object:
        if name != "Recording":
            msg = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(msg)
        from pydantic_ai.capabilities import AbstractCapability  # noqa: PLC0415  whoever asks for it has it

        if not hasattr(AbstractCapability, "get_wrapper_model"):
            msg = "This version of pydantic-ai has no capabilities that can record models."
            raise UsageError(msg, next_step="Upgrade pydantic-ai.")
        return joined(Capability, AbstractCapability, name)
