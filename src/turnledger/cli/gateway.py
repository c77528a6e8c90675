"""``turnledger gateway``: programs in any language ask their provider through it, and it is on record."""

from __future__ import annotations

from contextlib import suppress

import click

from turnledger.cli.options import ledger_option
from turnledger.cli.screen import note
from turnledger.engine.recorder import open_ledger
from turnledger.errors import UsageError

__all__ = ["command"]


@click.command("gateway")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", default=8322, show_default=True, type=click.IntRange(0, 65535), help="0: any.")
@click.option("--agent", default="gateway", show_default=True, help="Whose turns these are.")
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    metavar="NAME=URL",
    help="A provider, such as local=http://127.0.0.1:11434, or another address of a known one.  [repeatable]",
)
@ledger_option
def command(ledger: str | None, *, host: str, port: int, agent: str, upstreams: tuple[str, ...]) -> None:
    """Record what programs ask of models, whatever they are written in, and pass it on.

    Point a program at it; the path begins with the provider:

    \b
        OPENAI_BASE_URL=http://127.0.0.1:8322/openai/v1
        ANTHROPIC_BASE_URL=http://127.0.0.1:8322/anthropic

    Each request is durable before it is sent, the answer passes as it comes.  Credentials pass too and are
    not kept.  Where a request cannot be recorded it is not sent, and the program gets status 403.

    A program may say with headers whose request it is: `turnledger-conversation`, `turnledger-agent`, and
    `turnledger-parent` with the handoff() of a turn.
    """  # noqa: D301  click's mark for lines that are left as they are
    try:
        from turnledger.gateway.run import RunningGateway  # noqa: PLC0415
        from turnledger.gateway.turns import Gateway  # noqa: PLC0415
        from turnledger.gateway.upstreams import parse_upstreams  # noqa: PLC0415
    except ImportError as error:
        msg = "The gateway is not installed."
        raise UsageError(msg, next_step="Run pip install 'turnledger[gateway]'.") from error
    known = parse_upstreams(upstreams)
    with open_ledger(ledger) as opened:
        gateway = RunningGateway(Gateway(opened, known, agent), host=host, port=port)
        note(f"Recording into {opened.label} what is asked of {gateway.url}/<upstream>/… (Ctrl-C ends it).")
        note(f"Upstreams: {', '.join(sorted(known))}.")
        note(f"OPENAI_BASE_URL={gateway.url}/openai/v1  ANTHROPIC_BASE_URL={gateway.url}/anthropic")
        with suppress(KeyboardInterrupt):  # the way to end it
            gateway.run()
