"""Appending over HTTP: the same guarantees as beside the ledger.  Whatever is answered with yes is durable.

Every batch stands or falls alone: one that is malformed, too large or not allowed never harms its neighbours.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from turnledger.engine.access import Caller
from turnledger.errors import UsageError
from turnledger.model.draft import Batch, BatchResult, BatchStatus
from turnledger.server.capture_reading import Reading
from turnledger.server.meter import Meter
from turnledger.server.problems import HttpError
from turnledger.server.recent_bodies import RecentBodies
from turnledger.store.contract import Reader
from turnledger.store.ledger_store import Store
from turnledger.wire.capture_form import (
    JSON,
    MSGPACK,
    CaptureAnswer,
    CaptureBatch,
    CapturePlaced,
    CaptureRequest,
    CaptureResult,
)
from turnledger.wire.transport_coding import Inflater, TooLargeError

__all__ = ["CaptureIntake"]

REQUEST_BYTES: Final = 128 << 20
"""What one request may hold once it is unpacked."""
AT_ONCE_BYTES: Final = 64 << 10
"""More than this is read beside the event loop, so that nobody waits for it."""

_DECODERS: Final[dict[str, Callable[[bytes], CaptureRequest]]] = {
    JSON: msgspec.json.Decoder(CaptureRequest).decode,
    MSGPACK: msgspec.msgpack.Decoder(CaptureRequest).decode,
}
_ENCODERS: Final[dict[str, Callable[[CaptureAnswer], bytes]]] = {
    JSON: msgspec.json.Encoder().encode,
    MSGPACK: msgspec.msgpack.Encoder().encode,
}


class CaptureIntake:
    """Takes batches from recorders and appends them."""

    def __init__(self, store: Store, meter: Meter) -> None:
        self._store = store
        self._meter = meter
        self._recent = RecentBodies()

    def _reader(self) -> Reader:
        return self._store.reader

    async def answer(self, request: Request, caller: Caller) -> Response:
        """Append what a request holds.  Raises HttpError 413 and 415, UsageError, LedgerError."""
        form = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if form not in _DECODERS:
            msg = f"Batches are sent as {MSGPACK} or {JSON}."
            raise HttpError(415, "media-type", msg, "Set the header Content-Type.")
        data = await _body(request)
        reading = Reading(self._reader, caller.grant, self._recent)
        if len(data) > AT_ONCE_BYTES:
            asked, read = await asyncio.to_thread(_read, data, form, reading)
        else:
            asked, read = _read(data, form, reading)
        sent = self._store.append_all([one for one in read if isinstance(one, Batch)])
        await _all_of(sent)
        answers = (future.result() for future in sent)
        results: list[CaptureResult] = []
        for batch, one in zip(asked.batches, read, strict=True):
            result = next(answers) if isinstance(one, Batch) else one
            results.append(_result(batch, result))
            self._meter.add("turnledger_captured_events_total", str(result.status), len(batch.events))
        return Response(_ENCODERS[form](CaptureAnswer(results=results)), media_type=form)


async def _all_of(futures: list[Future[BatchResult]]) -> None:
    """Wait for all of them, and be woken once: most end together."""
    loop = asyncio.get_running_loop()
    all_done: asyncio.Future[None] = loop.create_future()
    left, counting = len(futures), threading.Lock()

    def one_done(_future: Future[BatchResult]) -> None:
        nonlocal left
        with counting:
            left -= 1
            is_last = left == 0
        if is_last:
            loop.call_soon_threadsafe(_set, all_done)

    for future in futures:
        future.add_done_callback(one_done)
    if futures:
        await all_done


def _set(future: asyncio.Future[None]) -> None:
    if not future.done():  # its request may be gone meanwhile; what it sent is appended all the same
        future.set_result(None)


async def _body(request: Request) -> bytes:
    encoding = request.headers.get("Content-Encoding", "identity").strip().lower()
    inflater = Inflater(encoding, REQUEST_BYTES)
    pieces: list[bytes] = []
    try:
        async for chunk in request.stream():
            pieces += inflater.feed(chunk)
    except TooLargeError as error:
        msg = f"The request holds more than {REQUEST_BYTES} bytes."
        raise HttpError(413, "too-large", msg, "Send fewer batches at once.") from error
    inflater.end()
    return b"".join(pieces)


def _read(data: bytes, form: str, reading: Reading) -> tuple[CaptureRequest, list[Batch | BatchResult]]:
    try:
        asked = _DECODERS[form](data)
    except (msgspec.DecodeError, RecursionError) as error:
        msg = f"The request is not what a recorder sends: {error}."
        raise UsageError(msg, next_step="See /openapi.json for what it has to be.") from error
    return asked, [reading.batch(batch) for batch in asked.batches]


def _result(asked: CaptureBatch, result: BatchResult) -> CaptureResult:
    if result.placed:
        events = [
            CapturePlaced(
                event_id=one.event_id,
                status="duplicate" if result.status is BatchStatus.DUPLICATE else "appended",
                seq=one.seq,
                hash=one.hash,
                created_ms=one.created_ms,
                position=one.position,
            )
            for one in result.placed
        ]
    else:
        is_conflict = result.status is BatchStatus.CONFLICT
        events = [
            CapturePlaced(event_id=event.event_id, status="conflict" if is_conflict else "refused")
            for event in asked.events
        ]
    return CaptureResult(
        status=result.status.value,
        events=events,
        target=result.target,
        refusal=None if result.refusal is None else result.refusal.value,
        reason=result.reason,
    )
