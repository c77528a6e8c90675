"""``turnledger serve``: the API, the live stream and the console over one ledger."""

from __future__ import annotations

import logging
import sys

import click

from turnledger.cli.options import ledger_option, prices_option
from turnledger.cli.screen import note
from turnledger.engine.location import database_at
from turnledger.engine.price_book import no_prices, price_book
from turnledger.errors import UsageError

__all__ = ["command"]


@click.command("serve")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", default=8321, show_default=True, type=click.IntRange(0, 65535), help="0: any.")
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name by which browsers know the server, such as ledger.example.org.  [repeatable]",
)
@click.option("--access-log", is_flag=True, help="Say on stderr what is asked for.")
@prices_option
@ledger_option
def command(
    ledger: str | None,
    *,
    host: str,
    port: int,
    hosts: tuple[str, ...],
    access_log: bool,
    prices: str | None,
) -> None:
    """Serve a ledger until interrupted; it is made where there is none.

    Model calls are priced as they come in, where there are prices (see `turnledger reprice`).
    On a loopback address it prints a link that logs a browser in, once.  Elsewhere, let people in with
    `turnledger operator add`, name the server with --allow-host, and put something that speaks TLS before it.
    """
    try:
        from turnledger.server.run import Address, RunningServer, is_loopback, open_service  # noqa: PLC0415
    except ImportError as error:
        msg = "The server is not installed."
        raise UsageError(msg, next_step="Run pip install 'turnledger[server]'.") from error
    level = logging.INFO if access_log else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(asctime)s %(message)s")
    service = open_service(database_at(ledger), prices=price_book(prices))
    server = RunningServer(service, Address(host, port), hosts)
    note(f"Serving {server.service.store.label} at {server.address.url} (Ctrl-C ends it).")
    if is_loopback(host):
        note(f"Log in, once: {server.login_url()}")
    if service.prices.is_empty:
        note(str(no_prices()))
    server.run()
