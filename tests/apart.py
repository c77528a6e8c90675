"""SDKs that are tested in an environment of their own (``make test-apart``)."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

__all__ = ["APART", "is_apart"]

_PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())

APART = {re.split(r"[\[>]", wanted)[0] for wanted in _PROJECT["dependency-groups"]["apart"]}
"""Names of all that is in that environment."""

is_apart = find_spec("strands") is not None
"""Whether this is that environment."""
