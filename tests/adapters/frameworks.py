"""Frameworks that run the same agent: those of the environment that the tests run in."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from tests.adapters.playing import Play

__all__ = ["FRAMEWORKS", "is_apart"]

is_apart = find_spec("strands") is not None
"""Whether this is the environment for frameworks whose pins exclude those of the other."""

_module = import_module(f"tests.adapters.frameworks_{'apart' if is_apart else 'here'}")
FRAMEWORKS = cast("Mapping[str, Play]", _module.FRAMEWORKS)
