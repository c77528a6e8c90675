"""Who may ask what: every scope at every resource, one agent's objects from another's side, foreign pages."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from starlette.testclient import TestClient

from tests.server.kit import HERE, Served, Story, story, told
from turnledger.model.access import Grant, Scope
from turnledger.server.gate import CONTENT_POLICY

DOCUMENT: dict[str, Any] = msgspec.json.decode(
    (Path(__file__).parents[2] / "docs" / "openapi.json").read_bytes()
)
OPERATIONS = [
    (method.upper(), path, operation.get("x-scope"), operation["security"])
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
NAMES = [f"{method} {path}" for method, path, _, _ in OPERATIONS]
QUERIES = {
    "/api/search": "q=order",
    "/api/stream": "scope=nothing",
    "/api/agents/{agentId}/turn-journal": "sessionId=x",
}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with told(str(tmp_path_factory.mktemp("borders") / "ledger"), "support", "ops") as house:
        yield house


def _filled(path: str, query: str = "") -> str:
    for name in ("agentId", "conversationId", "turnId", "otherTurnId", "eventId", "actorId", "entryId"):
        path = path.replace(f"{{{name}}}", str(UUID(int=7)))
    path = path.replace("{operatorId}", str(UUID(int=7))).replace("{tokenId}", str(UUID(int=7)))
    path = path.replace("{slot}", "payload")
    return f"{path}?{query}" if query else path


@pytest.mark.parametrize(("method", "path", "scope", "security"), OPERATIONS, ids=NAMES)
def test_nobody_reads_anonymously(
    house: Served, method: str, path: str, scope: str | None, security: list[object]
) -> None:
    for headers in ({}, {"Authorization": "Bearer tl_unknown"}, {"Cookie": "turnledger_session=x"}):
        response = house.client.request(method, _filled(path, QUERIES.get(path, "")), headers=headers)
        if security:
            assert response.status_code == 401, scope
            assert response.headers["WWW-Authenticate"].startswith("Bearer")
            assert response.json()["type"] == "not-authenticated"
        else:
            assert response.status_code in {200, 415}


@pytest.mark.parametrize("held", list(Scope))
@pytest.mark.parametrize(("method", "path", "scope", "security"), OPERATIONS, ids=NAMES)
def test_every_scope_at_every_resource(
    house: Served, method: str, path: str, scope: str | None, security: list[object], held: Scope
) -> None:
    """K07: what records cannot read, what reads cannot record; K05: what is not there is 404."""
    if path == "/api/session" and method == "DELETE":
        return  # says goodbye to whoever asks
    response = house.client.request(method, _filled(path, QUERIES.get(path, "")), headers=house.bearer(held))
    enough = scope is None or Grant(frozenset([held])).may(Scope(scope))
    if not security or enough:
        assert response.status_code in {200, 202, 400, 404, 415, 422}, response.text
    else:
        assert response.status_code == 403
        assert response.json()["type"] == "not-allowed"


def _paths(there: Story, house: Served) -> list[str]:
    """Every resource of one agent, with ids of things that are there."""
    agent = f"/api/agents/{there.agent}"
    ask = house.ask
    event = ask(f"{agent}/turns/{there.turns[0]}")["entries"][0]["eventId"]
    actor = ask(f"{agent}/actors")["items"][0]["id"]
    entry = ask(f"{agent}/memory")["items"][0]["entryId"]
    turn = f"{agent}/turns/{there.turns[0]}"
    talk = f"{agent}/conversations/{there.conversation}"
    return [
        *[f"{agent}{rest}" for rest in ("", "/overview", "/conversations", "/turns", "/actors", "/memory")],
        *[f"{agent}{rest}" for rest in ("/disposals", "/deliveries", "/balance")],
        f"{agent}/turn-journal?sessionId={there.conversation}",
        *[f"{turn}{rest}" for rest in ("", "/journal", "/verification", "/fixture")],
        f"{turn}/diff/{there.turns[1]}",
        *[f"{talk}{rest}" for rest in ("", "/timeline", "/verification", "/export")],
        f"{agent}/events/{event}",
        f"{agent}/events/{event}/body/payload",
        f"{agent}/actors/{actor}/timeline",
        f"{agent}/memory/{entry}",
        f"/api/search?q=order&agent={there.agent}",
    ]


def test_k05_an_agents_objects_are_its_viewers_alone(house: Served) -> None:
    mine, other = story(house.service), story(house.service, "ops")
    narrow = house.bearer(*Scope, agents=frozenset([mine.agent]))
    for path in _paths(mine, house):
        assert house.client.get(path, headers=narrow).status_code == 200, path
    for path in _paths(other, house):
        response = house.client.get(path, headers=narrow)
        assert response.status_code == 404, path
        assert "ops" not in response.text


def test_k05_an_agents_objects_are_not_found_under_another(house: Served) -> None:
    mine, other = story(house.service), story(house.service, "ops")
    for path in _paths(other, house):
        if str(other.agent) in path and path != f"/api/agents/{other.agent}":
            crossed = path.replace(str(other.agent), str(mine.agent))
            if crossed.count("/") > 4:
                empty = crossed.endswith("/timeline") and "/actors/" in crossed
                assert house.client.get(crossed, headers=house.bearer(*Scope)).status_code == (
                    200 if empty else 404
                ), crossed
    actor = house.ask(f"/api/agents/{other.agent}/actors")["items"][0]["id"]
    assert house.ask(f"/api/agents/{mine.agent}/actors/{actor}/timeline")["items"] == []


def test_k05_lists_of_all_are_lists_of_what_may_be_seen(house: Served) -> None:
    mine = story(house.service)
    narrow = house.bearer(*Scope, agents=frozenset([mine.agent]))
    ask = house.client.get
    assert [one["name"] for one in ask("/api/agents", headers=narrow).json()["items"]] == ["support"]
    listed = ask("/api/conversations", headers=narrow).json()["items"]
    assert {one["agentId"] for one in listed} == {str(mine.agent)}
    found = ask("/api/search?q=order&limit=100", headers=narrow).json()["items"]
    assert {one["agentId"] for one in found} == {str(mine.agent)}
    for whole in ("/api/integrity", "/api/integrity/verification", "/api/settings/retention", "/metrics"):
        assert ask(whole, headers=narrow).status_code == 403, whole
    nobody = house.bearer(*Scope, agents=frozenset([uuid4()]))
    assert ask("/api/conversations", headers=nobody).json()["items"] == []
    assert ask("/api/agents", headers=nobody).json()["items"] == []


def test_previews_are_for_those_who_may_read_bodies(house: Served) -> None:
    there = story(house.service)
    path = f"/api/agents/{there.agent}/conversations"
    for asked in (
        f"{path}/{there.conversation}/timeline",
        f"{path}?previews=true",
        f"/api/agents/{there.agent}/turns/{there.turns[0]}",
    ):
        skeleton = house.client.get(asked, headers=house.bearer(Scope.VIEW_AUDIT_LOG))
        whole = house.client.get(asked, headers=house.bearer(Scope.VIEW_BODIES))
        assert '"text":"' not in skeleton.text
        assert '"text":"' in whole.text


# --- pages of others --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
@pytest.mark.parametrize("path", ["/api/agents", "/api/session", "/api/settings/retention", "/", "/metrics"])
def test_k07_no_other_origin_is_let_in(house: Served, method: str, path: str) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "GET"}
    response = house.client.request(method, path, headers=headers | house.bearer(*Scope))
    assert not [name for name in response.headers if name.lower().startswith("access-control")]
    if method == "OPTIONS":
        assert response.status_code in {404, 405}


def test_every_answer_is_guarded(house: Served) -> None:
    for path in ("/", "/api/agents", "/api/nothing", "/api/health", "/plain.js", "/openapi.json"):
        headers = house.client.get(path).headers
        assert headers["Content-Security-Policy"] == CONTENT_POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
    assert "unsafe" not in CONTENT_POLICY
    assert house.client.get("/api/agents").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8321", 200),
        ("localhost", 200),
        ("[::1]:8321", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("127.0.0.1:8321@evil.example", 421),
        ("", 421),
    ],
)
def test_names_that_rebind_are_refused(house: Served, host: str, status: int) -> None:
    assert house.client.get("/api/health", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    "query",
    ["token=SECRET", "access_token=SECRET", "api_key=SECRET", "x=tl_SECRETSECRETSECRETSECRET", "KEY=SECRET"],
)
@pytest.mark.parametrize("path", ["/api/stream", "/api/agents", "/"])
def test_v04_no_secret_in_a_url(
    house: Served, caplog: pytest.LogCaptureFixture, path: str, query: str
) -> None:
    with caplog.at_level(logging.INFO):
        response = house.client.get(f"{path}?{query}", headers=house.bearer(*Scope))
    assert response.status_code == 401
    assert response.json()["type"] == "token-in-url"
    ours = "\n".join(record.getMessage() for record in caplog.records if record.name.startswith("turnledger"))
    assert f"GET {path}?… 401" in ours
    assert "SECRET" not in ours


# --- logging in -------------------------------------------------------------------------------------


def _log_in(house: Served, *scopes: Scope, agents: frozenset[UUID] | None = None) -> tuple[TestClient, str]:
    access = house.service.access
    operator = access.add_operator(f"ada-{uuid4()}", Grant(frozenset(scopes), agents))
    code, _ = access.login_code(operator.id)
    browser = TestClient(house.client.app, base_url=HERE)
    answer = browser.post("/api/session", json={"code": code})
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert browser.post("/api/session", json={"code": code}).status_code == 401
    return browser, answer.json()["csrfToken"]


def test_a_session_from_its_link_to_its_end(house: Served) -> None:
    browser, csrf = _log_in(house, Scope.VIEW_AUDIT_LOG)
    me = browser.get("/api/session").json()
    assert (me["kind"], me["scopes"], me["agents"]) == ("operator", ["view_audit_log"], None)
    assert browser.get("/api/agents").status_code == 200
    assert browser.delete("/api/session").status_code == 403
    assert browser.delete("/api/session", headers={"X-CSRF-Token": csrf}).status_code == 204
    assert browser.get("/api/agents").status_code == 401


def test_k07_a_change_needs_the_page_it_came_from(house: Served) -> None:
    browser, csrf = _log_in(house, Scope.MANAGE)
    asked = {"name": "bot", "scopes": ["capture"]}
    post = browser.post
    assert post("/api/tokens", json=asked).status_code == 403
    assert post("/api/tokens", json=asked, headers={"X-CSRF-Token": "0" * 64}).status_code == 403
    foreign = {"X-CSRF-Token": csrf, "Sec-Fetch-Site": "cross-site"}
    assert post("/api/tokens", json=asked, headers=foreign).status_code == 403
    assert post("/api/tokens", json=asked, headers={"X-CSRF-Token": csrf}).status_code == 201
    form = {"X-CSRF-Token": csrf, "Content-Type": "text/plain"}
    assert post("/api/tokens", content=b'{"name":"x","scopes":["capture"]}', headers=form).status_code == 415


def test_another_site_cannot_log_somebody_in(house: Served) -> None:
    browser = TestClient(house.client.app, base_url=HERE)
    foreign = {"Sec-Fetch-Site": "cross-site"}
    assert browser.post("/api/session", json={"code": "x"}, headers=foreign).status_code == 403
    assert browser.post("/api/session", json={"code": "x"}).status_code == 401
    assert browser.post("/api/session", json={"code": 1}).status_code == 400
    assert (
        browser.post("/api/session", content=b"{", headers={"Content-Type": "application/json"}).status_code
        == 400
    )
    large = browser.post("/api/session", json={"code": "x" * 70_000})
    assert (large.status_code, large.json()["type"]) == (413, "too-large")


def test_a_manager_lets_people_in_and_out(house: Served) -> None:
    headers = house.bearer(Scope.MANAGE, Scope.VIEW_AUDIT_LOG)
    made = house.client.post(
        "/api/operators", json={"name": "grace", "scopes": ["view_audit_log"]}, headers=headers
    ).json()
    code = made["path"].partition("#")[2]
    browser = TestClient(house.client.app, base_url=HERE)
    assert browser.post("/api/session", json={"code": code}).json()["name"] == "grace"
    grace = made["operator"]["id"]
    again = house.client.post(f"/api/operators/{grace}/login-link", headers=headers)
    assert again.status_code == 201
    assert "grace" in [
        one["name"] for one in house.client.get("/api/operators", headers=headers).json()["items"]
    ]
    assert house.client.delete(f"/api/operators/{grace}", headers=headers).status_code == 204
    assert browser.get("/api/agents").status_code == 401
    assert house.client.delete(f"/api/operators/{grace}", headers=headers).status_code == 404
    assert (
        house.client.post("/api/session", json={"code": again.json()["path"].partition("#")[2]}).status_code
        == 401
    )


def test_tokens_are_made_shown_once_and_revoked(house: Served) -> None:
    headers = house.bearer(Scope.MANAGE)
    made = house.client.post(
        "/api/tokens", json={"name": "bot", "scopes": ["capture"]}, headers=headers
    ).json()
    bearer = {"Authorization": f"Bearer {made['token']}"}
    assert house.client.get("/api/session", headers=bearer).json()["kind"] == "token"
    listed = house.client.get("/api/tokens", headers=headers)
    assert made["about"]["id"] in listed.text
    assert made["token"] not in listed.text
    assert house.client.delete(f"/api/tokens/{made['about']['id']}", headers=headers).status_code == 204
    assert house.client.get("/api/session", headers=bearer).status_code == 401


@pytest.mark.parametrize(
    "asked",
    [
        {"name": "x", "scopes": ["view_bodies"]},
        {"name": "x", "scopes": ["manage", "view_audit_log"], "agents": None},
    ],
)
def test_nobody_gives_what_they_do_not_have(house: Served, asked: dict[str, object]) -> None:
    mine = story(house.service).agent
    narrow = house.bearer(Scope.MANAGE, Scope.VIEW_AUDIT_LOG, agents=frozenset([mine]))
    for path in ("/api/tokens", "/api/operators"):
        assert house.client.post(path, json=asked, headers=narrow).status_code == 403
    own = {"name": f"own-{uuid4()}", "scopes": ["view_audit_log"], "agents": [str(mine)]}
    assert house.client.post("/api/tokens", json=own, headers=narrow).status_code == 201


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"name": "x"},
        {"name": "x", "scopes": ["all"]},
        {"name": "", "scopes": ["capture"]},
        {"name": "x", "scopes": ["capture"], "more": 1},
        [],
    ],
)
def test_what_makes_no_sense_is_refused_with_a_reason(house: Served, asked: object) -> None:
    response = house.client.post("/api/tokens", json=asked, headers=house.bearer(*Scope))
    assert response.status_code == 400
    assert response.json()["detail"]


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [("zstd, gzip", "zstd"), ("gzip;q=1.0, zstd;q=0", "gzip"), ("br", None), ("", None)],
)
def test_large_answers_are_packed_where_that_is_wanted(
    house: Served, accepted: str, encoding: str | None
) -> None:
    there = story(house.service)
    path = f"/api/agents/{there.agent}/conversations/{there.conversation}/timeline"
    response = house.client.get(path, headers=house.bearer(*Scope) | {"Accept-Encoding": accepted})
    assert response.headers.get("Content-Encoding") == encoding
    assert response.json()["entries"]
    body = house.ask(f"/api/agents/{there.agent}/turns/{there.turns[0]}")["entries"][1]["eventId"]
    raw = house.client.get(
        f"/api/agents/{there.agent}/events/{body}/body/payload",
        headers=house.bearer(*Scope) | {"Accept-Encoding": accepted},
    )
    assert "Content-Encoding" not in raw.headers
