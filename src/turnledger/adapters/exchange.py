"""One request of a client as a recorded step: its attempt, what arrives, and how it ends."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from turnledger.adapters.attempts import attempt_before, note_attempt
from turnledger.adapters.http_library import HttpLibrary, Request, Response, coding_of, decoded_body
from turnledger.adapters.terminal import TerminalMarker
from turnledger.capture.content import EVENTS
from turnledger.capture.context import current
from turnledger.providers.endpoint import endpoint_of

if TYPE_CHECKING:
    from turnledger.capture.model_call import ModelCallStep

__all__ = ["Exchange", "intent", "step_of"]

_EXTENSION: Final = "turnledger"  # of a response: where the libraries keep what did not come from the wire


def intent(request: Request, body: bytes, role: str | None) -> ModelCallStep:
    """The step of a request in the current turn or conversation, not entered yet.

    Raises CaptureRefused where none is open.
    """
    url, scope = str(request.url), current()
    step = scope.model_call(
        request=body,
        role=role,
        provider=endpoint_of(url).provider or request.url.host or None,
        retry_of=attempt_before(scope, request, body),
        media_type=_media_type(request.headers.get("content-type")),
        url=url,
    )
    note_attempt(scope, step, request, body)
    return step


def step_of(extensions: Mapping[str, object]) -> ModelCallStep | None:
    """The step in the ``extensions`` of a recorded client's response; None for one that is not recorded."""
    return cast("ModelCallStep | None", extensions.get(_EXTENSION))


def _media_type(header: str | None) -> str | None:
    return None if header is None else header.partition(";")[0].strip().lower() or None


class Exchange:
    """A step that was sent, while its response arrives.  Ending it again does nothing.

    It does not hold the response, whose stream holds it: one that is dropped ends at once.
    """

    def __init__(self, step: ModelCallStep, library: HttpLibrary, response: Response) -> None:
        self.step = step
        self.is_over = False
        """Whether the step has all that it will get."""
        self._library = library
        self._status = response.status_code
        self._media_type = _media_type(response.headers.get("content-type"))
        self._is_events = self._media_type == EVENTS
        self._marker = TerminalMarker()
        response.extensions[_EXTENSION] = step
        self._coding = coding_of(response)
        self._coded: list[bytes] = []
        if self._coding is not None:
            step.incoming.plain = partial(_plain_of, weakref.ref(self))

    def took(self, piece: bytes) -> bool:
        """Keep a piece; True where the response is complete with it."""
        if self.is_over:
            return False
        if self._coding is not None:  # what the provider compressed is looked at when all of it is there
            self._coded.append(piece)
            piece = b""
        self.step.chunk(piece, is_output=self._is_events)
        return self._is_events and self._marker.passed(piece)

    def complete(self) -> None:
        """Take what arrived as the whole response."""
        if not self.is_over:
            self._decode()
            self._conclude()

    def abandon(self) -> None:
        """Nobody reads on: what arrived is all there will be, and may be complete all the same."""
        if not self.is_over:
            if self._marker.passed(self._decode()):
                self._conclude()
            self.is_over = True

    def drop(self) -> None:
        """Nobody holds the response any more.  Does not wait for the ledger."""
        if not self.is_over:
            self.abandon()
            self.step.leave()

    def _decode(self) -> bytes:
        if not self._coded:
            return b""
        coded, plain = b"".join(self._coded), self._plain()
        self._coded = []
        return self.step.chunk(coded if plain is None else plain, is_output=False)

    def _plain(self) -> bytes | None:
        return decoded_body(self._library, self._coding or "identity", b"".join(self._coded))

    def plain(self) -> bytes:
        """What can be read by now of a body that is compressed."""
        return self._plain() or b""

    def _conclude(self) -> None:
        self.step.result(self.step.arrived, media_type=self._media_type, http_status=self._status)
        self.is_over = True


def _plain_of(known: weakref.ref[Exchange]) -> bytes:
    """The step holds its exchange weakly: a response that nobody reads on is dropped, and ends it."""
    exchange = known()
    return b"" if exchange is None else exchange.plain()
