"""Appending over HTTP: idempotent, item by item, bounded, and true to its commitments."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import msgspec
import pytest
from httpx2 import Response

from tests.server.kit import Served, served
from turnledger.capture.composer import compose
from turnledger.capture.content import snapshot
from turnledger.capture.remote_form import RemoteForm
from turnledger.ids import NIL, new_id
from turnledger.model.access import Scope
from turnledger.model.draft import AliasKind, Arrived, Batch, Claim, Draft, Journal, Lease
from turnledger.model.events import Event, Intake, Message, ModelCall, Opened, Progress, TurnOpened
from turnledger.model.vocabulary import Direction, Form, JournalKind
from turnledger.query.verify import verify_ledger
from turnledger.store.arrivals import arrived_replies
from turnledger.wire.capture_form import (
    JSON,
    MSGPACK,
    CaptureAnswer,
    CaptureBase,
    CaptureBatch,
    CaptureEvent,
    CaptureRequest,
    CaptureResult,
)
from turnledger.wire.transport_coding import zstd_bytes

HOLDER = UUID(int=0xB0B)


class Recorder:
    """Makes batches as a recorder does, and sends them by hand."""

    def __init__(self, house: Served, headers: dict[str, str] | None = None) -> None:
        self.house = house
        self.headers = headers or house.bearer(Scope.CAPTURE)
        self.agent, self.talk, self.turn = new_id(), new_id(), new_id()
        self.form = RemoteForm()

    def opening(self, name: str = "support") -> list[Batch]:
        conversation = Journal(JournalKind.CONVERSATION, self.talk)
        opened = compose(Opened(), snapshot({"key": "k"}), facts={"shape": "dm"})
        began = compose(TurnOpened(turn=self.turn, trigger="api"))
        return [
            Batch(claim=Claim(AliasKind.AGENT, NIL, name, self.agent)),
            Batch((opened.draft(conversation, self.agent, self.talk),)),
            Batch((began.draft(conversation, self.agent, self.talk), self.step(Intake(), 0))),
        ]

    def step(self, event: Event, place: int, content: object = None) -> Draft:
        payload = None if content is None else snapshot(content)
        journal = Journal(JournalKind.TURN, self.turn)
        lease = Lease(HOLDER, 0, 60_000)
        return compose(event, payload).draft(journal, self.agent, self.talk, place=place, lease=lease)

    def message(self, text: str) -> Draft:
        event = Message(direction=Direction.INBOUND, chars=len(text))
        journal = Journal(JournalKind.CONVERSATION, self.talk)
        return compose(event, snapshot(text)).draft(journal, self.agent, self.talk)

    def send(self, *batches: Batch, status: int = 200, form: str = MSGPACK) -> list[CaptureResult]:
        return self.post(CaptureRequest(batches=[self.form.batch(one) for one in batches]), status, form)

    def post(self, request: CaptureRequest, status: int = 200, form: str = MSGPACK) -> list[CaptureResult]:
        encode, decode = (
            (msgspec.msgpack.encode, msgspec.msgpack.decode)
            if form == MSGPACK
            else (msgspec.json.encode, msgspec.json.decode)
        )
        response = self.raw(encode(request), {"Content-Type": form})
        assert response.status_code == status, response.text
        return decode(response.content, type=CaptureAnswer).results

    def raw(self, data: bytes, headers: dict[str, str]) -> Response:
        return self.house.client.post("/api/capture/events", content=data, headers=self.headers | headers)

    def begin(self) -> None:
        assert {one.status for one in self.send(*self.opening())} == {"appended"}


@pytest.fixture
def house(engine: str) -> Iterator[Served]:
    with served(engine) as house:
        yield house
        found = list(verify_ledger(house.service.reader))
        assert all(one.sound for one in found), [str(one.reason) for one in found]


@pytest.fixture
def recorder(house: Served) -> Recorder:
    recorder = Recorder(house)
    recorder.begin()
    return recorder


@pytest.mark.parametrize("form", [MSGPACK, JSON])
def test_what_is_answered_is_on_record(house: Served, form: str) -> None:
    recorder = Recorder(house)
    *_, turn = recorder.send(*recorder.opening(), form=form)
    (result,) = recorder.send(Batch((recorder.step(Progress(kind="ack", chars=2), 1, "on it"),)), form=form)
    (event,) = result.events
    row = house.service.reader.event(event.event_id)
    assert row is not None
    assert (row.seq, row.hash, row.created_ms, row.position) == (
        event.seq,
        event.hash,
        event.created_ms,
        event.position,
    )
    assert [one.seq for one in turn.events] == [1, 0]


def test_o01_a_retry_changes_nothing_and_another_content_is_a_conflict(recorder: Recorder) -> None:
    batches = [Batch((recorder.message(text),)) for text in ("one", "two", "three")]
    first, again = recorder.send(*batches), recorder.send(*batches)
    assert [one.status for one in first] == ["appended"] * 3
    assert [one.status for one in again] == ["duplicate"] * 3
    assert [one.events[0].seq for one in first] == [one.events[0].seq for one in again]
    other = recorder.message("TWO")
    forged = msgspec.structs.replace(
        recorder.form.batch(Batch((other,))).events[0], event_id=batches[1].drafts[0].event_id
    )
    forged = msgspec.structs.replace(
        forged, detail=b'{"id":"%s"}' % forged.event_id.hex.encode(), tokens=other.tokens
    )
    (result,) = recorder.post(CaptureRequest(batches=[msgspec.structs.replace(_batch(), events=[forged])]))
    assert (result.status, result.events[0].status) == ("conflict", "conflict")
    assert any("came again" in fault for fault in recorder.house.service.reader.faults())
    assert len(recorder.house.service.reader.events(recorder.talk, 0, 100)) == 5


def _batch() -> CaptureBatch:
    return RemoteForm().batch(Batch())


def test_l08_all_of_a_large_turn_gets_in(recorder: Recorder) -> None:
    drafts = [recorder.step(Progress(kind="ack", chars=1), 1 + number, "x") for number in range(1800)]
    results = recorder.send(*[Batch((draft,)) for draft in drafts[:1000]])
    results += recorder.send(*[Batch((draft,)) for draft in drafts[1000:]])
    assert [one.events[0].seq for one in results] == list(range(1, 1801))
    journal = recorder.house.ask(f"/api/agents/{recorder.agent}/turns/{recorder.turn}/journal")
    assert len(journal["events"]) == 1801
    assert journal["chainIntact"]


def test_i02_a_broken_item_never_harms_its_neighbours(recorder: Recorder) -> None:
    good, bad, late = recorder.message("good"), recorder.message("bad"), recorder.message("late")
    broken = [
        msgspec.structs.replace(_sent(recorder, bad), type="bad type"),
        msgspec.structs.replace(_sent(recorder, bad), payload_hash=b"short"),
        msgspec.structs.replace(_sent(recorder, bad), bodies=[]),
        msgspec.structs.replace(_sent(recorder, bad), detail=b"no json"),
        msgspec.structs.replace(_sent(recorder, bad), tokens="assurance=x"),
        msgspec.structs.replace(
            _sent(recorder, bad),
            bodies=[msgspec.structs.replace(_sent(recorder, bad).bodies[0], data=b"else")],
        ),
        msgspec.structs.replace(
            _sent(recorder, bad), bodies=[msgspec.structs.replace(_sent(recorder, bad).bodies[0], salt=b"x")]
        ),
    ]
    events = [_sent(recorder, good), *broken, _sent(recorder, late)]
    results = recorder.post(
        CaptureRequest(batches=[msgspec.structs.replace(_batch(), events=[event]) for event in events])
    )
    assert [one.status for one in results] == ["appended", *["refused"] * len(broken), "appended"]
    assert {one.refusal for one in results[1:-1]} == {"grammar"}
    assert all(one.reason for one in results[1:-1])
    assert {one.events[0].status for one in results[1:-1]} == {"refused"}


def _sent(recorder: Recorder, draft: Draft) -> CaptureEvent:
    return recorder.form.batch(Batch((draft,)), whole=True).events[0]


def test_i01_a_bomb_ends_at_the_limit(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.server.capture_intake.REQUEST_BYTES", 1 << 20)
    zeros = bytes(64 << 20)
    for encoding, data in (("gzip", gzip.compress(zeros, 9)), ("zstd", zstd_bytes(zeros))):
        response = recorder.raw(data, {"Content-Type": MSGPACK, "Content-Encoding": encoding})
        assert (response.status_code, response.json()["type"]) == (413, "too-large")
    members = gzip.compress(bytes(1 << 16)) * 100
    response = recorder.raw(members, {"Content-Type": MSGPACK, "Content-Encoding": "gzip"})
    assert response.status_code == 413
    assert recorder.raw(bytes(2 << 20), {"Content-Type": MSGPACK}).status_code == 413


@pytest.mark.parametrize("encoding", ["zstd", "gzip"])
def test_packed_requests_are_read(recorder: Recorder, encoding: str) -> None:
    data = msgspec.msgpack.encode(
        CaptureRequest(batches=[recorder.form.batch(Batch((recorder.message("m"),)))])
    )
    packed = zstd_bytes(data) if encoding == "zstd" else gzip.compress(data)
    response = recorder.raw(packed, {"Content-Type": MSGPACK, "Content-Encoding": encoding})
    assert response.status_code == 200
    cut = recorder.raw(packed[:-4], {"Content-Type": MSGPACK, "Content-Encoding": encoding})
    assert cut.status_code == 400
    assert recorder.raw(data, {"Content-Type": MSGPACK, "Content-Encoding": encoding}).status_code == 400


@pytest.mark.parametrize(
    ("data", "headers", "status"),
    [
        (b"{}", {"Content-Type": JSON}, 400),
        (b'{"batches":[{"events":[{}]}]}', {"Content-Type": JSON}, 400),
        (b'{"batches":' + b"[" * 100_000, {"Content-Type": JSON}, 400),
        (b"\xc1", {"Content-Type": MSGPACK}, 400),
        (b"", {"Content-Type": MSGPACK}, 400),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b"{}", {"Content-Type": JSON, "Content-Encoding": "br"}, 400),
        (b'{"batches":[]}', {"Content-Type": JSON}, 200),
    ],
)
def test_what_is_no_request_is_refused_with_a_reason(
    ledger_path: Path, data: bytes, headers: dict[str, str], status: int
) -> None:
    with served(str(ledger_path)) as house:
        recorder = Recorder(house)
        routed, known = [recorder.raw(data, headers) for _ in range(2)]  # first by the long way
        assert routed.status_code == known.status_code == status
        assert routed.content == known.content
        assert routed.headers == known.headers
        assert status == 200 or known.json()["detail"]


def test_a_body_too_large_is_refused_alone(recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.server.capture_reading.BODY_BYTES", 1000)
    small, large = recorder.send(Batch((recorder.message("s"),)), Batch((recorder.message("l" * 2000),)))
    assert (small.status, large.status, large.refusal) == ("appended", "refused", "too_large")
    assert "2000" in large.reason


# --- bodies as differences ---------------------------------------------------------------------------


def _request(number: int) -> dict[str, object]:
    history = [{"role": "user", "content": f"{turn} " + "lorem ipsum " * 20} for turn in range(number)]
    return {"messages": history, "model": "m", "tools": [{"name": "lookup"}] * 20}


def test_a_growing_history_is_sent_once(recorder: Recorder) -> None:
    sizes = []
    for number in range(1, 40):
        draft = recorder.message(msgspec.json.encode(_request(number)).decode())
        batch = recorder.form.batch(Batch((draft,)))
        sizes.append(len(msgspec.msgpack.encode(batch)))
        (result,) = recorder.post(CaptureRequest(batches=[batch]))
        assert result.status == "appended"
        content = recorder.house.service.reader.body(draft.event_id, "payload")
        assert content is not None
        assert b"".join(content.read()) == draft.bodies[0].data  # type: ignore[union-attr]
    assert max(sizes[10:]) < 1200 < len(msgspec.json.encode(_request(39)))


def test_a_base_is_looked_for_in_the_ledger_and_must_be_the_agents_own(recorder: Recorder) -> None:
    first, second = (recorder.message(msgspec.json.encode(_request(number)).decode()) for number in (20, 21))
    recorder.send(Batch((first,)))
    delta = recorder.form.batch(Batch((second,)))
    assert delta.events[0].bodies[0].base is not None
    recorder.house.service.intake._recent._bodies.clear()
    unknown = msgspec.structs.replace(
        delta.events[0],
        bodies=[
            msgspec.structs.replace(
                delta.events[0].bodies[0],
                base=CaptureBase(event_id=new_id(), slot="payload", head=10, tail=10),
            )
        ],
    )
    (refused,) = recorder.post(CaptureRequest(batches=[msgspec.structs.replace(delta, events=[unknown])]))
    assert (refused.status, refused.refusal) == ("refused", "unknown_base")
    stranger = Recorder(recorder.house)
    stranger.send(*stranger.opening("stranger"))
    foreign = recorder.form.batch(Batch((stranger.message("x" * 3000),)), whole=True).events[0]
    stolen = msgspec.structs.replace(
        foreign,
        bodies=[msgspec.structs.replace(foreign.bodies[0], data=b"", base=delta.events[0].bodies[0].base)],
    )
    (refused,) = recorder.post(CaptureRequest(batches=[msgspec.structs.replace(delta, events=[stolen])]))
    assert refused.refusal == "unknown_base"
    (result,) = recorder.post(CaptureRequest(batches=[delta]))
    assert result.status == "appended"


@pytest.mark.parametrize(("head", "tail"), [(-1, 0), (0, -1), (10**9, 0), (3, 10**9)])
def test_a_base_that_does_not_fit_is_unknown(recorder: Recorder, head: int, tail: int) -> None:
    first, second = (recorder.message("x" * 3000), recorder.message("x" * 3001))
    recorder.send(Batch((first,)))
    event = recorder.form.batch(Batch((second,))).events[0]
    base = CaptureBase(event_id=first.event_id, slot="payload", head=head, tail=tail)
    event = msgspec.structs.replace(event, bodies=[msgspec.structs.replace(event.bodies[0], base=base)])
    (result,) = recorder.post(CaptureRequest(batches=[msgspec.structs.replace(_batch(), events=[event])]))
    assert result.refusal == "unknown_base"


# --- who may ----------------------------------------------------------------------------------------


def test_a_token_records_for_its_agents_only(house: Served) -> None:
    mine = Recorder(house)
    mine.begin()
    narrow = house.bearer(Scope.CAPTURE, agents=frozenset([mine.agent]))
    other = Recorder(house, narrow)
    results = other.send(*other.opening("other"))
    assert {one.refusal for one in results} == {"not_allowed"}
    mine.headers = narrow
    assert mine.send(Batch((mine.message("hi"),)))[0].status == "appended"
    known = Claim(AliasKind.AGENT, NIL, "support", new_id())
    assert mine.send(Batch(claim=known))[0].status == "existing"
    foreign = Claim(AliasKind.ACTOR, other.agent, "slack:U1", new_id())
    assert mine.send(Batch(claim=foreign))[0].refusal == "not_allowed"
    message = Claim(AliasKind.MESSAGE, other.talk, "m1", new_id())
    assert mine.send(Batch(claim=message))[0].refusal == "not_allowed"


def test_what_arrives_of_a_reply_is_taken_under_the_guards_of_an_event(house: Served) -> None:
    mine, other = Recorder(house), Recorder(house)
    mine.begin()
    call = mine.step(ModelCall(bytes=2, form=Form.WIRE), 1, {})
    assert mine.send(Batch((call,)))[0].status == "appended"
    other.send(*other.opening("other"))
    lease = Lease(HOLDER, 0, 60_000)
    arrived = Arrived(mine.turn, mine.agent, mine.talk, call.event_id, 0, b"\0data: ", lease)
    narrow = house.bearer(Scope.CAPTURE, agents=frozenset([other.agent]))
    for headers, sent, answer in (
        (mine.headers, arrived, ("appended", None)),
        (mine.headers, arrived, ("appended", None)),  # sent again it is the same
        (mine.headers, arrived._replace(start=6, data=b"\0one"), ("appended", None)),
        (mine.headers, arrived._replace(lease=Lease(HOLDER, 1, 60_000)), ("refused", "turn_lost")),
        (mine.headers, arrived._replace(journal=other.turn), ("refused", "foreign_agent")),
        (mine.headers, arrived._replace(journal=new_id()), ("refused", "unknown_journal")),
        (mine.headers, arrived._replace(start=-1), ("refused", "grammar")),
        (narrow, arrived._replace(start=9), ("refused", "not_allowed")),
    ):
        mine.headers = headers
        (result,) = mine.send(Batch(arrived=sent))
        assert (result.status, result.refusal, result.events) == (*answer, [])
    assert arrived_replies(house.service.reader, mine.turn) == {1: b"data: one"}
    assert [row.type for row in house.service.reader.events(mine.turn, 0, 9)] == ["INTAKE", "MODEL_CALL"]
    body = house.client.get(f"/api/capture/turns/{mine.turn}/events?holder={HOLDER}", headers=mine.headers)
    assert b"data: one" not in body.content


def test_lookups_tell_places_and_nothing_else(recorder: Recorder) -> None:
    house, headers = recorder.house, recorder.headers
    draft = recorder.message("secret text")
    recorder.send(Batch((draft,)))
    place = house.client.get(f"/api/capture/places/{draft.event_id}", headers=headers)
    assert (place.json()["seq"], "secret" in place.text) == (2, False)
    assert house.client.get(f"/api/capture/places/{new_id()}", headers=headers).status_code == 404
    held = house.client.get(f"/api/capture/turns/{recorder.turn}/events", headers=headers)
    assert (held.status_code, held.json()["type"]) == (409, "turn-lost")
    own = house.client.get(f"/api/capture/turns/{recorder.turn}/events?holder={HOLDER}", headers=headers)
    assert [one["type"] for one in own.json()["events"]] == ["INTAKE"]
    assert house.client.get(f"/api/capture/turns/{new_id()}/events", headers=headers).status_code == 404
    narrow = house.bearer(Scope.CAPTURE, agents=frozenset([new_id()]))
    for path in (
        f"places/{draft.event_id}",
        f"turns/{recorder.turn}/events?holder={HOLDER}",
        f"memory/{recorder.agent}/{new_id()}",
    ):
        assert house.client.get(f"/api/capture/{path}", headers=narrow).status_code == 404
    revision = house.client.get(f"/api/capture/memory/{recorder.agent}/{new_id()}", headers=headers)
    assert revision.json() == {"revision": 0}


def test_leases_are_renewed_and_lost(recorder: Recorder) -> None:
    house, headers = recorder.house, recorder.headers

    def renew(holder: UUID, epoch: int, asked: dict[str, str]) -> list[str]:
        body = {
            "holder": str(holder),
            "turns": [{"turnId": str(recorder.turn), "epoch": epoch}],
            "ttlMs": 60_000,
        }
        response = house.client.post("/api/capture/renewals", json=body, headers=asked)
        assert response.status_code == 200, response.text
        lost: list[str] = response.json()["lost"]
        return lost

    assert renew(HOLDER, 0, headers) == []
    assert renew(HOLDER, 1, headers) == [str(recorder.turn)]
    assert renew(new_id(), 0, headers) == [str(recorder.turn)]
    narrow = house.bearer(Scope.CAPTURE, agents=frozenset([new_id()]))
    assert renew(HOLDER, 0, narrow) == [str(recorder.turn)]
    body = {"turnId": str(recorder.turn), "holder": str(new_id()), "ttlMs": 60_000}
    taken = house.client.post("/api/capture/takeovers", json=body, headers=headers)
    assert taken.json() == {"lease": None}
    assert house.client.post("/api/capture/takeovers", json=body, headers=narrow).status_code == 404


def test_json_has_bytes_in_base64(recorder: Recorder) -> None:
    draft = recorder.message("plain")
    request = msgspec.json.decode(
        msgspec.json.encode(CaptureRequest(batches=[recorder.form.batch(Batch((draft,)))]))
    )
    event = request["batches"][0]["events"][0]
    assert base64.b64decode(event["bodies"][0]["data"]) == b"plain"
    assert base64.b64decode(event["payloadHash"]) == draft.payload_hash
    assert base64.b64decode(event["detail"]) == draft.detail
