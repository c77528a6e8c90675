"""Options that every command has, and what they turn into."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from turnledger.cli import complete

if TYPE_CHECKING:
    from turnledger.cli.moments import Zone

__all__ = ["json_option", "ledger_option", "prices_option", "zone_option"]

F = TypeVar("F", bound=Callable[..., Any])


def ledger_option(command: F) -> F:
    """``--ledger URL``, as ``ledger``: text or None."""
    return click.option(
        "--ledger",
        metavar="URL",
        envvar="TURNLEDGER_URL",
        shell_complete=complete.file_names,
        help="A file, or postgresql://…  [default: $TURNLEDGER_URL, else one file in your data folder]",
    )(command)


def json_option(command: F) -> F:
    """``--json``, as ``as_json``."""
    return click.option("--json", "as_json", is_flag=True, help="Everything, structured, as JSON.")(command)


def prices_option(command: F) -> F:
    """``--prices FILE``, as ``prices``: text or None."""
    return click.option(
        "--prices",
        metavar="FILE",
        envvar="TURNLEDGER_PRICES",
        shell_complete=complete.file_names,
        help="Your own prices (see docs/cost.md); they go before list prices.  [default: $TURNLEDGER_PRICES]",
    )(command)


class _ZoneType(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click only
    name = "zone"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Zone:
        """See click."""
        from turnledger.cli.moments import Zone  # noqa: PLC0415  not needed for --help
        from turnledger.errors import UsageError  # noqa: PLC0415

        if isinstance(value, Zone):
            return value
        try:
            return Zone.named(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)


def zone_option(command: F) -> F:
    """``--tz ZONE``, as ``zone``."""
    return click.option(
        "--tz",
        "zone",
        type=_ZoneType(),
        default="local",
        metavar="ZONE",
        help="Time zone to show and read times in: local, UTC, +02:00, Europe/Berlin.  [default: local]",
    )(command)
