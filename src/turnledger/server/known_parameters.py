"""No parameter is ignored: after a slip of the pen in a filter, all would seem to be what was asked for."""

from __future__ import annotations

from typing import get_args, get_origin

from fastapi.routing import APIRoute
from starlette.requests import Request

from turnledger.server.problems import HttpError

__all__ = ["check_parameters"]

_SHOWN = 60


async def check_parameters(request: Request) -> None:
    """A dependency of every route.  Raises HttpError 422 for one that it has not, or has only once."""
    given = request.query_params.multi_items()
    if not given:
        return
    known = _parameters(request.scope["route"])
    seen: set[str] = set()
    for name, _ in given:
        if name not in known:
            raise _unknown(name, list(known))
        if name in seen and not known[name]:
            msg = f"The parameter {name!r} is given more than once, and only one value counts."
            raise HttpError(422, "usage", msg, "Give it once.")
        seen.add(name)


def _parameters(route: APIRoute) -> dict[str, bool]:
    """Names of the route's query parameters, and whether each takes several values."""
    return {field.alias: _is_list(field.field_info.annotation) for field in route.dependant.query_params}


def _is_list(annotation: object) -> bool:
    return list in {get_origin(one) for one in (annotation, *get_args(annotation))}


def _unknown(name: str, known: list[str]) -> HttpError:
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    there = f"It has {', '.join(sorted(known))}" if known else "It has none"
    return HttpError(
        422, "usage", f"This resource has no parameter {shown!r}.", f"{there}; see /openapi.json."
    )
