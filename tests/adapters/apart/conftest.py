"""Tests of SDKs that are only in environments of their own (``make test-apart``, ``make test-crewai``)."""

from __future__ import annotations

from pathlib import Path

from tests.adapters import frameworks
from tests.adapters.conftest import provider, recorder
from tests.apart import ENVIRONMENT

__all__ = ["provider", "recorder"]

assert frameworks.FRAMEWORKS  # imported first, with what they read of the environment while they are

_ALONE = {"test_crewai.py": "crewai"}
collect_ignore = [
    file.name
    for file in Path(__file__).parent.glob("test_*.py")
    if _ALONE.get(file.name, "apart") != ENVIRONMENT
]
