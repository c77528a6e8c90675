"""Cost records in the database: what has none yet, what has one, and sums of those that count."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias
from uuid import UUID

from turnledger.errors import DamagedRowError
from turnledger.model.costs import CallCost, CallToPrice, CostState, CostSums, NewCost
from turnledger.store.cells import COST, INTENT, PRICED_CALL, check
from turnledger.store.contract import Reader
from turnledger.store.ledger_store import Store
from turnledger.store.sql_mapping import Row

__all__ = ["FIRST", "CostReader", "PriceKey", "Stretch", "add_costs"]

PriceKey: TypeAlias = tuple[int, int, int]
"""Where a call stands among those of its agent: (called_ms, jid, seq)."""

Stretch: TypeAlias = tuple[int, int]

FIRST: Final[PriceKey] = (-(2**63), -1, -1)
"""The key before all others."""

_LAST_MS: Final = 2**63 - 1
_LAST_SEQ: Final = 2**31 - 1


def add_costs(store: Store, costs: Sequence[NewCost]) -> int:
    """Insert records in one transaction; one that another program was first with is left out.

    Gives how many were inserted.
    """
    return sum(map(len, store.change_each("insert_cost", costs)))


class CostReader:
    """What a ledger knows of costs.  Safe to use from many threads."""

    def __init__(self, reader: Callable[[], Reader]) -> None:
        self._reader = reader

    # --- what is to be priced ------------------------------------------------------------------

    def calls(
        self, agent: UUID, after: PriceKey, until_ms: int | None, again: int, limit: int
    ) -> tuple[list[CallToPrice], PriceKey | None]:
        """Ended model calls of an agent beyond ``after`` in the order of time, and the key to go on from.

        ``again``: 0 those without a record, 1 unpriced ones too, 2 all.  A damaged row is left out.
        """
        rows = self._reader().ask(
            "list_calls_to_price",
            agent=agent.bytes,
            after_ms=after[0],
            after_jid=after[1],
            after_seq=after[2],
            until_ms=_LAST_MS if until_ms is None else until_ms,
            again=again,
            limit=limit,
        )
        going_on = rows[-1][1:4] if len(rows) == limit else None
        return list(_sound(rows)), going_on

    def count_calls(self, agent: UUID, since_ms: int, until_ms: int | None) -> int:
        """How many model calls of an agent ended in a stretch of time."""
        until_ms = _LAST_MS if until_ms is None else until_ms
        rows = self._reader().ask(
            "count_calls_to_price", agent=agent.bytes, since_ms=since_ms, until_ms=until_ms
        )
        return int(rows[0][0])

    def intents(self, places: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[str, bytes, int]]:
        """Of the MODEL_CALL events at these (jid, seq): tokens, detail and time."""
        found: dict[tuple[int, int], tuple[str, bytes, int]] = {}
        for row in self._reader().ask_each("get_intent", places):
            try:
                check(row, INTENT)
            except DamagedRowError:
                continue
            jid, seq, type_, tokens, detail, created_ms = row
            if type_ == "MODEL_CALL":
                found[jid, seq] = tokens, detail, created_ms
        return found

    def billed(self, answers: Sequence[tuple[int, bytes]]) -> dict[tuple[int, bytes], list[PriceKey]]:
        """For (cid, answer) the calls of the conversation that this answer was billed with."""
        found: defaultdict[tuple[int, bytes], list[PriceKey]] = defaultdict(list)
        for cid, answer, *key in self._reader().ask_each("list_answers", answers):
            called_ms, jid, seq = key
            found[cid, bytes(answer)].append((called_ms, jid, seq))
        return found

    # --- what is priced ------------------------------------------------------------------------

    def of_turns(self, turns: Sequence[UUID]) -> dict[UUID, CostSums]:
        """Sums of each turn; one without a record has none."""
        return _by_id(self._reader().ask_each("sum_costs_of_turn", [(one.bytes,) for one in turns]))

    def of_conversations(
        self, conversations: Sequence[UUID], span: Stretch | None = None
    ) -> dict[UUID, CostSums]:
        """Sums of each conversation, all calls of it or those of a stretch of time."""
        ids = [one.bytes for one in conversations]
        if span is None:
            return _by_id(self._reader().ask_each("sum_costs_of_conversation", [(one,) for one in ids]))
        keys = [(one, *span) for one in ids]
        return _by_id(self._reader().ask_each("sum_costs_of_conversation_span", keys))

    def of_spans(self, agent: UUID, spans: Sequence[Stretch]) -> dict[int, CostSums]:
        """Sums of one agent for each stretch of time, by its beginning."""
        # Parameters come in the order in which the statement names them: since, agent, until.
        keys = [(since, agent.bytes, until) for since, until in spans]
        found: defaultdict[int, CostSums] = defaultdict(CostSums)
        for since, *row in self._reader().ask_each("sum_costs_of_span", keys):
            _take(found[since], row)
        return found

    def of_models(self, agent: UUID, span: Stretch) -> dict[str, CostSums]:
        """Sums of one agent by the model that served."""
        rows = self._reader().ask(
            "sum_costs_of_models", agent=agent.bytes, since_ms=span[0], until_ms=span[1]
        )
        found: defaultdict[str, CostSums] = defaultdict(CostSums)
        for name, *row in rows:
            _take(found[name], row)
        return found

    def of_journal(
        self, journal: UUID, first_seq: int = 0, last_seq: int = _LAST_SEQ
    ) -> dict[int, list[CallCost]]:
        """All records of the calls in one journal by the seq of the result, first edition first.

        With bounds, of the results from one seq to another, both included.
        """
        found: defaultdict[int, list[CallCost]] = defaultdict(list)
        for row in self._reader().ask(
            "list_costs_of_journal", journal=journal.bytes, first_seq=first_seq, last_seq=last_seq
        ):
            try:
                check(row, COST)
            except DamagedRowError:
                continue
            seq, edition, state, *rest = row
            found[seq].append(CallCost(seq, edition, CostState(state), *rest))
        return found


def _sound(rows: Iterable[Row]) -> Iterable[CallToPrice]:
    for row in rows:
        try:
            check(row, PRICED_CALL)
        except DamagedRowError:
            continue
        yield CallToPrice(*row)


def _by_id(rows: Iterable[Row]) -> dict[UUID, CostSums]:
    found: defaultdict[UUID, CostSums] = defaultdict(CostSums)
    for one, *row in rows:
        _take(found[UUID(bytes=one)], row)
    return found


def _take(sums: CostSums, row: Sequence[object]) -> None:
    state, currency, reason, count, nano = row
    calls = count if isinstance(count, int) else 0
    if state == CostState.PRICED:
        sums.priced += calls
        sums.nano[str(currency)] += nano if isinstance(nano, int) else 0
        return
    if state == CostState.UNPRICED:
        sums.unpriced += calls
    else:
        sums.unbilled += calls
    sums.reasons[str(reason)] += calls
