"""Recording through a server over a socket: the same answers, nothing lost or doubled, come what may."""

from __future__ import annotations

import http.client
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import turnledger
from tests.adapters.stub import chat_events
from tests.patience import PATIENCE_S, eventually
from tests.server.kit import ASKS, REQUEST, RESPONSE, listening, story, tell
from turnledger.capture.http_link import Remote
from turnledger.capture.ledger import Ledger
from turnledger.capture.remote import RemoteSink
from turnledger.capture.remote_form import common_head
from turnledger.engine.location import connect, database_at
from turnledger.errors import CaptureRefused, TurnLost, UsageError
from turnledger.model.access import Grant, Scope
from turnledger.model.rows import BodyRow
from turnledger.query.verify import verify_ledger
from turnledger.server.capture_reading import Reading
from turnledger.server.run import RunningServer
from turnledger.store.arrivals import arrived_replies
from turnledger.store.contract import ConversationFilter, Page

STALE = "tl_x"


@pytest.fixture
def server(engine: str) -> Iterator[RunningServer]:
    with listening(engine) as server:
        yield server
        assert all(found.sound for found in verify_ledger(server.service.reader))


@pytest.fixture
def token(server: RunningServer) -> str:
    return server.service.access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))[0]


@pytest.fixture
def ledger(server: RunningServer, token: str) -> Iterator[Ledger]:
    with turnledger.open(server.address.url, token=token) as ledger:
        yield ledger


def test_the_record_is_the_same_as_beside_the_ledger(
    server: RunningServer, ledger: Ledger, tmp_path: Path
) -> None:
    tell(ledger)
    with turnledger.open(str(tmp_path / "beside")) as beside:
        tell(beside)
    reader = server.service.reader
    there = story(server.service)
    with closing(database_at(str(tmp_path / "beside")).reader()) as other:
        mine = [row.type for row in reader.flow(there.conversation, after=None, before=None, limit=500)]
        talk = other.conversations(ConversationFilter(), Page(1))[0].id
        assert mine == [row.type for row in other.flow(talk, after=None, before=None, limit=500)]
    call = next(row for row in reader.events(there.turns[0], 0, 99) if row.type == "TOOL_CALL")
    body = reader.body(call.event_id, "supplied")
    assert body is not None
    assert b"".join(body.read()) == ASKS.encode()  # type: ignore[union-attr]


def test_a_redelivered_message_is_known(ledger: Ledger) -> None:
    talk = ledger.agent("support").conversation("dm")
    first = talk.inbound("hi", external_id="m1")
    again = talk.inbound("hi", external_id="m1")
    assert (first.is_duplicate, again.is_duplicate, again.seq) == (False, True, first.seq)


def test_memory_revisions_go_on(ledger: Ledger, server: RunningServer, token: str) -> None:
    talk = ledger.agent("support").conversation("dm")
    with talk.turn() as turn:
        turn.memory_write("likes", "tea")
        turn.commit("ok")
    with (
        turnledger.open(server.address.url, token=token) as another,
        another.agent("support").conversation("dm").turn() as turn,
    ):
        turn.memory_write("likes", "coffee")
        turn.commit("ok")
    revisions = server.service.figures.memory(story(server.service).agent, None, None, 9)
    assert [one.row.revision for one in revisions] == [2, 1]


