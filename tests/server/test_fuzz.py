"""Requests that nobody would think of: every answer is one that the document promises, none a fault."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

import turnledger
from tests.server.kit import listening, story, tell
from turnledger.model.access import Grant, Scope
from turnledger.server.run import RunningServer

DOCUMENT: dict[str, Any] = msgspec.json.decode(
    (Path(__file__).parents[2] / "docs" / "openapi.json").read_bytes()
)
# A stream does not end, a logout ends the session that asks, and a whole verification takes a while.
LEFT_OUT = ["get_stream", "log_out", "start_verification"]
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT).exclude(operation_id=LEFT_OUT)
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)


@schemathesis.serializer("application/msgpack")
def _msgpack(_context: object, value: object) -> bytes:
    try:
        return msgspec.msgpack.encode(value)
    except (OverflowError, TypeError):
        return b"\xc1"  # what the format cannot hold: the one byte that it never uses


@pytest.fixture(scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if request.param == "sqlite":
        yield str(tmp_path_factory.mktemp("fuzz") / "ledger")
        return
    with request.getfixturevalue("postgres_server").database() as database:
        yield database


@pytest.fixture(scope="module")
def server(url: str) -> Iterator[RunningServer]:
    with turnledger.open(url) as ledger:
        tell(ledger)
    with listening(url) as server:
        yield server


@pytest.fixture(scope="module")
def headers(server: RunningServer) -> dict[str, str]:
    secret, _ = server.service.access.add_token("fuzz", Grant(frozenset(Scope)))
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture(scope="module")
def known(server: RunningServer) -> dict[str, str]:
    """Ids of things that are there, by the names that paths have for them."""
    there = story(server.service)
    reader = server.service.reader
    call = next(row for row in reader.events(there.turns[0], 0, 99) if row.type == "TOOL_CALL")
    (actor, *_) = server.service.figures.actors(there.agent, None, 1)
    (entry, *_) = server.service.figures.memory(there.agent, None, None, 1)
    return {
        "agentId": str(there.agent),
        "conversationId": str(there.conversation),
        "turnId": str(there.turns[0]),
        "otherTurnId": str(there.turns[1]),
        "eventId": str(call.event_id),
        "slot": "supplied",
        "actorId": str(actor.id),
        "entryId": str(entry.row.entry),
    }


@pytest.mark.slow
@SCHEMA.parametrize()
@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
def test_every_answer_is_one_that_was_promised(
    case: schemathesis.Case[Any], server: RunningServer, headers: dict[str, str], known: dict[str, str]
) -> None:
    if case.meta is None or case.meta.generation.mode.is_positive:
        for name in set(case.path_parameters) & set(known):
            case.path_parameters[name] = known[name]
    response = case.call(base_url=server.address.url, headers=headers)
    case.validate_response(response, checks=list(CHECKS))
