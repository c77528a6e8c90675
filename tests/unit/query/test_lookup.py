"""Ids by their beginning, agents by name: exactly one or a clear word."""

from __future__ import annotations

from typing import cast
from uuid import UUID

import pytest

from turnledger.errors import NotFoundError, UsageError
from turnledger.model.draft import AliasKind
from turnledger.model.rows import AgentRow
from turnledger.query.lookup import Named, find_agent, looks_like_id, resolve
from turnledger.store.contract import Reader

TURN = UUID("0198a3f2-7c1e-7abc-8000-000000000001")
TWIN = UUID("0198a3f2-7c1e-7abc-8000-000000000002")
TALK = UUID("0198a3f2-7c1e-7def-8000-000000000003")
EVENT = UUID("0198a3f2-7c1e-7fff-8000-000000000004")
AGENT = UUID("aaaa0000-0000-4000-8000-000000000005")


class Shelf:
    """The look-ups of a reader over a few ids."""

    kinds = (("turn", TURN), ("turn", TWIN), ("conversation", TALK), ("agent", AGENT), ("event", EVENT))

    def find(self, prefix: str, limit: int) -> list[tuple[str, UUID]]:
        return [(kind, found) for kind, found in self.kinds if str(found).startswith(prefix)][:limit]

    def alias(self, kind: AliasKind, scope: UUID, name: str) -> UUID | None:
        return AGENT if (kind, scope.int, name) == (AliasKind.AGENT, 0, "support") else None

    def agents(self) -> list[AgentRow]:
        return [AgentRow(AGENT, "support", 0, 0, 0)]


SHELF = cast("Reader", Shelf())


@pytest.mark.parametrize(
    "text",
    [
        str(TALK),
        str(TALK).upper(),
        TALK.hex,
        TALK.hex[:16],
        str(TALK)[:19],
        "0198A3F27C1E7D",
    ],
)
def test_an_id_or_its_beginning_in_any_spelling(text: str) -> None:
    assert resolve(SHELF, text) == Named("conversation", TALK)


def test_events_and_agents_are_met_only_where_they_are_asked_for() -> None:
    assert resolve(SHELF, "aaaa", ("agent",)) == Named("agent", AGENT)
    with pytest.raises(NotFoundError):
        resolve(SHELF, "0198a3f2-7c1e-7fff")


def test_what_begins_alike_is_named() -> None:
    with pytest.raises(
        UsageError, match=r"0198a3f2 begins 3 ids: turn .*0001, turn .*0002, conversation .*0003\."
    ):
        resolve(SHELF, "0198a3f2")
    with pytest.raises(UsageError, match="begins 2 ids"):
        resolve(SHELF, str(TURN)[:-1])


@pytest.mark.parametrize("text", ["", "x", "0198-a3f2", "0198a3f2_7c1e", "../etc", "0" * 40, "0198a3f2 "])
def test_what_is_no_id_is_wrong_use(text: str) -> None:
    assert not looks_like_id(text)
    with pytest.raises(UsageError):
        resolve(SHELF, text)


def test_agents_by_name_then_by_id() -> None:
    assert find_agent(SHELF, "support") == AGENT
    assert find_agent(SHELF, "aaaa0000") == AGENT
    with pytest.raises(NotFoundError, match="It knows: support"):
        find_agent(SHELF, "Support")