def test_o01_a_lost_acknowledgement_is_a_duplicate(
    ledger: Ledger, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer to an append is lost on its way; the recorder asks again and one event is on record."""
    real = http.client.HTTPConnection.getresponse
    lost: list[int] = []

    def losing(connection: http.client.HTTPConnection) -> http.client.HTTPResponse:
        response = real(connection)
        if not lost:
            lost.append(response.status)
            response.read()
            raise ConnectionResetError
        return response

    talk = ledger.agent("support").conversation("dm")
    talk.inbound("before")
    monkeypatch.setattr(http.client.HTTPConnection, "getresponse", losing)
    talk.inbound("twice sent")
    assert lost == [200]
    rows = server.service.reader.events(story(server.service).conversation, 0, 99)
    assert [row.type for row in rows] == ["OPENED", "MESSAGE", "MESSAGE"]


def test_bodies_build_on_earlier_ones_even_when_the_server_forgot_them(
    ledger: Ledger, server: RunningServer
) -> None:
    talk = ledger.agent("support").conversation("dm")
    history = [{"role": "user", "content": "lorem ipsum " * 300}]
    sent: list[object] = []
    with talk.turn() as turn:
        for number in range(6):
            history.append({"role": "user", "content": f"more {number}"})
            sent.append({"model": "m", "messages": list(history)})
            with turn.model_call(request=sent[-1]) as call:
                call.result(RESPONSE)
            if number == 2:
                server.service.intake._recent._bodies.clear()
            if number == 3:
                server.service.intake._recent._bodies.clear()
                server.service.intake._recent.find = lambda *_: None  # type: ignore[method-assign]
                server.service.intake._recent.keep = lambda *_: None  # type: ignore[method-assign]
        turn.commit("done")
    rows = server.service.reader.events(turn.id, 0, 99)
    calls = [row for row in rows if row.type == "MODEL_CALL"]
    bodies = [server.service.reader.body(row.event_id, "payload") for row in calls]
    assert [msgspec.json.decode(b"".join(body.read())) for body in bodies] == sent  # type: ignore[union-attr]


def test_a_base_the_server_cannot_have_is_sent_whole(
    ledger: Ledger, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = ledger.agent("support").conversation("dm")
    with talk.turn() as turn:
        with turn.model_call(request={"m": "x" * 5000}) as call:
            call.result(RESPONSE)
        monkeypatch.setattr(Reading, "_base", lambda *_: None)
        with turn.model_call(request={"m": "x" * 5001}) as call:
            call.result(RESPONSE)
        turn.commit("done")
    assert [row.type for row in server.service.reader.events(turn.id, 0, 99)].count("MODEL_CALL") == 2


def test_a_server_that_restarts_is_waited_for(
    engine: str, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.capture.http_link._PAUSES", (0.05,) * int(PATIENCE_S / 0.05))
    with listening(engine, port) as first:
        token, _ = first.service.access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))
        address = first.address
        ledger = turnledger.open(address.url, token=token)
        talk = ledger.agent("support").conversation("dm")
        talk.inbound("one")
    again = threading.Thread(target=talk.inbound, args=("two",))
    again.start()
    with listening(engine, port) as second:
        again.join()
        talk.inbound("three")
        ledger.close()
        rows = second.service.reader.events(story(second.service).conversation, 0, 99)
        assert [row.type for row in rows] == ["OPENED", "MESSAGE", "MESSAGE", "MESSAGE"]


def test_a_server_that_is_gone_refuses_the_step(
    ledger_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.capture.http_link._PAUSES", (0.01, 0.01))
    ran: list[int] = []
    with turnledger.open(f"http://127.0.0.1:{port}", token=STALE) as ledger:
        with (
            pytest.raises(CaptureRefused, match="cannot be reached"),
            ledger.agent("a").conversation("c").turn() as turn,
        ):
            turn.tool("effect", lambda: ran.append(1), supplied="{}")
        with pytest.raises(CaptureRefused, match="cannot be reached"):
            ledger.agent("b").conversation("c").inbound("again, and at once")
    assert ran == []
    assert not ledger_path.exists()


def test_a_token_that_is_none_or_may_not_refuses_the_step(server: RunningServer) -> None:
    viewer, _ = server.service.access.add_token("viewer", Grant(frozenset([Scope.VIEW_BODIES])))
    for token, reason in (("tl_unknown", "unknown or was revoked"), (viewer, "needs the scope capture")):
        with (
            turnledger.open(server.address.url, token=token) as ledger,
            pytest.raises(CaptureRefused, match=reason),
        ):
            ledger.agent("a").conversation("c").inbound("x")


def test_a_revoked_token_stops_recording_within_a_second(server: RunningServer) -> None:
    access = server.service.access
    token, row = access.add_token("recorder", Grant(frozenset([Scope.CAPTURE])))
    with turnledger.open(server.address.url, token=token) as ledger:
        talk = ledger.agent("a").conversation("c")
        talk.inbound("x")
        access.revoke_token(row.id)
        with pytest.raises(CaptureRefused, match="revoked"):
            talk.inbound("y")


def test_a_parked_turn_is_taken_over_by_another_process(
    ledger: Ledger, server: RunningServer, token: str
) -> None:
    agent = ledger.agent("support")
    talk = agent.conversation("dm")
    turn = talk.turn()
    turn.__enter__()
    with turn.model_call(request=REQUEST) as call:
        call.result(RESPONSE)
    turn.approval(question="send money?")
    with turnledger.open(server.address.url, token=token) as another:
        resumed = another.agent("support").resume(turn.id)
        with resumed:
            resumed.commit("approved elsewhere")
    row = server.service.reader.turn(turn.id)
    assert row is not None
    assert row.status == "completed"
    with pytest.raises(TurnLost):
        turn.commit("too late")


def test_what_had_arrived_of_a_reply_is_its_result_when_the_turn_is_taken_over(
    ledger: Ledger, server: RunningServer, token: str
) -> None:
    reader = server.service.reader
    turn = ledger.agent("support").conversation("dm").turn()
    turn.__enter__()
    call = turn.model_call(request=REQUEST | {"stream": True}, provider="openai")
    call.__enter__()
    first, rest = chat_events("Your order ", "left").pieces[:1], chat_events("Your order ", "left").pieces[1:]
    call.chunk(first[0])
    eventually(lambda: arrived_replies(reader, turn.id) == {call.seq: first[0]})
    turn.approval(question="Go on?")
    with turnledger.open(server.address.url, token=token) as another:
        with another.agent("support").resume(turn.id) as resumed:
            assert arrived_replies(reader, turn.id) == {}
            resumed.commit("Asked again elsewhere.")
        results = [row for row in reader.events(turn.id, 0, 99) if row.type == "MODEL_RESULT"]
        (cut,) = results
        assert f"call={call.seq} status=cut model=gpt-served" in cut.summary
        content = reader.body(cut.event_id, "payload")
        assert content is not None
        assert not isinstance(content, BodyRow)
        assert b"".join(content.read()) == first[0]
    for piece in rest:
        call.chunk(piece)
    call.result()
    call.__exit__(None, None, None)
    (owner,) = reader.conversations(ConversationFilter(), Page(9))
    (late,) = [row for row in reader.events(owner.id, 0, 99) if row.type == "LATE"]
    assert f"type=MODEL_RESULT call={call.seq}" in late.summary


def test_turns_of_many_threads_share_requests(ledger: Ledger, server: RunningServer) -> None:
    agent = ledger.agent("support")

    def work(number: int) -> None:
        talk = agent.conversation(f"dm-{number}")
        for _ in range(5):
            with talk.turn(trigger=talk.inbound("x")) as turn:
                with turn.model_call(request={"n": number}) as call:
                    call.result(RESPONSE)
                turn.commit("y")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (row,) = server.service.reader.agents()
    assert (row.turns, row.conversations) == (40, 8)
    waits = 8 * 5 * 5
    assert server.service.meter.count("turnledger_requests_total", "2xx") < waits


def test_a_forked_child_has_a_connection_of_its_own(ledger: Ledger, server: RunningServer) -> None:
    talk = ledger.agent("support").conversation("dm")
    talk.inbound("parent")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads is the point here
        child = os.fork()
    if child == 0:
        try:
            ledger.agent("support").conversation("dm").inbound("child")
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    talk.inbound("parent again")
    rows = server.service.reader.events(story(server.service).conversation, 0, 99)
    assert [row.type for row in rows] == ["OPENED", "MESSAGE", "MESSAGE", "MESSAGE"]


def test_a_group_too_large_for_the_server_is_divided(
    ledger: Ledger, server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("turnledger.server.capture_intake.REQUEST_BYTES", 60_000)
    talk = ledger.agent("support").conversation("dm")
    threads = [threading.Thread(target=talk.inbound, args=(f"{n}" * 20_000,)) for n in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(CaptureRefused, match="60000 bytes"):
        talk.inbound(os.urandom(100_000))
    rows = server.service.reader.events(story(server.service).conversation, 0, 99)
    assert [row.type for row in rows].count("MESSAGE") == 10


@pytest.mark.parametrize(
    "url", ["http://user:tl_x@host", "http://", "http://host:99999999", "https://h?token=x", "http://h#x"]
)
def test_a_url_that_cannot_be_a_servers(url: str) -> None:
    with pytest.raises(UsageError):
        Remote.parse(url, "tl_x")


def test_a_server_needs_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TURNLEDGER_TOKEN", raising=False)
    with pytest.raises(UsageError, match="needs a token"):
        turnledger.open("http://127.0.0.1:1")
    monkeypatch.setenv("TURNLEDGER_TOKEN", "tl_from_environment")
    sink = RemoteSink("https://ledger.example/base/", os.environ["TURNLEDGER_TOKEN"])
    assert sink.label == "https://ledger.example:443/base"
    assert "tl_from" not in repr(sink._remote)
    sink.close()


def test_a_server_is_not_opened_as_a_ledger() -> None:
    with pytest.raises(UsageError, match="read by its console"):
        connect("http://127.0.0.1:8321")


@pytest.mark.parametrize(
    ("one", "other", "common"), [(b"", b"x", 0), (b"abc", b"abd", 2), (b"abc", b"abcd", 3), (b"x", b"y", 0)]
)
def test_common_heads(one: bytes, other: bytes, common: int) -> None:
    assert common_head(one, other) == common
