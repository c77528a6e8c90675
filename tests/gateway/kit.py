"""A gateway under test, and a client of it that closes its connection the moment it has what it waits for."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple
from urllib.parse import urlsplit

import openai

import turnledger
from tests.adapters.stub import Provider
from tests.patience import PATIENCE_S, eventually
from turnledger.gateway.run import RunningGateway
from turnledger.gateway.turns import Gateway
from turnledger.model.rows import TurnRow

__all__ = ["ASK", "Through", "ask_and_hang_up", "serving"]

ASK = {"model": "gpt-asked", "messages": [{"role": "user", "content": "Hello?"}]}


class Through(NamedTuple):
    """A gateway, the provider behind it and the ledger beside it."""

    url: str
    provider: Provider
    ledger: turnledger.Ledger

    def openai(self, **options: object) -> openai.OpenAI:
        made = openai.OpenAI(api_key="sk-secret", base_url=f"{self.url}/openai/v1", **options)  # type: ignore[arg-type]
        return self.provider.closes(made)

    def turns(self) -> list[TurnRow]:
        """All turns on record, oldest first, once they have ended."""
        with turnledger.read(self.ledger) as reading:
            eventually(lambda: all(row.closed_ms is not None for row in reading.turns()))
            return reading.turns()[::-1]

    def bodies(self, kind: str) -> list[bytes | None]:
        """Payloads of all events of a type in all turns."""
        turns = self.turns()
        with turnledger.read(self.ledger) as reading:
            rows = [
                entry.row for turn in turns for entry in reading.events(turn.id) if entry.row.type == kind
            ]
            return [reading.body(row.event_id) for row in rows]


@contextmanager
def serving(ledger: turnledger.Ledger, upstreams: Mapping[str, str]) -> Generator[str]:
    """The address of a gateway that runs meanwhile."""
    gateway = RunningGateway(Gateway(ledger, upstreams, "gateway"), host="127.0.0.1", port=0)
    thread = threading.Thread(target=gateway.run)
    thread.start()
    try:
        yield gateway.url
    finally:
        gateway.stop()
        thread.join()


def ask_and_hang_up(
    url: str, until: Callable[[bytes], bool] | None, *, version: str = "1.1", head: str = ""
) -> bytes:
    """What came of the answer when ``until`` held for it, or at its end; the connection is closed then.

    ``head`` is a further header line.
    """
    at = urlsplit(url)
    body = json.dumps(ASK).encode()
    lines = [f"POST {at.path} HTTP/{version}", f"Host: {at.netloc}", f"Content-Length: {len(body)}"]
    lines += [head] if head else []
    with socket.create_connection((at.hostname or "", at.port or 80), PATIENCE_S) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        came = b""
        while until is None or not until(came):
            piece = connection.recv(65536)
            if not piece:
                assert until is None, came
                break
            came += piece
    return came
