"""The console's files: those that were built into the package, else a page that says how to build them."""

from __future__ import annotations

import mimetypes
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from turnledger.server.problems import problem

__all__ = ["BUILT", "PLAIN", "console_routes"]

BUILT: Final = Path(__file__).parent / "_console"
PLAIN: Final = Path(__file__).parent / "plain"

_RESERVED: Final = ("api/", "metrics", "openapi.json", "v1/", "tlog/")


def console_routes() -> Sequence[BaseRoute]:
    """One route behind all others: a file of the console, or its page for every address of its own."""
    return [_Pages("/{path:path}", _serve, methods=["GET"], include_in_schema=False)]


class _Pages(Route):
    """Comes last: an address of the API that reached it is none, whatever the method."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path_params"]["path"]
        if path.startswith(_RESERVED) or path == "api":
            told = problem(
                404, "not-found", "There is no such resource.", "See /openapi.json for what there is."
            )
            await told(scope, receive, send)
        else:
            await super().handle(scope, receive, send)


async def _serve(request: Request) -> Response:
    path = request.path_params["path"]
    root = BUILT if (BUILT / "index.html").is_file() else PLAIN
    file = (root / path).resolve()
    if file.name != "index.html" and file.is_file() and file.is_relative_to(root.resolve()):
        return _file(file, lasting="assets" in file.parts)
    accepted = request.headers.get("Accept", "*/*")
    if "text/html" not in accepted and "*/*" not in accepted:
        return problem(404, "not-found", "There is no such file.")
    return _page(root / "index.html", depth=path.count("/"))


def _page(file: Path, *, depth: int) -> Response:
    # The page names its files relative to itself, so that it also works below a prefix of a proxy.
    text = file.read_text("utf-8").replace('="./', '="' + ("../" * depth or "./"))
    return Response(text, media_type="text/html", headers={"Cache-Control": "no-cache"})


def _file(file: Path, *, lasting: bool) -> Response:
    # Built files carry a digest in their name, so they never change; the page names them and may.
    kept = "public, max-age=31536000, immutable" if lasting else "no-cache"
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return FileResponse(file, media_type=kind, headers={"Cache-Control": kept})
