"""The Claude Agent SDK: ``query(prompt=…, options=Recording().options(ClaudeAgentOptions(…)))`` in a turn.

It runs a program that asks the model and runs the tools; hooks of that program are called before and after.
The bytes that the model is asked pass a recording gateway, where one is named.
"""

# pyright: reportMissingImports=false, reportUntypedBaseClass=false, reportUnknownParameterType=false
# (it is in an environment of its own)
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from turnledger.adapters.claude_agent_hooks import Hooks
from turnledger.adapters.tool_hook import open_turn

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

__all__ = ["Recording"]

_HEADERS: Final = "ANTHROPIC_CUSTOM_HEADERS"


class Recording:
    """Hooks that record what the program asks and which tools it runs, in the turn where it is started.

    ``gateway`` is the address that a ``local_gateway`` gives, whose requests are calls of the turn, or that
    of a ``turnledger gateway`` with ``/anthropic``, where each is a turn with this one as its parent.
    Without one a request is on record by what is added to the conversation.  ``role`` says what the model is
    used for.
    """

    def __init__(self, *, gateway: str | None = None, role: str | None = "primary") -> None:
        self.gateway = gateway
        self.role = role

    def options(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        """The options with the hooks, beside those that they have.

        Raises CaptureRefused where a gateway is named and no turn is open.
        """
        from claude_agent_sdk import HookMatcher  # noqa: PLC0415  its user has imported it

        hooks: dict[Any, list[Any]] = dict(options.hooks or {})
        ours = Hooks(asks=self.gateway is None, model=options.model, role=self.role)
        for event, hook in ours.by_event.items():
            hooks[event] = [*hooks.get(event, []), HookMatcher(hooks=[hook], on_failure="block")]
        return dataclasses.replace(options, hooks=hooks, env=options.env | self._environment(options.env))

    def _environment(self, given: dict[str, str]) -> dict[str, str]:
        if self.gateway is None:
            return {}
        parent = f"turnledger-parent: {open_turn().handoff()}"
        more = given.get(_HEADERS)
        return {"ANTHROPIC_BASE_URL": self.gateway, _HEADERS: f"{more}\n{parent}" if more else parent}
