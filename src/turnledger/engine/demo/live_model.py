"""A real model for a demo agent, where ``OPENAI_BASE_URL`` and ``OPENAI_API_KEY`` name one."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from turnledger.wire.file_json import file_json

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep
    from turnledger.capture.turn import Turn

__all__ = ["LiveModel"]

_MODEL: Final = "gpt-5.2-mini"
_TIMEOUT_S: Final = 60


@dataclass(frozen=True, slots=True)
class LiveModel:
    """A server that speaks OpenAI's chat format; ``name`` is the model that it is asked for."""

    url: str
    name: str
    key: str = field(repr=False)

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> LiveModel | None:
        """The one that the environment names, None where it names none; ``OPENAI_MODEL`` is its name."""
        base, key = environment.get("OPENAI_BASE_URL"), environment.get("OPENAI_API_KEY")
        if not base or not key or not base.startswith(("http://", "https://")):
            return None
        name = environment.get("OPENAI_MODEL") or _MODEL
        return cls(f"{base.rstrip('/')}/chat/completions", name, key)

    def ask(self, turn: Turn, messages: list[object], tools: list[object]) -> ModelCallStep:
        """One call, on record before it is sent.  Raises OSError where no answer came."""
        body = file_json({"model": self.name, "messages": messages, "tools": tools})
        with turn.model_call(role="primary", request=body, url=self.url) as call:
            request = urllib.request.Request(  # noqa: S310  its scheme was looked at
                self.url,
                body,
                {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"},
            )
            try:
                with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as reply:  # noqa: S310
                    call.result(reply.read(), http_status=reply.status)
            except urllib.error.HTTPError as refusal:
                with refusal:
                    call.result(refusal.read(), http_status=refusal.code)
        return call
