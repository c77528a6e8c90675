"""Providers and clients that fail, each its way: one line in the log, no traceback, the truth on record."""

from __future__ import annotations

import json
import logging
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

import turnledger
from tests.adapters.stub import Reply, chat_events, running
from tests.gateway.kit import ASK, Through, ask_and_hang_up, serving
from tests.patience import PATIENCE_S, eventually
from turnledger.gateway import proxy, run
from turnledger.gateway.upstreams import parse_upstreams

CHAT = "v1/chat/completions"
FIRST = chat_events("one").pieces[0]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%b\r\n" % (len(FIRST), FIRST)
TLS = b"\x16"  # how a client begins that wants it
SIZED = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 50\r\n\r\n"


class Failing:
    """A provider that answers with ``says`` and ends the connection, with a reset where it ``resets``."""

    def __init__(self) -> None:
        self.says = b""
        self.resets = False
        self.stalls = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listening.accept()
                threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            if self.stalls.is_set():
                eventually(lambda: not self.stalls.is_set())
                return
            came = b""
            while not came.endswith(b"}") and not came.startswith(TLS):
                came += connection.recv(65536)
            connection.sendall(self.says)
            if self.resets:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def close(self) -> None:
        self.stalls.clear()
        with suppress(OSError):  # nobody waits at it
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@pytest.fixture
def failing() -> Iterator[Failing]:
    provider = Failing()
    yield provider
    provider.close()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that does not come is given up at once."""
    monkeypatch.setattr(proxy, "CONNECT_S", 0.1)


@pytest.fixture
def behind(tmp_path: Path, failing: Failing) -> Iterator[Through]:
    """A gateway whose upstreams fail, but for ``openai``."""
    upstreams = {
        "failing": f"http://127.0.0.1:{failing.port}",
        "tls": f"https://127.0.0.1:{failing.port}",
        "refusing": "http://127.0.0.1:9",
        "nameless": "http://no-such-host.invalid",
    }
    with (
        running() as provider,
        turnledger.open(tmp_path / "agent.ledger") as ledger,
        serving(ledger, {**upstreams, "openai": provider.url}) as url,
    ):
        yield Through(url, provider, ledger)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What stands in the log, of which nothing is a traceback."""
    assert [record.exc_info for record in caplog.records if record.exc_info] == []
    said = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not any("\n" in record.getMessage() for record in said)
    return [record.getMessage() for record in said]


def the_line(caplog: pytest.LogCaptureFixture) -> str:
    eventually(lambda: lines(caplog))
    (line,) = lines(caplog)
    return line


def results(through: Through) -> list[dict[str, str]]:
    (turn,) = through.turns()
    with turnledger.read(through.ledger) as reading:
        entries = [entry for entry in reading.events(turn.id) if entry.row.type == "MODEL_RESULT"]
    return [dict(entry.tokens) for entry in entries]


@pytest.mark.parametrize("upstream", ["refusing", "nameless", "tls"])
def test_no_connection(
    behind: Through, failing: Failing, caplog: pytest.LogCaptureFixture, upstream: str
) -> None:
    failing.says = b"this is no TLS"
    check_unreachable(behind, upstream, "ConnectError (", caplog)


@pytest.mark.usefixtures("soon")
def test_no_connection_in_time(behind: Through, failing: Failing, caplog: pytest.LogCaptureFixture) -> None:
    failing.stalls.set()
    check_unreachable(behind, "tls", "ConnectTimeout", caplog)


def check_unreachable(behind: Through, upstream: str, cause: str, caplog: pytest.LogCaptureFixture) -> None:
    answer = httpx2.post(f"{behind.url}/{upstream}/{CHAT}", json=ASK, timeout=PATIENCE_S)
    assert answer.status_code == 502
    assert f"no answer from {upstream}: {cause}" in answer.json()["error"]["message"]
    (turn,) = behind.turns()
    (result,) = results(behind)
    assert (turn.status, result["status"]) == ("failed", "not_started")
    line = the_line(caplog)
    assert f"No answer from {upstream}: {cause}" in line
    assert "status 502" in line
    assert f"turn {turn.id}, failed" in line


@pytest.mark.parametrize("resets", [False, True])
@pytest.mark.parametrize("says", [b"", b"HTTP/1.1 200 O", b"garbage of a provider\r\n\r\n"])
def test_no_head(
    behind: Through, failing: Failing, caplog: pytest.LogCaptureFixture, says: bytes, *, resets: bool
) -> None:
    failing.says, failing.resets = says, resets
    answer = httpx2.post(f"{behind.url}/failing/{CHAT}", json=ASK, timeout=PATIENCE_S)
    assert answer.status_code == 502
    (turn,) = behind.turns()
    (result,) = results(behind)
    assert (turn.status, result["status"]) == ("failed", "error")
    line = the_line(caplog)
    assert f"turn {turn.id}, failed" in line
    assert "garbage" not in line


