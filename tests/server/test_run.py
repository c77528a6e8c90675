"""The running server: its address, its cookie behind a proxy, and what it does beside answering."""

from __future__ import annotations

import http.client
import json
import socket
from pathlib import Path

import pytest

import turnledger
from tests.leases import run_out
from tests.patience import eventually
from tests.server.kit import listening, story
from turnledger.errors import LedgerUnavailableError
from turnledger.model.access import Grant, Scope
from turnledger.server.run import Address, RunningServer, is_loopback


def _log_in(server: RunningServer, headers: dict[str, str]) -> str:
    code = server.login_url().partition("#")[2]
    connection = http.client.HTTPConnection("127.0.0.1", server.address.port)
    body = json.dumps({"code": code})
    connection.request("POST", "/api/session", body, {"Content-Type": "application/json", **headers})
    response = connection.getresponse()
    assert response.status == 200, response.read()
    cookie = str(response.headers["Set-Cookie"])
    response.read()
    connection.close()
    return cookie


def test_the_cookie_is_secure_where_the_browser_speaks_tls(ledger_path: Path) -> None:
    with listening(str(ledger_path)) as server:
        assert "Secure" not in _log_in(server, {})
        assert "Secure" in _log_in(server, {"X-Forwarded-Proto": "https"})


def test_the_local_operator_is_made_once_and_may_not_record(ledger_path: Path) -> None:
    with listening(str(ledger_path)) as server:
        server.login_url()
        server.login_url()
        (operator,) = server.service.access.tables.operators()
        assert operator.grant == Grant(frozenset(Scope) - {Scope.CAPTURE})


def test_turns_whose_writer_is_gone_are_ended(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.server.sweeping.EVERY_S", 0.1)
    with listening(str(ledger_path)) as server:
        token, _ = server.service.access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))
        ledger = turnledger.open(server.address.url, token=token)
        turn = ledger.agent("support").conversation("dm").turn()
        turn.__enter__()
        turn.progress("on it")
        ledger.close()
        run_out(ledger_path)
        (there,) = story(server.service).turns
        reader = server.service.reader
        eventually(lambda: (row := reader.turn(there)) is not None and row.status == "interrupted")


def test_an_address_that_is_taken_is_said() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(LedgerUnavailableError, match="cannot be listened at"):
            Address(port=taken.getsockname()[1]).bind()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "localhost", "::1"])
def test_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["::", "10.0.0.1", "ledger.example", "128.0.0.1"])
def test_not_loopback(host: str) -> None:
    assert not is_loopback(host)


def test_the_url_of_an_address() -> None:
    assert Address("::1", 8321).url == "http://[::1]:8321"
