"""Tests of SDKs that are only in the environment of their own (``make test-apart``)."""

from __future__ import annotations

from tests.adapters.conftest import provider, recorder
from tests.apart import is_apart

__all__ = ["provider", "recorder"]

collect_ignore_glob = [] if is_apart else ["test_*.py"]
