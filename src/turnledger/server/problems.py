"""Every error as one RFC 9457 problem: what happened, to what, and what to do next.  Never a body."""

from __future__ import annotations

import logging
import traceback
from typing import Final

import msgspec
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from turnledger.errors import (
    ConflictError,
    LedgerCorruptError,
    LedgerError,
    LedgerUnavailableError,
    NotAllowedError,
    NotAuthenticatedError,
    NotFoundError,
    UsageError,
)
from turnledger.server.answers.problem import Problem
from turnledger.server.reply import PROBLEM

__all__ = ["HttpError", "handle_problems", "problem", "problem_of"]

_log = logging.getLogger("turnledger.server")

_TITLES: Final = {
    400: "This request cannot be understood",
    401: "Not logged in",
    403: "Not allowed",
    404: "Not found",
    405: "Not a method of this resource",
    409: "In the way of something else",
    413: "Too large",
    415: "Not an accepted media type",
    416: "Not a range of this body",
    421: "Not a name of this server",
    422: "Wrong parameter",
    500: "A fault of the server",
    503: "The ledger cannot be reached",
}

_AN_ID: Final = "01890a5d-ac96-774b-bcce-b302099a8057"

# The first class that fits decides.
_LEDGER_ERRORS: Final[tuple[tuple[type[LedgerError], int], ...]] = (
    (NotAuthenticatedError, 401),
    (NotAllowedError, 403),
    (NotFoundError, 404),
    (ConflictError, 409),
    (UsageError, 400),
    (LedgerCorruptError, 500),
    (LedgerUnavailableError, 503),
)


class HttpError(Exception):
    """A problem that has no class of its own among the ledger's errors."""

    def __init__(self, status: int, code: str, detail: str, next_step: str = "") -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.next_step = next_step


def problem(status: int, code: str, detail: str, next_step: str = "") -> Response:
    """The response for a problem."""
    title = _TITLES.get(status, "Problem")
    body = Problem(type=code, title=title, status=status, detail=detail, next_step=next_step)
    headers = {"Cache-Control": "no-store"}
    if status == 401:  # noqa: PLR2004  RFC 9110: it names what would do
        headers["WWW-Authenticate"] = 'Bearer realm="turnledger"'
    if status == 503:  # noqa: PLR2004
        headers["Retry-After"] = "1"
    return Response(msgspec.json.encode(body), status, headers, PROBLEM)


def problem_of(error: LedgerError | HttpError) -> Response:
    """The response for an error."""
    if isinstance(error, HttpError):
        return problem(error.status, error.code, str(error), error.next_step)
    status = next((status for kind, status in _LEDGER_ERRORS if isinstance(error, kind)), 500)
    return problem(status, error.code, error.message, error.next_step)


def handle_problems(app: FastAPI) -> None:
    """Have the app answer all errors this way."""
    app.add_exception_handler(LedgerError, _told_error)
    app.add_exception_handler(HttpError, _told_error)
    app.add_exception_handler(HTTPException, _framework_error)
    app.add_exception_handler(RequestValidationError, _wrong_parameter)
    app.add_exception_handler(Exception, _fault)


async def _told_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, (LedgerError, HttpError)):
        raise error
    return problem_of(error)


async def _framework_error(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    code = {404: "not-found", 405: "wrong-method"}.get(error.status_code, "usage")
    found = problem(error.status_code, code, f"{error.detail}.", "See /openapi.json for what there is.")
    found.headers.update(error.headers or {})
    return found


async def _wrong_parameter(_request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    first = error.errors()[0]
    where = " ".join(str(part) for part in first["loc"])
    if first["type"].startswith("uuid"):
        detail = f"{str(first['input'])[:40]!r} is no id ({where})."
        return problem(422, "usage", detail, f"An id is a UUID in small letters, such as {_AN_ID}.")
    return problem(422, "usage", f"{where}: {first['msg']}.", "See /openapi.json for what it has to be.")


async def _fault(request: Request, error: Exception) -> Response:
    """An error nobody foresaw: its text may hold what was recorded, so only its class is told."""
    trace = "".join(traceback.format_tb(error.__traceback__))
    _log.error("%s while answering %s\n%s", type(error).__name__, request.scope.get("path"), trace)
    detail = f"A fault of the server itself ({type(error).__name__}); its log has the trace."
    return problem(500, "fault", detail, "Try again, and report it if it happens again.")