@pytest.mark.parametrize("resets", [False, True])
@pytest.mark.parametrize(
    ("says", "arrived"),
    [
        (HEAD, b""),
        (HEAD + CHUNK, FIRST),
        (HEAD + CHUNK + CHUNK[:20], None),
        (HEAD + CHUNK + b"what no chunk is\r\n", FIRST),
        (SIZED + b'{"half": ', b'{"half": '),
    ],
)
def test_an_answer_that_breaks_off(
    behind: Through,
    failing: Failing,
    caplog: pytest.LogCaptureFixture,
    says: bytes,
    arrived: bytes | None,
    *,
    resets: bool,
) -> None:
    failing.says, failing.resets = says, resets
    came: list[bytes] = []
    with httpx2.stream("POST", f"{behind.url}/failing/{CHAT}", json=ASK, timeout=PATIENCE_S) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx2.HTTPError):  # the program sees that it is not whole
            came.extend(answer.iter_raw())
    (turn,) = behind.turns()
    (result,) = results(behind)
    assert (turn.status, result["status"]) == ("failed", "error")
    (body,) = behind.bodies("MODEL_RESULT")
    assert body is not None
    assert body.startswith(b"".join(came))
    if arrived and not resets:
        assert body == arrived
    line = the_line(caplog)
    assert "failing broke off its answer" in line
    assert f"turn {turn.id}, failed" in line
    assert "no chunk" not in line
    assert "no answer" not in line.lower()


def test_an_unrecorded_request_too(
    behind: Through, failing: Failing, caplog: pytest.LogCaptureFixture
) -> None:
    failing.says = SIZED + b"{"
    with pytest.raises(httpx2.HTTPError):
        httpx2.post(f"{behind.url}/failing/v1/files", json={}, timeout=PATIENCE_S)
    assert "failing broke off its answer" in the_line(caplog)
    assert "no model request" in the_line(caplog)
    assert behind.turns() == []


def leave_in_the_request(behind: Through, path: str) -> None:
    at = urlsplit(behind.url)
    with socket.create_connection((at.hostname or "", at.port or 80), PATIENCE_S) as connection:
        head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n"
        connection.sendall(head.encode() + b'{"half": ')


@pytest.mark.parametrize("path", [f"/openai/{CHAT}", "/openai/v1/files"])
def test_a_client_that_leaves_in_its_request(
    behind: Through, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    caplog.set_level(logging.INFO, logger="turnledger")
    leave_in_the_request(behind, path)
    eventually(lambda: "left before its request to openai was whole" in caplog.text)
    assert lines(caplog) == []
    assert behind.turns() == []


def test_a_client_that_leaves_in_the_answer(behind: Through, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="turnledger")
    held = Reply([FIRST, b"more"], "text/event-stream", hold=threading.Event())
    behind.provider.says(held)
    ask_and_hang_up(f"{behind.url}/openai/{CHAT}", lambda came: FIRST in came)
    (turn,) = behind.turns()
    assert turn.status == "cancelled"
    eventually(lambda: f"turn {turn.id}, cancelled" in caplog.text)
    assert lines(caplog) == []
    assert held.hold is not None
    held.hold.set()


def test_what_cannot_be_recorded(behind: Through, caplog: pytest.LogCaptureFixture) -> None:
    behind.ledger.close()
    answer = httpx2.post(f"{behind.url}/openai/{CHAT}", json=ASK, timeout=PATIENCE_S)
    assert answer.status_code == 403
    line = the_line(caplog)
    assert "openai was asked nothing" in line
    assert "status 403" in line


def test_an_answer_that_cannot_be_recorded(behind: Through, caplog: pytest.LogCaptureFixture) -> None:
    held = chat_events("one", "two")
    held.hold = threading.Event()
    behind.provider.says(held)
    with httpx2.stream("POST", f"{behind.url}/openai/{CHAT}", json=ASK, timeout=PATIENCE_S) as answer:
        pieces = answer.iter_raw()
        next(pieces)
        behind.ledger.close()
        held.hold.set()
        with pytest.raises(httpx2.HTTPError):
            list(pieces)
    eventually(lambda: any("openai" in line for line in lines(caplog)))
    (line,) = [line for line in lines(caplog) if "openai" in line]
    assert "could not be recorded" in line
    assert "was cut off" in line


@pytest.mark.parametrize("pieces", [[b"late"], [FIRST, b"late"]])
def test_a_gateway_that_is_stopped_meanwhile(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, pieces: list[bytes]
) -> None:
    monkeypatch.setattr(run, "GRACE_S", 0.1)
    held = Reply(pieces, "text/event-stream", hold=threading.Event())
    seen: list[object] = []
    with running() as provider, turnledger.open(tmp_path / "agent.ledger") as ledger:
        provider.says(held)
        with serving(ledger, {"openai": provider.url}) as url:
            asking = threading.Thread(target=lambda: seen.append(_ask(f"{url}/openai/{CHAT}")))
            asking.start()
            eventually(lambda: provider.asked)
        asking.join()
        assert held.hold is not None
        held.hold.set()
        with turnledger.read(ledger) as reading:
            eventually(lambda: [row.status for row in reading.turns()] == ["cancelled"])
            (turn,) = reading.turns()
    assert seen in ([503], ["cut"])
    assert any(f"turn {turn.id}, cancelled" in line for line in lines(caplog))


def _ask(url: str) -> object:
    try:
        return httpx2.post(url, content=json.dumps(ASK), timeout=PATIENCE_S).status_code
    except httpx2.HTTPError:
        return "cut"


def test_an_upstream_whose_address_is_none_is_refused_at_the_start() -> None:
    for url in ("http://", "http://host:port", "http://[::1"):
        with pytest.raises(turnledger.UsageError, match="is no upstream"):
            parse_upstreams([f"local={url}"])
