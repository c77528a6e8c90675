"""``turnledger doctor --adapters``: which SDKs are installed, what of them is recorded, and how."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from turnledger.adapters.described import Adapter, Part, Support, installed_version, support_of
from turnledger.adapters.registry import ADAPTERS
from turnledger.cli.line import BAD, GOOD, QUIET, WARN
from turnledger.cli.screen import Screen, write_json
from turnledger.version import __version__

__all__ = ["show_adapters"]

_FIELD: Final = 11
_STYLES: Final = {Support.RECORDED: GOOD, Support.NEWER: WARN, Support.OLDER: BAD}
_TURN: Final = "with turnledger.open().agent(…).conversation(…).turn(): what is asked outside is refused"
_OTHERWISE: Final[Mapping[str, str]] = {
    "another SDK": "turnledger.record(client), where it is one over httpx",
    "your tools": "@turnledger.tool",
    "your code": "with turn.model_call(…) as call, with turn.tool_call(…) as step",
    "any program": "turnledger gateway",
}
"""What records without an SDK that is known, and what to type for it."""


@dataclass(frozen=True, slots=True)
class _Found:
    """An adapter and the version of its SDK that is installed, if one is."""

    adapter: Adapter
    version: str | None

    @property
    def support(self) -> Support | None:
        return None if self.version is None else support_of(self.adapter, self.version)


def show_adapters(*, as_json: bool) -> bool:
    """Write it to stdout; False where an installed SDK is too old to be recorded.

    Nothing is imported for it: versions are those that the installer wrote down.
    """
    found = [_Found(adapter, installed_version(adapter.distribution)) for adapter in ADAPTERS]
    is_well = all(one.support is not Support.OLDER for one in found)
    if as_json:
        write_json(
            {
                "environment": sys.prefix,
                "version": __version__,
                "ok": is_well,
                "adapters": [_as_json(one) for one in found],
                "otherwise": _OTHERWISE,
            }
        )
    else:
        _show(found)
    return is_well


def _as_json(one: _Found) -> dict[str, object]:
    adapter = one.adapter
    return {
        "name": adapter.name,
        "distribution": adapter.distribution,
        "installed": one.version,
        "support": one.support,
        "tested": {"oldest": adapter.oldest, "newest": adapter.newest},
        "records": [
            {
                "what": part.what,
                "hook": part.hook,
                "at": part.at,
                "assurance": part.assurance.word,
                "refuses": part.refuses,
            }
            for part in adapter.parts
        ],
        "notSeen": adapter.not_seen,
        "switchOn": adapter.switch_on,
        "byInstall": adapter.by_install,
        "page": f"docs/sdks/{adapter.page}",
    }


# --- for people --------------------------------------------------------------------------------------


def _show(found: Sequence[_Found]) -> None:
    screen = Screen()
    there = [one for one in found if one.version is not None]
    absent = [one.adapter for one in found if one.version is None]
    for one in there:
        _show_one(screen, one)
    if there:
        _show_install(screen, [one.adapter for one in there])
    else:
        _teach(screen, absent)
    if absent:
        _field(screen, "absent", ", ".join(adapter.distribution for adapter in absent))
    _field(screen, "inside", _TURN)
    for whose, words in _OTHERWISE.items():
        _field(screen, whose, words)
    _field(screen, "looked in", f"{sys.prefix}: an agent elsewhere needs Turnledger there")


def _show_one(screen: Screen, one: _Found) -> None:
    adapter, support = one.adapter, one.support
    if support is None:
        return
    name = f"{adapter.distribution} {one.version}"
    screen.line((f"{name}  ", "bold"), (_words_on(support, adapter), _STYLES[support]))
    width = max(len(part.what) for part in adapter.parts)
    for part in adapter.parts:
        words = f"{part.what:<{width}}  {_promise(part)}  {part.hook}: {part.at}"
        screen.prose((f"  {'records':<{_FIELD}}", QUIET), words)
    if adapter.not_seen:
        screen.prose((f"  {'not seen':<{_FIELD}}", QUIET), ", ".join(adapter.not_seen))
    _show_code(screen, "switch on", adapter.switch_on)
    screen.line()


def _words_on(support: Support, adapter: Adapter) -> str:
    tested = f"{adapter.oldest} to {adapter.newest}"
    if adapter.oldest == adapter.newest:
        tested = adapter.oldest
    return {
        Support.RECORDED: f"recorded (tested {tested})",
        Support.NEWER: f"newer than tested ({tested}): what is said here is likely, not known",
        Support.OLDER: f"too old to be recorded: upgrade it (tested {tested})",
    }[support]


def _promise(part: Part) -> str:
    return f"{part.assurance.word}, {'else refused' if part.refuses else 'never refused'}"


def _show_install(screen: Screen, there: Iterable[Adapter]) -> None:
    names = [adapter.distribution for adapter in there if adapter.by_install]
    if names:
        _field(screen, "at once", f"turnledger.install(), for every client of {', '.join(names)}")


def _teach(screen: Screen, absent: Sequence[Adapter]) -> None:
    first = absent[0]
    screen.line(("No SDK that is recorded is installed here.", WARN))
    _show_code(screen, "to begin", [f"pip install {first.distribution}", *first.switch_on])
    screen.line()


def _show_code(screen: Screen, name: str, lines: Iterable[str]) -> None:
    for line in lines:
        screen.line((f"  {name:<{_FIELD}}", QUIET), (line, ""), whole=True)
        name = ""


def _field(screen: Screen, name: str, words: str) -> None:
    screen.prose((f"{name:<{_FIELD + 2}}", QUIET), words)
