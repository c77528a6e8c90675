"""Frameworks that run the same agent: those of the environment that the tests run in."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import cast

from tests.adapters.playing import Play
from tests.apart import ENVIRONMENT

__all__ = ["FRAMEWORKS"]

_module = import_module(f"tests.adapters.frameworks_{ENVIRONMENT}")
FRAMEWORKS = cast("Mapping[str, Play]", _module.FRAMEWORKS)
