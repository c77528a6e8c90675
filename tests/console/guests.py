"""People who log in to a server that others use too, and may do less than they."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tests.console.kit import House
from turnledger.ids import new_id
from turnledger.model.access import Grant, Scope
from turnledger.server.render.access import login_path


class Guest:
    """An operator with these scopes, for these agents; see ``kit.Site``."""

    def __init__(self, house: House, *scopes: Scope, agents: frozenset[UUID] | None = None) -> None:
        self._access = house.access
        self._operator = self._access.add_operator(f"guest {new_id()}", Grant(frozenset(scopes), agents))
        self.ledger = house.ledger
        self.address = house.address
        self.cookies: Any = None

    def login_url(self) -> str:
        """See ``kit.Site``."""
        code, _ = self._access.login_code(self._operator.id)
        return self.address + login_path(code)
