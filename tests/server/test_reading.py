"""Every read resource, on both engines: what was recorded is what is told."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest

import turnledger
from tests.patience import eventually
from tests.server.kit import ASKS, REQUEST, Served, Story, served, story, told
from turnledger.capture.conversation import Conversation
from turnledger.model.access import Scope
from turnledger.query.turn_report import Doubt
from turnledger.query.turn_steps import MOST_LOOSE
from turnledger.query.verify_file import verify_file

IN_DOUBT = Doubt.IN_DOUBT.value
FATES = ("undecided", "engaged", "shed", "failed", "answered", "observed", "folded", "apologised")
SEVEN = ["seq", "type", "payloadHash", "summary", "prevHash", "hash", "createdAt"]


@pytest.fixture
def house(engine: str) -> Iterator[Served]:
    with told(engine, "support", "ops") as house:
        yield house


@pytest.fixture
def there(house: Served) -> Story:
    return story(house.service)


def _at(there: Story) -> str:
    return f"/api/agents/{there.agent}"


def test_agents(house: Served, there: Story) -> None:
    listed = house.ask("/api/agents")
    assert [agent["name"] for agent in listed["items"]] == ["ops", "support"]
    assert not listed["hasMore"]
    one = house.ask(_at(there))
    assert (one["id"], one["turns"], one["conversations"]) == (str(there.agent), 2, 1)
    assert house.ask(f"/api/agents/{uuid4()}", 404)["type"] == "not-found"


def test_overview(house: Served, there: Story) -> None:
    found = house.ask(f"{_at(there)}/overview?bucket=hour&tz=Europe/Berlin")
    total = found["total"]
    assert (total["turns"], total["statuses"]) == (2, {"completed": 2})
    assert (total["modelCalls"], total["toolCalls"], total["failedDeliveries"]) == (2, 2, 1)
    assert total["tokens"] == {"in": 60, "out": 24, "cacheRead": None, "cacheWrite": None, "reasoning": None}
    assert total["shed"] == {"queue_full": 1}
    assert sum(one["figures"]["turns"] for one in found["buckets"]) == 2
    assert all(
        one["until"] == two["since"] for one, two in zip(found["buckets"], found["buckets"][1:], strict=False)
    )
    assert [top["name"] for top in found["topModels"]] == ["gpt-5-0807"]
    assert [top["name"] for top in found["topTools"]] == ["lookup_order"]
    assert found["topConversations"][0]["conversationId"] == str(there.conversation)


def test_conversations_by_every_filter(house: Served, there: Story) -> None:
    path = f"{_at(there)}/conversations"
    (one,) = house.ask(f"{path}?previews=true")["items"]
    assert (one["key"], one["connector"], one["shape"], one["place"]) == (
        "slack:C042/1712.33",
        "slack",
        "thread",
        "C042",
    )
    assert one["lastMessage"]["preview"]["text"] == "Sorry!"
    assert one["lastMessage"]["fate"] == "failed"
    actor = house.ask(f"{_at(there)}/actors")["items"][0]["id"]
    meant = ["actor=slack:U7", f"actor={actor}", "connector=slack", "shape=thread", "place=C042", "q=c042"]
    meant += ["since=2020-01-01T00:00:00Z", "until=2999-01-01T00:00:00%2B01:00", "q=1712"]
    others = ["actor=slack:U9", f"actor={uuid4()}", "connector=email", "shape=dm", "place=C043", "q=nothing"]
    others += ["status=open", "status=failed", "until=2020-01-01T00:00:00Z", "day=2020-02-29&tz=Asia/Tokyo"]
    assert [len(house.ask(f"{path}?{query}")["items"]) for query in meant] == [1] * len(meant)
    assert [len(house.ask(f"{path}?{query}")["items"]) for query in others] == [0] * len(others)
    assert len(house.ask("/api/conversations")["items"]) == 2
    assert len(house.ask("/api/conversations?actor=slack:U7")["items"]) == 2


def test_timeline_says_what_happened(house: Served, there: Story) -> None:
    path = f"{_at(there)}/conversations/{there.conversation}/timeline"
    found = house.ask(f"{path}?anchor=start&limit=500")
    entries = found["entries"]
    assert [entry["position"] for entry in entries] == list(range(len(entries)))
    assert found["total"] == len(entries)
    assert (found["hasMore"], found["before"]) == (False, None)
    by_type = {entry["type"]: entry for entry in entries}
    assert by_type["TOOL_CALL"]["bodies"] == [
        {"slot": "payload", "size": len(ASKS) - 3, "state": "present", "mediaType": "application/json"},
        {"slot": "supplied", "size": len(ASKS), "state": "present", "mediaType": "application/json"},
    ] or {body["slot"] for body in by_type["TOOL_CALL"]["bodies"]} == {"payload", "supplied"}
    assert by_type["MODEL_RESULT"]["preview"]["text"] == "Let me look."
    assert by_type["MODEL_CALL"]["preview"] is None
    assert by_type["MESSAGE"]["assurance"] == "write_ahead"
    assert by_type["VERDICT"]["tokens"]["verdict"] == "observe"
    assert set(found["names"].values()) == {"slack:U7", "slack:U8", "prefers"}
    assert [turn["id"] for turn in found["turns"]] == [str(turn) for turn in there.turns]


def test_timeline_detail_is_the_record_itself(house: Served, there: Story) -> None:
    """The chain covers the detail by the SHA-256 of its bytes, so they come as they are."""
    path = f"{_at(there)}/conversations/{there.conversation}/timeline"
    response = house.client.get(path, headers=house.bearer(*Scope))
    for entry in msgspec.json.decode(response.content, type=dict[str, msgspec.Raw]).items():
        if entry[0] == "entries":
            for one in msgspec.json.decode(entry[1], type=list[dict[str, msgspec.Raw]]):
                tokens = msgspec.json.decode(one["tokens"], type=dict[str, str])
                assert hashlib.sha256(bytes(one["detail"])).hexdigest() == tokens["detail"]


def test_timeline_in_both_directions(house: Served, there: Story) -> None:
    path = f"{_at(there)}/conversations/{there.conversation}/timeline?limit=7"
    whole = [entry["eventId"] for entry in house.ask(f"{path}0&anchor=start")["entries"]]
    newest = house.ask(path)
    assert [entry["eventId"] for entry in newest["entries"]] == whole[-7:]
    backwards, page = list(newest["entries"]), newest
    while page["before"] is not None:
        page = house.ask(f"{path}&before={page['before']}")
        backwards = page["entries"] + backwards
    assert [entry["eventId"] for entry in backwards] == whole
    forwards, page = [], house.ask(f"{path}&anchor=start")
    while page["entries"]:
        forwards += page["entries"]
        page = house.ask(f"{path}&after={page['after']}")
    assert [entry["eventId"] for entry in forwards] == whole
    around = house.ask(f"{path}&around={whole[12]}")["entries"]
    assert whole[12] in [entry["eventId"] for entry in around]
    assert house.ask(f"{path}&position=12")["entries"] == around
    message = next(one for one in forwards if one["journal"] == "conversation" and one["position"] > 5)
    there_too = house.ask(f"{path}&seq={message['seq']}")["entries"]
    assert message["eventId"] in [entry["eventId"] for entry in there_too]
    house.ask(f"{path}&position={len(whole)}", 404)
    house.ask(f"{path}&seq={len(whole)}", 404)
    house.ask(f"{path}&position=1&around={whole[12]}", 400)
    one = forwards[20]
    behind = house.ask(f"{path}&after={one['cursor']}")["entries"]
    assert behind[0]["eventId"] == whole[21]


def test_conversations_that_owe_a_reply(engine: str) -> None:
    """A message is owed a reply until something is said after it, whoever dropped or failed it."""
    with turnledger.open(engine) as ledger:
        agent = ledger.agent("support")
        for fate in [
            "undecided",
            "engaged",
            "shed",
            "failed",
            "answered",
            "observed",
            "folded",
            "apologised",
            "apologised by name",
            "shed and passed over",
            "failed and passed over",
        ]:
            _message_with_fate(agent.conversation(fate), fate)
    with served(engine) as house:
        owing = house.ask("/api/conversations?status=owes")["items"]
        passed_over = {"shed and passed over", "failed and passed over"}
        assert {row["key"] for row in owing} == {"undecided", "engaged", "shed", "failed"} | passed_over
        every = house.ask("/api/conversations")["items"]
        assert {row["key"] for row in every if row["owesReply"]} == {row["key"] for row in owing}
        (agent_id,) = {row["agentId"] for row in owing}
        mine = house.ask(f"/api/agents/{agent_id}/conversations?status=owes&actor=U1")["items"]
        assert {row["key"] for row in mine} == {row["key"] for row in owing}


def test_conversations_that_wait_for_an_approval(engine: str) -> None:
    with turnledger.open(engine) as ledger:
        agent = ledger.agent("support")
        with ExitStack() as open_turns:
            for key in ("waits", "runs"):
                turn = open_turns.enter_context(agent.conversation(key).turn(trigger="api"))
                if key == "waits":
                    step = open_turns.enter_context(turn.tool_call("refund", supplied="{}"))
                    turn.approval(step, question="Refund 7?")
            with served(engine) as house:
                waiting = house.ask("/api/conversations?status=waiting")["items"]
                assert [row["key"] for row in waiting] == ["waits"]
                found = {row["key"]: row for row in house.ask("/api/conversations?status=open")["items"]}
                assert {key: (row["openTurns"], row["waitingTurns"]) for key, row in found.items()} == {
                    "waits": (1, 1),
                    "runs": (1, 0),
                }


def _message_with_fate(talk: Conversation, fate: str) -> None:
    message = talk.inbound("Where is it?", actor="U1")
    if fate in {"engaged", "failed", "answered", "failed and passed over"}:
        message.verdict("engage", reason="direct mention")
    if fate.startswith("failed") or fate == "answered":
        with talk.turn(trigger=message) as turn:
            turn.commit("here") if fate == "answered" else turn.abort("no tool")
    elif fate == "observed":
        message.verdict("observe", reason="no question")
    elif fate.startswith(("shed", "apologised")):
        message.shed("queue_full")
    elif fate == "folded":
        later = talk.inbound("and that?", actor="U1")
        message.collapsed(later)
        later.verdict("ignore", reason="done")
    if fate == "apologised":
        talk.outbound("Sorry, too busy.")
    elif fate == "apologised by name":
        talk.outbound("Sorry, too busy.", reply_to=message)
    elif fate.endswith("passed over"):
        later = talk.inbound("Hello?", actor="U1")
        with talk.turn(trigger=later) as turn:
            turn.commit("Hello!")


def test_turns(house: Served, there: Story) -> None:
    path = f"{_at(there)}/turns"
    listed = house.ask(path)["items"]
    assert [turn["id"] for turn in listed] == [str(turn) for turn in reversed(there.turns)]
    assert len(house.ask(f"{path}?status=completed&status=failed")["items"]) == 2
    assert house.ask(f"{path}?status=failed")["items"] == []
    assert len(house.ask(f"{path}?conversation={there.conversation}")["items"]) == 2
    for session in (there.conversation, "slack:C042/1712.33"):
        index = house.ask(f"{_at(there)}/turn-journal?sessionId={session}")
        assert [turn["id"] for turn in index["turns"]] == [turn["id"] for turn in listed]
    house.ask(f"{_at(there)}/turn-journal?sessionId=nothing", 404)


def test_one_turn_taken_apart(house: Served, there: Story) -> None:
    report = house.ask(f"{_at(there)}/turns/{there.turns[0]}")
    assert [(step["kind"], step["name"], step["status"]) for step in report["steps"]] == [
        ("model", "gpt-5-0807", "ok"),
        ("tool", "lookup_order", "ok"),
    ]
    assert report["unrunTools"] == [
        {"resultSeq": report["steps"][0]["outcomeSeq"], "ordinal": 1, "tool": "never_run"}
    ]
    assert report["turn"]["status"] == "completed"
    assert report["totals"]["tokens"]["in"] == 30
    assert [entry["seq"] for entry in report["entries"]] == list(range(report["turn"]["events"]))
    pages, after = [], ""
    while True:
        page = house.ask(f"{_at(there)}/turns/{there.turns[0]}?limit=3{after}")
        pages += page["entries"]
        if not page["hasMore"]:
            break
        after = f"&after={page['next']}"
    assert [entry["seq"] for entry in pages] == [entry["seq"] for entry in report["entries"]]


def test_steps_come_with_the_events_that_they_begin_or_end_in(house: Served, there: Story) -> None:
    path = f"{_at(there)}/turns/{there.turns[0]}"
    whole = house.ask(path)
    for start in range(len(whole["entries"])):
        for limit in (1, 2, 3):
            here = range(start, start + limit)
            some = house.ask(f"{path}/entries?from={start}&limit={limit}")
            assert some["steps"] == [
                step for step in whole["steps"] if step["intentSeq"] in here or step["outcomeSeq"] in here
            ]


def test_a_report_says_what_the_whole_turn_left_open_and_shows_a_part_of_it(engine: str) -> None:
    left = MOST_LOOSE + 20
    with turnledger.open(engine) as ledger:
        agent = ledger.agent("support")
        turn = agent.conversation("slack:long").turn(trigger="api")
        with turn:
            turn.tool("first", lambda: "done")
            steps = [turn.tool_call("left", supplied="{}", ordinal=number) for number in range(left)]
            for step in steps:
                step.__enter__()
            approval = turn.approval(steps[0])
            approval.decide("denied")
            turn.commit("That was all.")
    with served(engine) as house:
        path = f"/api/agents/{agent.id}/turns/{turn.id}"
        report = house.ask(f"{path}?limit=1")
        sizes = [len(report[key]) for key in ("entries", "steps", "unfinishedSteps", "unrunTools")]
        assert (report["turn"]["openSteps"], sizes) == (left, [1, 0, MOST_LOOSE, 0])
        assert [one["doubt"] for one in report["unfinishedSteps"][:2]] == ["not started", IN_DOUBT]
        assert report["totals"]["toolCalls"] == left + 1
        assert report["totals"]["toolMs"] is not None
        first = report["unfinishedSteps"][0]["intentSeq"]
        some = house.ask(f"{path}/entries?from={first}&limit=2")["steps"]
        assert [one["doubt"] for one in some] == ["not started", IN_DOUBT]


def test_entries_of_a_turn_from_any_place_on(house: Served, there: Story) -> None:
    path = f"{_at(there)}/turns/{there.turns[0]}"
    whole = house.ask(path)["entries"]
    some = house.ask(f"{path}/entries?from=2&limit=3")
    assert some["entries"] == whole[2:5]
    assert some["hasMore"]
    rest = house.ask(f"{path}/entries?from=2")
    assert rest["entries"] == whole[2:]
    assert not rest["hasMore"]
    assert house.ask(f"{path}/entries?from={len(whole)}") == {
        "entries": [],
        "steps": [],
        "hasMore": False,
        "names": {},
    }
    house.ask(f"{path}/entries?from=-1", 422)


def test_the_journal_is_exactly_what_is_hashed(house: Served, there: Story) -> None:
    journal = house.ask(f"{_at(there)}/turns/{there.turns[0]}/journal")
    assert list(journal) == [
        "agentId",
        "turnId",
        "chainIntact",
        "brokenAtSeq",
        "verification",
        "commitment",
        "events",
    ]
    assert (journal["chainIntact"], journal["brokenAtSeq"], journal["verification"]) == (True, -1, "ok")
    assert journal["commitment"] == "hmac-sha256"
    previous = "0" * 64
    for seq, event in enumerate(journal["events"]):
        assert list(event) == SEVEN
        assert (event["seq"], event["prevHash"]) == (seq, previous)
        millis = _millis(event["createdAt"])
        joined = "|".join(
            [
                previous,
                journal["turnId"],
                journal["agentId"],
                str(seq),
                event["type"],
                event["payloadHash"],
                event["summary"],
                str(millis),
            ]
        )
        previous = hashlib.sha256(joined.encode()).hexdigest()
        assert event["hash"] == previous
    house.ask(f"{_at(there)}/turns/{uuid4()}/journal", 404)


def _millis(text: str) -> int:
    moment = datetime.fromisoformat(text)
    return int(moment.timestamp()) * 1000 + moment.microsecond // 1000


def test_fixture_and_verification(house: Served, there: Story) -> None:
    path = f"{_at(there)}/turns/{there.turns[0]}"
    fixture = house.ask(f"{path}/fixture")
    assert fixture["schema"] == "vegaduta.turn-fixture/1"
    assert fixture["expected"]["finalStatus"] == "completed"
    assert "bodies" not in fixture
    whole = house.ask(f"{path}/fixture?bodies=true")
    assert whole["bodies"]
    response = house.client.get(f"{path}/fixture", headers=house.bearer(*Scope))
    assert (
        response.headers["Content-Disposition"]
        == f'attachment; filename="turn-{there.turns[0]}.fixture.json"'
    )
    skeleton = house.bearer(Scope.VIEW_AUDIT_LOG)
    assert house.client.get(f"{path}/fixture?bodies=true", headers=skeleton).status_code == 403
    assert house.ask(f"{path}/verification")["verdict"] == "intact"
    everything = house.ask(f"{_at(there)}/conversations/{there.conversation}/verification")
    assert {item["agentId"] for item in everything["items"]} == {str(there.agent)}
    assert (everything["verdict"], len(everything["items"])) == ("intact", 3)


def test_an_export_verifies_by_itself(house: Served, there: Story) -> None:
    path = f"{_at(there)}/conversations/{there.conversation}/export"
    for query, bodies in (("", 0), ("?bodies=true", 2)):
        response = house.client.get(path + query, headers=house.bearer(*Scope))
        found = list(verify_file("export", io.BytesIO(response.content)))
        assert [finding.verdict.value for finding in found] == ["intact"] * 3
        assert (sum(finding.bodies["checked"] for finding in found) > 0) == bool(bodies)
    skeleton = house.bearer(Scope.VIEW_AUDIT_LOG)
    assert house.client.get(path, headers=skeleton).status_code == 200
    assert house.client.get(f"{path}?bodies=true", headers=skeleton).status_code == 403


def test_diff(house: Served, there: Story) -> None:
    one, other = there.turns
    found = house.ask(f"{_at(there)}/turns/{one}/diff/{other}")
    changed = [(row["op"], row["type"], row["differences"]) for row in found["rows"] if row["op"] != "same"]
    assert changed == [("changed", "INTAKE", ["payload"]), ("changed", "MEMORY_WRITE", ["op", "payload"])]
    assert (found["sameBehaviour"], found["firstDifference"]) == (False, 0)
    same = house.ask(f"{_at(there)}/turns/{one}/diff/{one}")
    assert (same["sameBehaviour"], same["firstDifference"]) == (True, None)
    skeleton = house.client.get(
        f"{_at(there)}/turns/{one}/diff/{one}", headers=house.bearer(Scope.VIEW_AUDIT_LOG)
    )
    assert skeleton.json()["sameBehaviour"] is None


def _slot_of(house: Served, there: Story, kind: str) -> dict[str, Any]:
    entries = house.ask(f"{_at(there)}/turns/{there.turns[0]}")["entries"]
    found: dict[str, Any] = next(entry for entry in entries if entry["type"] == kind)
    return found


def test_d05_bodies_come_byte_for_byte(house: Served, there: Story) -> None:
    call = _slot_of(house, there, "TOOL_CALL")
    path = f"{_at(there)}/events/{call['eventId']}/body"
    response = house.client.get(f"{path}/supplied", headers=house.bearer(Scope.VIEW_BODIES))
    assert response.content == ASKS.encode()
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert (
        b"123456789012345678901234567890"
        in house.client.get(f"{path}/payload", headers=house.bearer(Scope.VIEW_BODIES)).content
    )
    house.ask(f"{path}/attachment-0", 404)
    assert house.ask(f"{_at(there)}/events/{call['eventId']}")["eventId"] == call["eventId"]
    model = _slot_of(house, there, "MODEL_CALL")
    sent = house.client.get(
        f"{_at(there)}/events/{model['eventId']}/body/payload", headers=house.bearer(Scope.VIEW_BODIES)
    )
    assert msgspec.json.decode(sent.content) == REQUEST


@pytest.mark.parametrize(
    ("asked", "status", "content"),
    [
        ("bytes=0-9", 206, ASKS[:10]),
        ("bytes=-5", 206, ASKS[-5:]),
        ("bytes=60-", 206, ASKS[60:]),
        ("bytes=3-3", 206, ASKS[3]),
        ("bytes=10-99999", 206, ASKS[10:]),
        ("bytes=99999-", 416, None),
        ("bytes=5-4", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=0-1,3-4", 416, None),
        ("lines=1-2", 416, None),
        ("bytes=-", 416, None),
    ],
)
def test_ranges_of_a_body(ledger_path: Path, asked: str, status: int, content: str | None) -> None:
    with told(str(ledger_path)) as house:
        there = story(house.service)
        call = _slot_of(house, there, "TOOL_CALL")
        response = house.client.get(
            f"{_at(there)}/events/{call['eventId']}/body/supplied",
            headers=house.bearer(Scope.VIEW_BODIES) | {"Range": asked},
        )
        assert response.status_code == status
        if content is not None:
            assert response.text == content
            assert response.headers["Content-Range"].endswith(f"/{len(ASKS)}")
            assert response.headers["Content-Length"] == str(len(content))


def test_actors_and_memory(house: Served, there: Story) -> None:
    actors = house.ask(f"{_at(there)}/actors")["items"]
    assert [(actor["name"], actor["messages"]) for actor in actors] == [("slack:U8", 3), ("slack:U7", 2)]
    timeline = house.ask(f"{_at(there)}/actors/{actors[0]['id']}/timeline")
    assert timeline["name"] == "slack:U8"
    assert [(one["fate"], one["preview"]["text"]) for one in timeline["items"]] == [
        ("collapsed", "me too"),
        ("shed", "too much"),
        ("observe", "just saying"),
    ]
    revisions = house.ask(f"{_at(there)}/memory")["items"]
    assert [(one["key"], one["revision"], one["op"]) for one in revisions] == [
        ("prefers", 2, "update"),
        ("prefers", 1, "create"),
    ]
    entry = house.ask(f"{_at(there)}/memory/{revisions[0]['entryId']}?limit=1")
    assert (entry["key"], entry["hasMore"]) == ("prefers", True)
    rest = house.ask(f"{_at(there)}/memory/{revisions[0]['entryId']}?limit=1&after={entry['next']}")
    assert [one["revision"] for one in rest["items"]] == [1]
    assert revisions[0]["turnId"] == str(there.turns[1])
    assert len(house.ask(f"{_at(there)}/memory?conversation={there.conversation}")["items"]) == 2
    assert house.ask(f"{_at(there)}/memory?conversation={uuid4()}")["items"] == []
    house.ask(f"{_at(there)}/memory/{uuid4()}", 404)


def test_nothing_owed_is_forgotten(house: Served, there: Story) -> None:
    shed, folded = (
        house.ask(f"{_at(there)}/disposals?kind={kind}")["items"] for kind in ("shed", "collapsed")
    )
    assert [(one["reason"], one["ageMs"], one["staleMs"], one["depth"]) for one in shed] == [
        ("queue_full", 31_000, 30_000, 9)
    ]
    assert [one["intoSeq"] for one in folded] == [shed[0]["messageSeq"]]
    assert len(house.ask(f"{_at(there)}/disposals")["items"]) == 2
    failed = house.ask(f"{_at(there)}/deliveries?status=failed")["items"]
    assert [(one["status"], one["attempt"]) for one in failed] == [("failed", 1)]
    assert [one["status"] for one in house.ask(f"{_at(there)}/deliveries")["items"]] == ["failed", "sending"]
    balance = house.ask(f"{_at(there)}/balance")
    assert balance["liveCursor"] == house.ask(f"{_at(there)}/overview")["liveCursor"]
    assert (balance["received"], balance["balanced"], balance["unaccounted"]) == (5, True, [])
    assert {fate: count for fate, count in balance["fates"].items() if count} == {
        "answered": 2,
        "observed": 1,
        "shed": 1,
        "collapsed": 1,
    }


def test_search_in_all_bodies(house: Served, there: Story) -> None:
    found = house.ask("/api/search?q=TOMORROW+arrives")
    assert (found["complete"], found["requestsSearched"]) == (True, False)
    assert house.ask("/api/search?q=tomorrow&requests=true")["requestsSearched"] is True
    assert {hit["type"] for hit in found["items"]} == {"MESSAGE"}
    assert len(found["items"]) == 4
    assert found["items"][0]["snippets"][0]["match"].casefold() in {"tomorrow", "arrives"}
    mine = house.ask(f'/api/search?q="order 1"&agent={there.agent}')["items"]
    assert {(hit["agentName"], hit["conversationKey"]) for hit in mine} == {("support", "slack:C042/1712.33")}
    assert house.ask(f"{_at(there)}/events/{mine[0]['eventId']}")["position"] == mine[0]["position"]
    assert {hit["agentId"] for hit in mine} == {str(there.agent)}
    assert house.ask("/api/search?q=912345678901234567")["items"]
    assert house.ask("/api/search?q=zebra")["items"] == []
    assert house.ask("/api/search?q=kind")["items"] == []
    sent = {one["type"] for one in house.ask("/api/search?q=kind&requests=true")["items"]}
    assert sent == {"MODEL_CALL", "PROMPT"}
    pages, after = [], ""
    while True:
        page = house.ask(f"/api/search?q=order&limit=1{after}")
        pages += [hit["eventId"] + hit["slot"] for hit in page["items"]]
        if not page["hasMore"]:
            break
        after = f"&after={page['next']}"
    assert len(pages) == len(set(pages)) >= 4
    house.ask("/api/search?q=%20", 400)


def test_integrity_of_the_whole(house: Served, there: Story) -> None:
    assert there.turns
    before = house.ask("/api/integrity")
    assert (before["checkpoints"]["state"], before["verification"]) == ("none", None)
    house.ask("/api/integrity/verification", 404)
    started = house.client.post("/api/integrity/verification", headers=house.bearer(*Scope))
    assert started.status_code == 202
    eventually(lambda: house.ask("/api/integrity/verification")["state"] != "running")
    job = house.ask("/api/integrity/verification")
    assert (job["state"], job["verdict"], job["unsoundCount"]) == ("finished", "intact", 0)
    assert job["checked"] == job["journals"] == 6
    assert house.ask("/api/integrity")["verification"]["state"] == "finished"


def test_no_parameter_is_ignored(house: Served, there: Story) -> None:
    at = _at(there)
    for path, name, known in (
        (f"{at}/conversations?connecter=slack", "connecter", "connector"),
        (f"{at}/turns?state=failed&limit=5", "state", "status"),
        (f"{at}/turns?session=x", "session", "conversation"),
        ("/api/search?q=order&Limit=2", "Limit", "limit"),
        (f"{at}/turn-journal?session_id=x", "session_id", "sessionId"),
        (f"{at}/turns/{there.turns[0]}/journal?limit=5", "limit", "none"),
        ("/api/health?x=1", "x", "none"),
        ("/api/stream?conversation_id=x", "conversation_id", "conversation"),
    ):
        told = house.ask(path, 422)
        assert told["type"] == "usage"
        assert repr(name) in told["detail"]
        assert known in told["nextStep"]
    twice = house.ask(f"{at}/conversations?connector=slack&connector=email", 422)
    assert "'connector'" in twice["detail"]
    assert len(house.ask(f"{at}/turns?status=failed&status=completed")["items"]) == 2


def test_the_rest(house: Served) -> None:
    assert house.ask("/api/settings/retention") == {"mode": "keep", "windowDays": None}
    assert house.client.get("/api/health").json() == {"status": "ok"}
    metrics = house.client.get("/metrics", headers=house.bearer())
    assert "turnledger_requests_total" in metrics.text
    assert house.client.get("/openapi.json").json()["info"]["title"] == "Turnledger"
    house.ask("/api/nothing", 404)
    assert house.client.post("/api/agents", headers=house.bearer(*Scope)).status_code == 405
