"""A ledger with a little of everything, served in this process or over a socket of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from starlette.testclient import TestClient

import turnledger
from turnledger.capture.ledger import Ledger
from turnledger.engine.location import database_at
from turnledger.model.access import Grant, Scope
from turnledger.server.app import create_app
from turnledger.server.run import Address, RunningServer, open_service
from turnledger.server.service import Service
from turnledger.store.contract import ConversationFilter, Page, TurnFilter

HERE = "http://127.0.0.1"

REQUEST = {
    "model": "gpt-5",
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Where is it?"}],
    "tools": [{"type": "function", "function": {"name": "lookup_order"}}],
}
ASKS = '{"order_id": 912345678901234567, "big": 123456789012345678901234567890}'
RESPONSE = {
    "id": "r1",
    "model": "gpt-5-0807",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "Let me look.",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "lookup_order", "arguments": ASKS}},
                    {"id": "c2", "type": "function", "function": {"name": "never_run", "arguments": "{}"}},
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 30, "completion_tokens": 12, "total_tokens": 42},
}


@dataclass
class Served:
    """A service with its client; ``get`` asks with a token that may everything."""

    service: Service
    client: TestClient
    secrets: dict[str, str] = field(default_factory=dict)

    def secret(self, *scopes: Scope, agents: frozenset[UUID] | None = None) -> str:
        name = " ".join([*sorted(scopes), *map(str, sorted(agents or ()))])
        if name not in self.secrets:
            grant = Grant(frozenset(scopes), agents)
            self.secrets[name], _ = self.service.access.add_token(name or "nothing", grant)
        return self.secrets[name]

    def bearer(self, *scopes: Scope, agents: frozenset[UUID] | None = None) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret(*scopes, agents=agents)}"}

    def ask(self, path: str, status: int = 200, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """The answer as JSON, asked for with every right; ``status`` is what it has to have."""
        response = self.client.get(path, headers=self.bearer(*Scope) | (headers or {}))
        assert response.status_code == status, (path, response.status_code, response.text)
        found: dict[str, Any] = response.json()
        return found


@contextmanager
def served(url: str) -> Iterator[Served]:
    """The ledger at a URL, served in this process."""
    service = open_service(database_at(url))
    with TestClient(create_app(service), base_url=HERE) as client:
        yield Served(service, client)
    service.store.close()


@contextmanager
def listening(url: str, port: int = 0) -> Iterator[RunningServer]:
    """The ledger at a URL, served at a socket by a thread."""
    server = RunningServer(open_service(database_at(url)), Address(port=port))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


@dataclass
class Story:
    """What ``tell`` recorded."""

    agent: UUID
    conversation: UUID
    turns: list[UUID]


def tell(ledger: Ledger, name: str = "support", turns: int = 2) -> None:
    """One conversation: answered messages, one observed, one dropped, one folded, a failed delivery."""
    agent = ledger.agent(name)
    talk = agent.conversation("slack:C042/1712.33", connector="slack", shape="thread", place="C042")
    for number in range(turns):
        message = talk.inbound(f"Where is order {number}?", actor="slack:U7")
        message.verdict("engage", reason="direct mention")
        with talk.turn(trigger=message) as turn:
            with turn.model_call(role="primary", model="gpt-5", request=REQUEST) as call:
                call.result(RESPONSE)
            turn.tool("lookup_order", lambda **_: {"state": "found"}, supplied=ASKS)
            turn.memory_write("prefers", f"pickup {number}")
            turn.commit("It arrives tomorrow.")
    talk.inbound("just saying", actor="slack:U8").verdict("observe", reason="no question")
    dropped = talk.inbound("too much", actor="slack:U8")
    dropped.shed("queue_full", age_ms=31_000, stale_ms=30_000, depth=9)
    talk.inbound("me too", actor="slack:U8").collapsed(dropped)
    sent = talk.outbound("Sorry!")
    sent.delivery("sending")
    sent.delivery("failed", problem="mailbox full")


def story(service: Service, name: str = "support") -> Story:
    """The ids of what was told."""
    agent = next(row.id for row in service.reader.agents() if row.name == name)
    (talk,) = service.reader.conversations(ConversationFilter(agent=agent), Page(1))
    turns = service.reader.turns(TurnFilter(agent=agent), Page(100))
    return Story(agent, talk.id, [turn.id for turn in reversed(turns)])


@contextmanager
def told(url: str, *names: str, turns: int = 2) -> Iterator[Served]:
    """A served ledger in which these agents (default: support) did what ``tell`` tells."""
    with turnledger.open(url) as ledger:
        for name in names or ("support",):
            tell(ledger, name, turns)
    with served(url) as house:
        yield house
