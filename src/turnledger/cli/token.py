"""``turnledger token``: credentials for programs that record or read through the server."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from uuid import UUID

import click

from turnledger.cli.ledger import existing, writing
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.screen import Screen, note, write_json
from turnledger.clock import to_iso
from turnledger.engine.access import Access, agent_ids, checked_scopes
from turnledger.engine.location import database_at
from turnledger.errors import NotFoundError
from turnledger.ids import parse_uuid
from turnledger.model.access import Grant, Scope, TokenRow

if TYPE_CHECKING:
    from turnledger.store.ledger_store import Store

__all__ = ["command"]


@click.group("token")
def command() -> None:
    """Make, list and revoke tokens."""


@command.command("create")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice([scope.value for scope in Scope]),
    help="[repeatable]",
)
@click.option("--agent", "agents", multiple=True, help="An agent it holds for.  [repeatable; default: all]")
@click.option("--new", "is_new", is_flag=True, help="The agent may be one that is not on record yet.")
@click.option("--name", help="What it is for.  [default: its scopes and agents]")
@json_option
@ledger_option
def create(
    ledger: str | None,
    *,
    scopes: tuple[str, ...],
    agents: tuple[str, ...],
    is_new: bool,
    name: str | None,
    as_json: bool,
) -> None:
    """A new token; its secret is printed this once.

    An agent that is not on record is refused, as its name may be misspelt, unless --new is given or no
    agent has recorded anything yet.
    """
    with writing(database_at(ledger)) as store:
        held_for = _held_for(store, agents, is_new=is_new) if agents else None
        silent = _silent(store, held_for or frozenset())
        label = name or " ".join([*scopes, *agents])[:100]
        secret, row = Access(store).add_token(label, Grant(checked_scopes(scopes), held_for))
    if as_json:
        write_json({"token": secret, **_about(row)})
    else:
        Screen().line((secret, ""), whole=True)
    for agent in silent:
        note(f"No agent {agent!r} has recorded anything yet; the console shows it from its first event on.")
    if not as_json:
        note("This is the only time it is shown.  A recorder reads it from TURNLEDGER_TOKEN.")


@command.command("list")
@json_option
@ledger_option
def show(ledger: str | None, *, as_json: bool) -> None:
    """All tokens, without their secrets."""
    with writing(existing(ledger)) as store:
        rows = Access(store).tables.tokens()
    if as_json:
        write_json({"tokens": [_about(row) for row in rows]})
        return
    screen = Screen()
    for row in rows:
        state = "revoked" if row.revoked_ms is not None else "in use" if row.used_ms else "not used yet"
        screen.line(
            (str(row.id), "dim"), (f"  {row.name}  {' '.join(sorted(row.grant.scopes))}  {state}", "")
        )


@command.command("revoke")
@click.argument("token_id", metavar="ID")
@json_option
@ledger_option
def revoke(token_id: str, ledger: str | None, *, as_json: bool) -> None:
    """Make the token with this ID worthless."""
    token = parse_uuid(token_id, "token's id", listed_by="turnledger token list")
    with writing(existing(ledger)) as store:
        Access(store).revoke_token(token)
    if as_json:
        write_json({"revoked": str(token)})
    else:
        Screen().line((f"{token} is revoked", ""))


def _held_for(store: Store, agents: Collection[str], *, is_new: bool) -> frozenset[UUID]:
    """Ids of the agents; where nobody has recorded yet, no name can be meant for another."""
    nobody_yet = not any(row.conversations or row.turns for row in store.reader.agents())
    try:
        return agent_ids(store, agents, make=is_new or nobody_yet)
    except NotFoundError as error:
        next_step = f"{error.next_step} For one that is yet to record give --new."
        raise NotFoundError(error.message, next_step=next_step) from error


def _silent(store: Store, agents: frozenset[UUID]) -> list[str]:
    """Names of those among the agents of whom nothing is on record."""
    rows = [row for row in store.reader.agents() if row.id in agents]
    return [row.name for row in rows if not (row.conversations or row.turns)]


def _about(row: TokenRow) -> dict[str, object]:
    agents = None if row.grant.agents is None else [str(agent) for agent in sorted(row.grant.agents)]
    return {
        "id": str(row.id),
        "name": row.name,
        "scopes": sorted(row.grant.scopes),
        "agents": agents,
        "createdAt": to_iso(row.created_ms),
        "usedAt": None if row.used_ms is None else to_iso(row.used_ms),
        "revokedAt": None if row.revoked_ms is None else to_iso(row.revoked_ms),
    }
