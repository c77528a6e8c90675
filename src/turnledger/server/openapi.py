"""The OpenAPI document: routes from the framework, schemas from the answer classes, who may ask from both."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from turnledger.server import answers as answer_modules
from turnledger.server.answers.form import Answer
from turnledger.server.caller import COOKIE, CSRF_HEADER, Needs
from turnledger.server.examples import example_of
from turnledger.server.question import Question
from turnledger.server.reply import SCHEMAS
from turnledger.version import __version__
from turnledger.wire import capture_lookups
from turnledger.wire.capture_form import CaptureAnswer, CaptureRequest

__all__ = ["describe"]

_ABOUT: Final = (
    "Everything that Turnledger's console shows comes from here.  Ids are UUIDs, times RFC 3339 in UTC, "
    "durations milliseconds.  Lists have `hasMore` and a cursor `next`.  Errors are RFC 9457 problems whose "
    f"`type` is a stable code.  A change asked for with a session's cookie needs the header `{CSRF_HEADER}`."
)
_SECURITY: Final = {
    "token": {"type": "http", "scheme": "bearer", "description": "From `turnledger token create`."},
    "session": {"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "From `POST /api/session`."},
}


def describe(app: FastAPI, routers: Iterable[APIRouter]) -> dict[str, Any]:
    """The document of an app that these routers were included in."""
    document = get_openapi(
        title="Turnledger",
        version=__version__,
        description=_ABOUT,
        routes=app.routes,
        summary="A ledger's API.",
    )
    # The framework names the closed vocabularies of parameters; answers and questions are named here.
    named = document["components"]["schemas"]
    schemas = dict(
        sorted({**{name: one for name, one in named.items() if "enum" in one}, **_schemas()}.items())
    )
    document["components"] = {"schemas": schemas, "securitySchemes": _SECURITY}
    paths = dict.fromkeys(
        route.path for router in routers for route in router.routes if isinstance(route, APIRoute)
    )
    document["paths"] = {path: document["paths"][path] for path in paths}
    for route in (route for router in routers for route in router.routes if isinstance(route, APIRoute)):
        for method in route.methods or ():
            operation = document["paths"][route.path][method.lower()]
            _secure(operation, _needs(route))
            _give_examples(operation, schemas)
    return document


def _needs(route: APIRoute) -> Needs | None:
    calls = [one.call for one in route.dependant.dependencies]
    return next((call for call in calls if isinstance(call, Needs)), None)


def _secure(operation: dict[str, Any], needs: Needs | None) -> None:
    if needs is None:
        operation["security"] = []
        return
    operation["security"] = [{"token": []}, {"session": []}]
    operation["x-scope"] = None if needs.scope is None else str(needs.scope)


def _give_examples(operation: dict[str, Any], schemas: Mapping[str, Mapping[str, Any]]) -> None:
    for response in operation["responses"].values():
        for content in response.get("content", {}).values():
            reference = content.get("schema", {}).get("$ref")
            if reference is not None and "example" not in content:
                content["example"] = example_of(reference.removeprefix(SCHEMAS), schemas)


def _schemas() -> dict[str, Any]:
    for module in pkgutil.iter_modules(answer_modules.__path__):
        importlib.import_module(f"{answer_modules.__name__}.{module.name}")
    lookups = [getattr(capture_lookups, name) for name in capture_lookups.__all__]
    kinds = [*_below(Answer), *_below(Question), CaptureRequest, CaptureAnswer, *lookups]
    _, found = msgspec.json.schema_components(kinds, ref_template=SCHEMAS + "{name}")
    return found


def _below(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
