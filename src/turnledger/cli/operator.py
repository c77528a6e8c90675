"""``turnledger operator``: the people who may look at a ledger through its server."""

from __future__ import annotations

import click

from turnledger.cli.ledger import existing, writing
from turnledger.cli.options import json_option, ledger_option
from turnledger.cli.screen import Screen, note, write_json
from turnledger.clock import to_iso
from turnledger.engine.access import Access, agent_ids, checked_scopes
from turnledger.engine.location import database_at
from turnledger.errors import NotFoundError
from turnledger.model.access import Grant, OperatorRow, Scope

__all__ = ["command"]

_URL = "http://127.0.0.1:8321"

url_option = click.option(
    "--url", default=_URL, show_default=True, metavar="URL", help="The server's address in the link."
)


@click.group("operator")
def command() -> None:
    """Let people in, make login links, bar people."""


@command.command("add")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice([scope.value for scope in Scope if scope is not Scope.CAPTURE]),
    help="What they may do.  [repeatable; default: view_audit_log and view_bodies]",
)
@click.option("--agent", "agents", multiple=True, help="An agent they may see.  [repeatable; default: all]")
@url_option
@json_option
@ledger_option
def add(
    name: str,
    ledger: str | None,
    *,
    scopes: tuple[str, ...],
    agents: tuple[str, ...],
    url: str,
    as_json: bool,
) -> None:
    """Let NAME in; prints a link that logs them in, once."""
    chosen = checked_scopes(scopes or (Scope.VIEW_AUDIT_LOG, Scope.VIEW_BODIES))
    with writing(database_at(ledger)) as store:
        access, seen = Access(store), agent_ids(store, agents, make=False) if agents else None
        _show_link(access, access.add_operator(name, Grant(chosen, seen)), url, as_json=as_json)


@command.command("link")
@click.argument("name")
@url_option
@json_option
@ledger_option
def link(name: str, ledger: str | None, *, url: str, as_json: bool) -> None:
    """Another login link for NAME."""
    with writing(existing(ledger)) as store:
        access = Access(store)
        _show_link(access, _named(access, name), url, as_json=as_json)


@command.command("list")
@json_option
@ledger_option
def show(ledger: str | None, *, as_json: bool) -> None:
    """Everybody who may log in."""
    with writing(existing(ledger)) as store:
        rows = [row for row in Access(store).tables.operators() if row.removed_ms is None]
    if as_json:
        write_json({"operators": [_about(row) for row in rows]})
        return
    screen = Screen()
    for row in rows:
        agents = "all agents" if row.grant.agents is None else f"{len(row.grant.agents)} agents"
        screen.line((row.name, "bold"), (f"  {' '.join(sorted(row.grant.scopes))}  {agents}", ""))
    if not rows:
        note("Nobody may log in yet; see `turnledger operator add --help`.")


@command.command("remove")
@click.argument("name")
@json_option
@ledger_option
def remove(name: str, ledger: str | None, *, as_json: bool) -> None:
    """Bar NAME: sessions end, links are void."""
    with writing(existing(ledger)) as store:
        access = Access(store)
        row = _named(access, name)
        access.remove_operator(row.id)
    if as_json:
        write_json({"removed": _about(row)})
    else:
        Screen().line((f"{row.name} may not log in any more", ""))


def _named(access: Access, name: str) -> OperatorRow:
    row = access.operator(name)
    if row is None:
        msg = f"There is no operator {name[:80]!r}."
        raise NotFoundError(msg, next_step="See `turnledger operator list`.")
    return row


def _show_link(access: Access, row: OperatorRow, url: str, *, as_json: bool) -> None:
    code, expires_ms = access.login_code(row.id)
    target = f"{url.rstrip('/')}/login#{code}"
    if as_json:
        write_json({**_about(row), "link": target, "expiresAt": to_iso(expires_ms)})
        return
    Screen().line((target, ""), whole=True)
    note(f"It logs {row.name} in, once, until {to_iso(expires_ms)}.")


def _about(row: OperatorRow) -> dict[str, object]:
    agents = None if row.grant.agents is None else [str(agent) for agent in sorted(row.grant.agents)]
    return {"id": str(row.id), "name": row.name, "scopes": sorted(row.grant.scopes), "agents": agents}
