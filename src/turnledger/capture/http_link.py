"""One kept-alive HTTP connection to a server, with a moment of patience where that restarts."""

from __future__ import annotations

import http.client
import ssl
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import msgspec

from turnledger.clock import Clock
from turnledger.errors import (
    LedgerError,
    LedgerUnavailableError,
    NotAllowedError,
    NotAuthenticatedError,
    NotFoundError,
    TurnLost,
    UsageError,
)

__all__ = ["HttpLink", "Remote", "TooLargeForServerError"]

TIMEOUT_S: Final = 30.0
_PAUSES: Final = (
    0.05,
    0.1,
    0.2,
    0.4,
    0.8,
    1.6,
    1.6,
)  # about 5 seconds: a server that restarts is back by then
_PORTS: Final = {"http": 80, "https": 443}
_LATER: Final = frozenset({500, 502, 503, 504})


class TooLargeForServerError(LedgerUnavailableError):
    """The server does not take a request of this size."""

    code = "too-large"


@dataclass(frozen=True, slots=True)
class Remote:
    """Where a server is; ``token`` is never shown."""

    scheme: str
    host: str
    port: int
    path: str
    token: str

    @classmethod
    def parse(cls, url: str, token: str) -> Remote:
        """The server at ``http://host:port`` or ``https://…``.  Raises UsageError."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if (
            parts.scheme not in _PORTS
            or not parts.hostname
            or parts.username
            or parts.query
            or parts.fragment
        ):
            msg = "A server's URL is http://host:port or https://host, without credentials in it."
            raise UsageError(msg, next_step="Put the token into TURNLEDGER_TOKEN.")
        if not token or not token.isascii() or not token.isprintable():
            msg = "Recording through a server needs a token."
            next_step = "Make one with `turnledger token create --scope capture`, and set TURNLEDGER_TOKEN."
            raise UsageError(msg, next_step=next_step)
        return cls(parts.scheme, parts.hostname, port or _PORTS[parts.scheme], parts.path.rstrip("/"), token)

    @property
    def label(self) -> str:
        """The address, for people."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"

    def __repr__(self) -> str:
        return f"Remote({self.label!r})"


class HttpLink:
    """For one thread at a time.  A request may arrive twice, so all that is asked here can be asked again."""

    def __init__(self, remote: Remote, clock: Clock) -> None:
        self._remote = remote
        self._clock = clock
        self._connection: http.client.HTTPConnection | None = None
        self._is_away = False

    def ask(self, method: str, path: str, body: bytes | None = None, form: str = "") -> bytes:
        """The body of the answer.

        Raises LedgerUnavailableError where the server cannot be reached for about five seconds (at once
        where that was so the last time), and the error that the server's own problem stands for.
        """
        headers = {"Authorization": f"Bearer {self._remote.token}", "Accept": form or "application/json"}
        if body is not None:
            headers["Content-Type"] = form
        problem: Exception | None = None
        for pause in (None, *_PAUSES):
            if pause is not None:
                if self._is_away:
                    break
                self._clock.sleep(pause)
            try:
                status, answer = self._once(method, self._remote.path + path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                problem = error
                continue
            if status not in _LATER:
                self._is_away = False
                return _checked(status, answer)
            problem = _problem(status, answer)
        self._is_away = True
        raise self._unreachable(problem)

    def _once(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        is_kept = self._connection is not None
        try:
            return self._exchange(method, path, body, headers)
        except (OSError, http.client.HTTPException):
            self.close()
            if not is_kept:
                raise
        try:
            return self._exchange(
                method, path, body, headers
            )  # the server ended the connection while it idled
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def _exchange(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = self._open()
        self._connection.request(method, path, body, headers)
        response = self._connection.getresponse()
        return response.status, response.read()

    def _open(self) -> http.client.HTTPConnection:
        remote = self._remote
        if remote.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(remote.host, remote.port, timeout=TIMEOUT_S, context=context)
        return http.client.HTTPConnection(remote.host, remote.port, timeout=TIMEOUT_S)

    def _unreachable(self, problem: Exception | None) -> LedgerUnavailableError:
        if isinstance(problem, LedgerUnavailableError):
            return problem
        reason = "it does not answer" if isinstance(problem, TimeoutError) else _reason(problem)
        return LedgerUnavailableError(
            f"The server at {self._remote.label} cannot be reached: {reason}.",
            next_step="Check that it runs and that TURNLEDGER_URL names it.",
        )

    def close(self) -> None:
        """Give the connection back.  Idempotent."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def leave_to_parent(self) -> None:
        """In a forked child: give up the descriptor; the connection itself goes on in the parent."""
        self.close()


def _reason(problem: Exception | None) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror.lower()
    return type(problem).__name__


class _Said(msgspec.Struct, rename="camel"):
    """What is read of a problem."""

    type: str = ""
    detail: str = ""
    next_step: str = ""


_ERRORS: Final[dict[int, type[LedgerError]]] = {
    400: UsageError,
    401: NotAuthenticatedError,
    403: NotAllowedError,
    404: NotFoundError,
    409: TurnLost,
    413: TooLargeForServerError,
}


def _checked(status: int, answer: bytes) -> bytes:
    if status < 300:  # noqa: PLR2004  a success
        return answer
    raise _problem(status, answer)


def _problem(status: int, answer: bytes) -> LedgerError:
    try:
        said = msgspec.json.decode(answer, type=_Said)
    except msgspec.DecodeError:
        said = _Said()
    kind = _ERRORS.get(status, LedgerUnavailableError)
    return kind(said.detail or f"The server answered with status {status}.", next_step=said.next_step)
