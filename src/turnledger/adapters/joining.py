"""Classes of ours that are a framework's as well, made when they are first asked for."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["joined"]

_made: Final[dict[tuple[type, type], type[Any]]] = {}


def joined(kind: type, base: type, name: str) -> type[Any]:
    """The class called ``name`` that is both, ``kind`` first; the same one whenever it is asked for."""
    made = _made.get((kind, base))
    if made is None:
        names = {"__module__": kind.__module__, "__doc__": kind.__doc__}
        made = _made[kind, base] = type(name, (kind, base), names)
    return made
