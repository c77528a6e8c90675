"""How an adapter is described: what it records of which SDK, by what hook, and how it is switched on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from typing import Final

from turnledger.model.vocabulary import Assurance

__all__ = ["Adapter", "Hook", "Part", "Support", "installed_version", "release", "support_of"]

_RELEASE: Final = re.compile(r"\d+(?:\.\d+)*")


class Hook(StrEnum):
    """Where a recorder stands."""

    TRANSPORT = "transport"
    """Before what sends bytes: it sees those that leave and those that arrive."""
    MIDDLEWARE = "middleware"
    """Called by the framework around an effect, which it hands on."""
    CALLBACK = "callback"
    """Called by the framework before an effect and after it; the framework stops where it raises."""
    WRAPPER = "wrapper"
    """In the place of the function that has the effect."""


class Support(StrEnum):
    """What can be said of an installed release."""

    RECORDED = "recorded"
    """Between the oldest and the newest release that the tests ran with."""
    NEWER = "newer"
    """Newer than any that the tests ran with: probably recorded."""
    OLDER = "older"
    """Older than any that the tests ran with: its hooks may be missing."""


@dataclass(frozen=True, slots=True)
class Part:
    """One kind of effect and the hook that records it."""

    what: str
    """In the plural: ``requests to models``."""
    hook: Hook
    at: str
    """The hook's own name in the SDK."""
    assurance: Assurance = Assurance.WRITE_AHEAD
    refuses: bool = True
    """Whether the effect does not happen where it could not be recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One SDK that is recorded."""

    name: str
    distribution: str
    """Its name for ``pip``."""
    packages: tuple[str, ...]
    """What is imported of it."""
    oldest: str
    newest: str
    """The releases that the tests ran with: the oldest and the newest one."""
    parts: tuple[Part, ...]
    switch_on: tuple[str, ...]
    """Lines of Python to write."""
    by_install: bool = False
    """Whether ``turnledger.install()`` does it too."""
    module: str | None = None
    """The module of this package that has its ``Recording``; None where ``turnledger.record`` is all."""
    not_seen: tuple[str, ...] = ()
    """What of the SDK does not pass any of the hooks."""
    page: str
    """Its page in ``docs/sdks``."""


def installed_version(distribution: str) -> str | None:
    """The version that is installed where this program runs, told without importing it; None for none."""
    try:
        found = metadata.distribution(distribution).metadata
    except metadata.PackageNotFoundError:
        return None
    return next(iter(found.get_all("Version", [])), None)  # a damaged one has none


def support_of(adapter: Adapter, version: str) -> Support:
    """What can be said of ``version`` of the adapter's SDK.

    A bound counts for all that begins with it: with ``2.60`` as the oldest, ``2.60.3`` is recorded.
    """
    found, oldest, newest = release(version), release(adapter.oldest), release(adapter.newest)
    if found < oldest:
        return Support.OLDER
    return Support.NEWER if found[: len(newest)] > newest else Support.RECORDED


def release(version: str) -> tuple[int, ...]:
    """The numbers that a version begins with; none for one that begins with something else."""
    numbers = _RELEASE.match(version.removeprefix("v"))
    return () if numbers is None else tuple(int(number) for number in numbers[0].split("."))
