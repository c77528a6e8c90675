"""``turnledger reprice``: what model calls cost, from the usage on record."""

from __future__ import annotations

from uuid import UUID

import click

from turnledger.cli import complete
from turnledger.cli.cost_words import amounts_text
from turnledger.cli.ledger import existing, writing
from turnledger.cli.line import QUIET, WARN, counted
from turnledger.cli.moments import Zone
from turnledger.cli.options import json_option, ledger_option, prices_option, zone_option
from turnledger.cli.progress import progress
from turnledger.cli.screen import Screen, note, write_json
from turnledger.clock import SYSTEM
from turnledger.engine.price_book import no_prices, price_book
from turnledger.engine.pricing import Pricer, PricingResult, Which
from turnledger.errors import UsageError
from turnledger.model.costs import CostState, CostSums
from turnledger.query.cost_json import cost_object
from turnledger.query.lookup import find_agent
from turnledger.store.ledger_store import Store

__all__ = ["command"]


@click.command("reprice")
@click.option(
    "--agent",
    metavar="NAME",
    shell_complete=complete.agents,
    help="Calls of this agent only (its name or id).",
)
@click.option("--since", metavar="TIME", help="Calls that ended not before: 2h, 3d, 2026-11-30, …")
@click.option("--until", metavar="TIME", help="Calls that ended before this time.")
@click.option("--all", "everything", is_flag=True, help="Calls of all times; --again has to be told.")
@click.option(
    "--again",
    is_flag=True,
    help="Also calls that have a price: where another comes out, a record is added and counts from now on.",
)
@prices_option
@zone_option
@json_option
@ledger_option
def command(
    ledger: str | None,
    *,
    agent: str | None,
    since: str | None,
    until: str | None,
    everything: bool,
    again: bool,
    prices: str | None,
    zone: Zone,
    as_json: bool,
) -> None:
    """Price the model calls that have no price yet.

    Prices are those of the time of each call, from the table of --prices before the installed list prices.
    No record is ever changed; what is priced again gets another record.  A server does the first pricing by
    itself.  Exit status 3 where there are no prices at all.
    """
    span = zone.span(since, until, SYSTEM.epoch_ms())
    _check(span, everything=everything, again=again)
    book = price_book(prices)
    if book.is_empty:
        raise no_prices()
    which = Which.ALL if again else Which.UNPRICED
    with writing(existing(ledger)) as store:
        agents = _agents(store, agent)
        pricer = Pricer(store, book, SYSTEM)
        total = pricer.count(agents, *span) if again else None
        with progress("pricing", total, wanted=not as_json) as advance:
            result = pricer.price(agents, which, span, advance)
    if as_json:
        write_json({"prices": book.version, **_object(result)})
    else:
        _show(result, book.version)


def _check(span: tuple[int | None, int | None], *, everything: bool, again: bool) -> None:
    bounded = span != (None, None)
    if everything and bounded:
        msg = "--all is all times, so neither --since nor --until goes with it."
        raise UsageError(msg, next_step="Leave one of them out.")
    if again and not everything and not bounded:
        msg = "--again would price every call of the ledger anew."
        raise UsageError(msg, next_step="Say since when with --since, or that you mean it with --all.")


def _agents(store: Store, agent: str | None) -> list[UUID]:
    if agent is not None:
        return [find_agent(store.reader, agent)]
    return [row.id for row in store.reader.agents()]


def _object(result: PricingResult) -> dict[str, object]:
    return {
        "calls": result.calls,
        "unchanged": result.unchanged,
        "repriced": result.repriced,
        "cost": cost_object(_sums(result)),
    }


def _sums(result: PricingResult) -> CostSums:
    return CostSums(result.nano, result.priced, result.unpriced, result.unbilled, result.reasons)


def _show(result: PricingResult, version: str) -> None:
    screen = Screen()
    if not result.calls:
        note("No model call is without a price.")
        return
    sums = _sums(result)
    if result.priced:
        said = f"priced {counted(result.priced, 'call')}: {amounts_text(sums)}"
        screen.line((said, ""), (f"  by {version}", QUIET))
    if result.unpriced:
        screen.line((f"unpriced {counted(result.unpriced, 'call')}", WARN))
        _show_reasons(screen, sums, CostState.UNPRICED)
    if result.unbilled:
        screen.line((f"not billed {counted(result.unbilled, 'call')}", ""))
        _show_reasons(screen, sums, CostState.UNBILLED)
    if result.repriced:
        screen.line((f"of these {result.repriced:,} take the place of an earlier record", ""))
    if result.unchanged:
        screen.line((f"unchanged {counted(result.unchanged, 'call')}", QUIET))


def _show_reasons(screen: Screen, sums: CostSums, state: CostState) -> None:
    for reason, calls in sums.reasons_of(state).items():
        screen.line((f"{reason}: {calls:,}", QUIET), indent=2)
