"""The application: routes, problems, and the gate around both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import msgspec
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.types import Lifespan

from turnledger.server.capture_door import CaptureDoor
from turnledger.server.compression import Compression
from turnledger.server.console import console_routes
from turnledger.server.gate import Gate
from turnledger.server.heads import Heads
from turnledger.server.known_parameters import check_parameters
from turnledger.server.openapi import describe
from turnledger.server.pricing import price_on
from turnledger.server.problems import handle_problems
from turnledger.server.reply import JSON
from turnledger.server.routes import (
    access,
    agents,
    capture,
    conversations,
    events,
    ledger,
    people,
    stream,
    turns,
)
from turnledger.server.service import Service
from turnledger.server.sweeping import sweep_on
from turnledger.version import __version__

__all__ = ["api_document", "create_app"]

_ROUTERS = tuple(
    [
        module.router
        for module in (agents, conversations, turns, events, people, ledger, access, capture, stream)
    ]
)


def create_app(service: Service, hosts: Sequence[str] = ()) -> FastAPI:
    """The ASGI application for one ledger; ``hosts`` are the names it answers to beside loopback's."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        service.live.start()
        tasks = [asyncio.create_task(sweep_on(service.store)), asyncio.create_task(price_on(service))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await service.live.stop()

    app = _bare_app(lifespan)
    app.state.service = service
    handle_problems(app)
    _serve_document(app)
    app.router.routes.extend(console_routes())
    app.add_middleware(Compression)
    app.add_middleware(CaptureDoor, service=service)
    app.add_middleware(Heads)
    app.add_middleware(Gate, hosts=tuple(hosts), meter=service.meter, clock=service.clock)
    return app


def api_document() -> bytes:
    """The OpenAPI document as it is committed: JSON, indented, ended by LF."""
    return msgspec.json.format(msgspec.json.encode(describe(_bare_app(None), _ROUTERS)), indent=1) + b"\n"


def _bare_app(lifespan: Lifespan[FastAPI] | None) -> FastAPI:
    app = FastAPI(
        title="Turnledger",
        version=__version__,
        lifespan=lifespan,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
    )
    for router in _ROUTERS:
        app.include_router(router, dependencies=[Depends(check_parameters)])
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name


def _serve_document(app: FastAPI) -> None:
    made: list[bytes] = []

    async def get_document() -> Response:
        if not made:
            made.append(msgspec.json.encode(describe(app, _ROUTERS)))
        return Response(made[0], media_type=JSON)

    app.add_api_route("/openapi.json", get_document, include_in_schema=False)
