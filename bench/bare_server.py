"""``python -m bench.bare_server PORT``: the server's own HTTP loop and nothing else, to compare with.

``/N`` is answered with N bytes, every other path with few.
"""

from __future__ import annotations

import sys

import uvicorn
from starlette.types import Receive, Scope, Send

LITTLE = 15


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """See ASGI."""
    while (await receive()).get("more_body"):
        pass
    name = str(scope["path"]).lstrip("/")
    body = bytes(int(name) if name.isdigit() else LITTLE)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    uvicorn.run(
        app, port=int(sys.argv[1]), http="h11", loop="asyncio", ws="none", lifespan="off",
        log_config=None, access_log=False, server_header=False, date_header=False,
    )  # fmt: skip
