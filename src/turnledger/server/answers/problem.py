"""Errors as RFC 9457 problem details."""

from __future__ import annotations

from typing import Annotated

import msgspec

from turnledger.server.answers.form import Answer

__all__ = ["Problem"]


class Problem(Answer):
    """Why there is no answer; ``type`` is a stable code."""

    type: str
    title: str
    status: int
    detail: Annotated[str, msgspec.Meta(description="What happened, to what.")]
    next_step: Annotated[str, msgspec.Meta(description="What to do about it; may be empty.")]
