"""What a client is told whose request is not quite right, and that HEAD asks as GET does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.kit import story, told
from turnledger.model.access import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.server.kit import Served, Story

PAST = "since=2026-12-01T00:00:00Z&until=2026-11-01T00:00:00Z"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with told(str(tmp_path_factory.mktemp("requests") / "l.db"), "support") as house:
        yield house


@pytest.fixture(scope="module")
def there(house: Served) -> Story:
    return story(house.service)


def test_head_is_get_without_a_body(house: Served, there: Story) -> None:
    at = f"/api/agents/{there.agent}"
    (message, *_) = house.ask(f"{at}/conversations/{there.conversation}/timeline")["entries"]
    paths = ["/api/health", "/api/agents", f"{at}/turns/{there.turns[0]}/journal", "/openapi.json", "/"]
    paths += [f"{at}/events/{message['eventId']}/body/payload", f"{at}/turns/nosuch", "/api/nosuch"]
    for path in paths:
        headers = house.bearer(*Scope) | {"Accept-Encoding": "identity"}
        get, head = (house.client.request(method, path, headers=headers) for method in ("GET", "HEAD"))
        assert (head.status_code, head.content) == (get.status_code, b""), path
        assert head.headers == get.headers, path


def test_head_of_the_stream_ends(house: Served) -> None:
    path = "/api/stream?scope=install"
    head = house.client.head(path, headers=house.bearer(*Scope))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Type"].startswith("text/event-stream")


def test_what_is_not_there_is_not_found_by_any_method(house: Served) -> None:
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE"):
        for path in ("/api/nosuch", "/api", "/v1/nosuch"):
            response = house.client.request(method, path, headers=house.bearer(*Scope))
            assert response.status_code == 404, (method, path)
    there_is = house.client.post("/api/agents", headers=house.bearer(*Scope))
    assert (there_is.status_code, there_is.headers["Allow"]) == (405, "GET")


def test_a_time_without_a_zone_is_told_to_have_one(house: Served) -> None:
    told = house.ask("/api/conversations?since=2026-10-25", 400)
    assert "'2026-10-25' has no time zone" in told["detail"]
    assert "ISO 8601" in told["nextStep"]
    assert "2026-11-30T12:00:00Z" in told["nextStep"]


def test_a_zone_that_is_none_is_at_fault_and_not_the_day(house: Served, there: Story) -> None:
    for path in ("/api/conversations", f"/api/agents/{there.agent}/overview"):
        told = house.ask(f"{path}?day=2026-11-30&tz=Mars/X", 400)
        assert told["detail"] == "'Mars/X' is no time zone."
        assert "Europe/Berlin" in told["nextStep"]


@pytest.mark.parametrize(
    "path", ["balance", "conversations", "turns", "overview", "disposals?kind=shed", "deliveries"]
)
def test_a_stretch_that_ends_before_it_begins_is_refused(house: Served, there: Story, path: str) -> None:
    mark = "&" if "?" in path else "?"
    told = house.ask(f"/api/agents/{there.agent}/{path}{mark}{PAST}", 400)
    assert told["detail"] == "since (2026-12-01T00:00:00.000Z) is after until (2026-11-01T00:00:00.000Z)."


def test_k04_another_scheme_than_bearer_is_named(house: Served) -> None:
    basic = house.client.get("/api/agents", headers={"Authorization": "Basic dTpw"})
    assert basic.status_code == 401
    assert "Bearer" in basic.json()["detail"]
    unknown = house.client.get("/api/agents", headers={"Authorization": "Bearer nosuch"})
    assert unknown.json()["detail"] == "The token is unknown or was revoked."


def test_what_is_no_id_is_told_what_one_looks_like(house: Served) -> None:
    told = house.ask("/api/agents/foo/conversations/bar", 422)
    assert told["detail"] == "'foo' is no id (path agentId)."
    assert told["nextStep"].startswith("An id is a UUID in small letters, such as ")
