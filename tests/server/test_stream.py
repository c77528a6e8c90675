"""The live stream over a socket: every event once, in order, resumed without a gap."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

import turnledger
from tests.patience import NEVER_S, PATIENCE_S, eventually
from tests.server.kit import listening, story, tell
from turnledger.capture.ledger import Ledger
from turnledger.model.access import Grant, Scope
from turnledger.query.live_cursor import flow_cursor, ledger_cursor
from turnledger.server.run import RunningServer
from turnledger.store.contract import ConversationFilter, Page

VIEW = Grant(frozenset([Scope.VIEW_AUDIT_LOG]))


@dataclass
class Event:
    """One server-sent event."""

    name: str
    id: str
    data: dict[str, Any]


class Stream:
    """Reads a stream line by line."""

    def __init__(self, server: RunningServer, query: str, secret: str, last: str | None = None) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", server.address.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {secret}", "Accept-Encoding": "gzip, zstd"}
        if last is not None:
            headers["Last-Event-ID"] = last
        self.connection.request("GET", f"/api/stream?{query}", headers=headers)
        self.response = self.connection.getresponse()
        _open.add(self)

    def lines(self) -> Iterator[str]:
        while line := self.response.readline():
            yield line.decode().rstrip("\n")

    def events(self) -> Iterator[Event]:
        fields: dict[str, str] = {}
        for line in self.lines():
            name, _, value = line.partition(": ")
            if line and name:
                fields[name] = value
            elif "data" in fields:
                yield Event(fields["event"], fields["id"], json.loads(fields["data"]))
                fields = {}

    def take(self, count: int) -> list[Event]:
        events = self.events()
        return [next(events) for _ in range(count)]

    def close(self) -> None:
        self.response.close()
        self.connection.close()
        _open.discard(self)


_open: set[Stream] = set()


@pytest.fixture(autouse=True)
def _closing() -> Iterator[None]:
    yield
    for stream in list(_open):
        stream.close()


@pytest.fixture
def server(engine: str) -> Iterator[RunningServer]:
    with listening(engine) as server:
        yield server


@pytest.fixture
def secret(server: RunningServer) -> str:
    return server.service.access.add_token("viewer", VIEW)[0]


@pytest.fixture
def beside(engine: str, server: RunningServer) -> Iterator[Ledger]:
    """A recorder of another program, as far as the server can tell."""
    assert server.address.port
    with turnledger.open(engine) as ledger:
        yield ledger


def test_events_of_another_program_come_as_they_happen(
    server: RunningServer, beside: Ledger, secret: str
) -> None:
    talk = beside.agent("support").conversation("dm")
    talk.inbound("before")
    there = _conversation(server)
    for query in (f"conversation={there}", "scope=install", f"agent={_agent(server)}"):
        stream = Stream(server, query, secret)
        assert stream.response.status == 200
        talk.inbound("now")
        (event,) = stream.take(1)
        assert (event.name, event.data["type"], event.data["conversationId"]) == (
            "append",
            "MESSAGE",
            str(there),
        )
        assert "now" not in json.dumps(event.data)
        stream.close()


def _conversation(server: RunningServer) -> UUID:
    return server.service.reader.conversations(ConversationFilter(), Page(1))[0].id


def _agent(server: RunningServer) -> UUID:
    return server.service.reader.agents()[0].id


def test_v01_a_reconnect_misses_nothing_and_repeats_nothing(
    server: RunningServer, beside: Ledger, secret: str
) -> None:
    talk = beside.agent("support").conversation("dm")
    talk.inbound("0")
    for query in (f"conversation={_conversation(server)}", "scope=install"):
        stream = Stream(server, query, secret)
        met = []
        for number in range(4):
            talk.inbound(f"seen {number}")
        met += stream.take(4)
        stream.close()
        for number in range(5):
            talk.inbound(f"while away {number}")
        again = Stream(server, query, secret, last=met[-1].id)
        talk.inbound("after")
        met += again.take(6)
        again.close()
        seqs = [event.data["seq"] for event in met]
        assert seqs == list(range(seqs[0], seqs[0] + 10))
        assert len({event.id for event in met}) == 10


def test_v01_ids_survive_a_restart(engine: str) -> None:
    with listening(engine) as first, turnledger.open(engine) as ledger:
        talk = ledger.agent("support").conversation("dm")
        talk.inbound("0")
        secret, _ = first.service.access.add_token("viewer", VIEW)
        stream = Stream(first, "scope=install", secret)
        talk.inbound("1")
        (event,) = stream.take(1)
        port = first.address.port
        there = _conversation(first)
    with turnledger.open(engine) as ledger:
        ledger.agent("support").conversation("dm").inbound("2")
    with listening(engine, port) as second:
        again = Stream(second, "scope=install", secret, last=event.id)
        (missed,) = again.take(1)
        assert (missed.data["seq"], missed.data["conversationId"]) == (event.data["seq"] + 1, str(there))
        again.close()


def test_v02_a_cursor_that_leads_nowhere_is_said_once(
    server: RunningServer, beside: Ledger, secret: str
) -> None:
    talk = beside.agent("support").conversation("dm")
    talk.inbound("0")
    queries = (f"conversation={_conversation(server)}", "scope=install")
    for query, future in zip(queries, (flow_cursor(99_999), ledger_cursor(2**61)), strict=True):
        for last, reason in (
            ("abc", "malformed_cursor"),
            (future, "future_cursor"),
            ("99999999", "malformed_cursor"),
            ("", "malformed_cursor"),
        ):
            stream = Stream(server, query, secret, last=last)
            talk.inbound("live")
            resync, event = stream.take(2)
            assert (resync.name, resync.data) == ("resync", {"reason": reason})
            assert (event.name, event.data["type"]) == ("append", "MESSAGE")
            stream.close()
    wrong_kind = Stream(server, queries[0], secret, last=ledger_cursor(1))
    assert wrong_kind.take(1)[0].data == {"reason": "malformed_cursor"}
    wrong_kind.close()


def test_v02_too_far_behind_is_said(
    server: RunningServer, beside: Ledger, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.server.live.CAUGHT_UP", 5)
    tell(beside)
    there = story(server.service)
    for query, last in (
        (f"conversation={there.conversation}", flow_cursor(1)),
        ("scope=install", ledger_cursor(1)),
    ):
        stream = Stream(server, query, secret, last=last)
        (resync,) = stream.take(1)
        assert (resync.name, resync.data) == ("resync", {"reason": "too_far_behind"})
        again = Stream(server, query, secret, last=resync.id)
        beside.agent("support").conversation("slack:C042/1712.33").inbound("on")
        assert again.take(1)[0].data["type"] == "MESSAGE"
        stream.close()
        again.close()


def test_v01_the_api_hands_over_to_the_stream_without_a_gap(
    server: RunningServer, beside: Ledger, secret: str
) -> None:
    tell(beside)
    there = story(server.service)
    asked = http.client.HTTPConnection("127.0.0.1", server.address.port)
    path = f"/api/agents/{there.agent}"
    cursors = []
    for rest, field in (
        (f"/conversations/{there.conversation}/timeline", "after"),
        (f"/turns/{there.turns[0]}", "liveCursor"),
        ("/conversations", "liveCursor"),
    ):
        asked.request("GET", path + rest, headers={"Authorization": f"Bearer {secret}"})
        cursors.append(json.loads(asked.getresponse().read())[field])
    asked.close()
    beside.agent("support").conversation("slack:C042/1712.33").inbound("between")
    conversation = f"conversation={there.conversation}"
    for query, cursor in (
        (conversation, cursors[0]),
        (conversation, cursors[1]),
        ("scope=install", cursors[2]),
    ):
        stream = Stream(server, f"{query}&after={cursor}", secret)
        events = stream.take(1)
        assert [(event.name, event.data["type"]) for event in events] == [("append", "MESSAGE")]
        stream.close()


def test_v03_no_proxy_holds_a_stream_back(
    server: RunningServer, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.server.stream_answer.HEARTBEAT_S", 0.2)
    stream = Stream(server, "scope=install", secret)
    headers = stream.response.headers
    assert headers["Content-Type"].startswith("text/event-stream")
    assert headers["Content-Encoding"] is None
    assert headers["X-Accel-Buffering"] == "no"
    assert "no-transform" in headers["Cache-Control"]
    lines = [line for line, _ in zip(stream.lines(), range(9), strict=False)]
    assert lines[:2] == ["retry: 2000", ": open"]
    assert lines.count("event: alive") >= 2
    stream.close()


def test_streams_end_with_the_right_to_them(server: RunningServer, beside: Ledger) -> None:
    access = server.service.access
    beside.agent("support").conversation("dm").inbound("0")
    secret, row = access.add_token("viewer", VIEW)
    stream = Stream(server, "scope=install", secret)
    access.revoke_token(row.id)
    server.service.live.recheck()
    assert list(stream.events()) == []
    operator = access.add_operator("ada", VIEW)
    session = access.log_in(access.login_code(operator.id)[0])
    connection = http.client.HTTPConnection("127.0.0.1", server.address.port, timeout=PATIENCE_S)
    assert session is not None
    cookie = {"Cookie": f"turnledger_session={session}"}
    connection.request("GET", "/api/stream?scope=install", headers=cookie)
    response = connection.getresponse()
    caller = access.by_session(session)
    assert caller is not None
    goodbye = http.client.HTTPConnection("127.0.0.1", server.address.port)
    goodbye.request("DELETE", "/api/session", headers={**cookie, "X-CSRF-Token": str(caller.csrf)})
    assert goodbye.getresponse().status == 204
    assert response.read().startswith(b"retry")
    response.close()
    connection.close()
    goodbye.close()


def test_k05_a_stream_is_of_what_may_be_seen(server: RunningServer, beside: Ledger) -> None:
    mine, other = (beside.agent(name).conversation("dm") for name in ("support", "ops"))
    mine.inbound("0")
    other.inbound("0")
    agents = {row.name: row.id for row in server.service.reader.agents()}
    grant = Grant(VIEW.scopes, frozenset([agents["support"]]))
    secret, _ = server.service.access.add_token("narrow", grant)
    (hidden,) = server.service.reader.conversations(ConversationFilter(agent=agents["ops"]), Page(1))
    for query in (
        f"agent={agents['ops']}",
        f"conversation={hidden.id}",
        f"conversation={uuid4()}",
        f"agent={uuid4()}",
    ):
        assert Stream(server, query, secret).response.status == 404, query
    for query in ("", "scope=install&agent=" + str(agents["support"]), "scope=all"):
        assert Stream(server, query, secret).response.status in {400, 422}
    stream = Stream(server, "scope=install", secret)
    other.inbound("not for you")
    mine.inbound("for you")
    (event,) = stream.take(1)
    assert event.data["agentId"] == str(agents["support"])
    stream.close()


def test_many_writers_and_many_readers(server: RunningServer, beside: Ledger, secret: str) -> None:
    """Each reader gets each event once and in order, however they come about."""
    agent = beside.agent("support")
    agent.conversation("dm-0").inbound("0")
    streams = [Stream(server, "scope=install", secret) for _ in range(4)]
    watched = Stream(server, f"conversation={_conversation(server)}", secret)

    def work(number: int) -> None:
        talk = agent.conversation(f"dm-{number}")
        for _ in range(20):
            talk.inbound("x")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = 20 * 4 + 3
    for stream in streams:
        ids = [event.data["eventId"] for event in stream.take(expected)]
        assert len(set(ids)) == expected
        stream.close()
    positions = [event.data["position"] for event in watched.take(20)]
    assert positions == list(range(positions[0], positions[0] + 20))
    watched.close()


def test_the_watcher_sleeps_while_nobody_watches(server: RunningServer, secret: str) -> None:
    live = server.service.live
    assert not live._watcher._awake.is_set()
    stream = Stream(server, "scope=install", secret)
    assert live._watcher._awake.is_set()
    stream.close()
    eventually(lambda: not live._watcher._awake.is_set())
    assert server.service.meter.count("turnledger_stream_subscribers") == 0


def test_a_server_ends_though_streams_are_open(ledger_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.server.run.GRACE_S", int(NEVER_S))
    with listening(str(ledger_path)) as server:
        secret, _ = server.service.access.add_token("viewer", VIEW)
        stream = Stream(server, "scope=install", secret)
    assert list(stream.events()) == []
