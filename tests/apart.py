"""SDKs that are tested in environments of their own (``make test-apart``, ``make test-crewai``)."""

from __future__ import annotations

import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

__all__ = ["APART", "ENVIRONMENT", "ENVIRONMENTS", "is_apart"]

_PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())

ENVIRONMENTS = {"apart": "strands", "crewai": "crewai"}
"""Their names, which are those of their groups of dependencies, and a package that only this one has."""

APART = {
    re.split(r"[\[>]", wanted)[0]: name
    for name in ENVIRONMENTS
    for wanted in _PROJECT["dependency-groups"][name]
    if isinstance(wanted, str)
}
"""Names of the SDKs that are in them, and which one each is in."""

ENVIRONMENT = next((name for name, package in ENVIRONMENTS.items() if find_spec(package)), "here")
"""The environment that the tests run in: one of those, or ``here``, beside the package."""

is_apart = ENVIRONMENT != "here"
"""Whether it is one of those."""
