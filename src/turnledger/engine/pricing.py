"""Model calls are priced: those without a cost record, and on demand those that have one.

Nothing of this is in the way of a recorder: calls are priced once they are on record, from what is there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

from turnledger.clock import Clock
from turnledger.errors import DamagedRowError, GrammarError, LedgerUnavailableError
from turnledger.ids import NIL, new_id
from turnledger.model.costs import CallToPrice, CostReason, CostState, NewCost
from turnledger.model.draft import Batch, BatchStatus, Draft, Journal
from turnledger.model.events import ModelCall, ModelResult, Repriced
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import Assurance, JournalKind
from turnledger.pricing.book import PriceBook
from turnledger.pricing.call import Unbilled, Unpriceable, answer_digest, read_call
from turnledger.pricing.quote import Quote
from turnledger.providers.document import as_text
from turnledger.query.journal_rows import read_uuid
from turnledger.store.costs import FIRST, CostReader, PriceKey, add_costs
from turnledger.store.ledger_store import Store
from turnledger.wire.commitment import NO_PAYLOAD
from turnledger.wire.details import decode_detail, encode_detail

__all__ = ["AT_ONCE", "FollowingPricer", "Pricer", "PricingResult", "Which"]

AT_ONCE: Final = 500
"""Calls that are priced in one transaction."""
_SLACK_MS: Final = 600_000
"""How late a commit may become readable behind others that carry a later time."""


class Which(IntEnum):
    """Which calls to price."""

    NEW = 0
    """Those that nobody has priced yet."""
    UNPRICED = 1
    """Those too for which no price was found."""
    ALL = 2
    """All, also those that have a price."""


@dataclass(slots=True)
class PricingResult:
    """What a run came to.  ``repriced`` of the records took the place of earlier ones.

    ``unchanged`` calls had a record that says the same, so they got none.
    """

    calls: int = 0
    priced: int = 0
    unpriced: int = 0
    unbilled: int = 0
    repriced: int = 0
    unchanged: int = 0
    nano: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])

    def note(self, cost: NewCost) -> None:
        """Count a new record."""
        self.repriced += cost.edition > 0
        if cost.state == CostState.PRICED:
            self.priced += 1
            self.nano[cost.currency or ""] += cost.nano or 0
            return
        self.unpriced += cost.state == CostState.UNPRICED
        self.unbilled += cost.state == CostState.UNBILLED
        self.reasons[cost.reason or ""] += 1


_Intent: TypeAlias = tuple[str, bytes, int]
"""Tokens, detail and time of a MODEL_CALL."""


class _Outcome(NamedTuple):
    state: CostState
    nano: int | None
    currency: str | None
    reason: str | None
    provider: str | None
    model: str | None
    prices: str


@dataclass(frozen=True, slots=True)
class _Read:
    """A call with what its events say.

    What came LATE is read as the MODEL_RESULT that it would have been, in the turn ``late_for`` if in one.
    """

    row: CallToPrice
    tokens: dict[str, str]
    detail: dict[str, object]
    answer: bytes | None
    late_for: UUID | None = None

    @property
    def key(self) -> PriceKey:
        return self.row.called_ms, self.row.jid, self.row.seq

    @property
    def call(self) -> int | None:
        """Place of the MODEL_CALL in the journal of the turn."""
        call = self.tokens.get("call", "")
        return int(call) if call.isdecimal() and len(call) < 10 else None  # noqa: PLR2004  a seq


class Pricer:
    """Prices the calls of one ledger by one book.  For one thread."""

    def __init__(self, store: Store, book: PriceBook, clock: Clock) -> None:
        self._store = store
        self._book = book
        self._clock = clock
        self._costs = CostReader(lambda: store.reader)

    def count(self, agents: Collection[UUID], since_ms: int | None, until_ms: int | None) -> int:
        """How many calls there are at most."""
        first = FIRST[0] if since_ms is None else since_ms
        return sum(self._costs.count_calls(agent, first, until_ms) for agent in agents)

    def price(
        self,
        agents: Collection[UUID],
        which: Which,
        span: tuple[int | None, int | None] = (None, None),
        advance: Callable[[int], None] = lambda _more: None,
    ) -> PricingResult:
        """Price the calls of these agents that ended in a stretch of time (epoch ms, half-open).

        What took the place of earlier records is put down in the ledger's journal, also where the run is
        broken off.  ``advance`` hears of each portion that is done.
        """
        result = PricingResult()
        try:
            for agent in agents:
                self.price_agent(agent, which, span, result, advance)
        finally:
            if result.repriced:
                self._put_down(result.repriced)
        return result

    def price_agent(
        self,
        agent: UUID,
        which: Which,
        span: tuple[int | None, int | None],
        result: PricingResult,
        advance: Callable[[int], None] = lambda _more: None,
    ) -> None:
        """Price one agent's calls in portions, each a transaction of its own."""
        since_ms, until_ms = span
        key: PriceKey | None = FIRST if since_ms is None else (since_ms, -1, -1)
        while key is not None:
            rows, key = self._costs.calls(agent, key, until_ms, which, AT_ONCE)
            costs = self._priced(agent, rows)
            new = [cost for row, cost in zip(rows, costs, strict=True) if not _says_the_same(row, cost)]
            if new:
                add_costs(self._store, new)
            for cost in new:
                result.note(cost)
            result.calls += len(rows)
            result.unchanged += len(rows) - len(new)
            advance(len(rows))

    def _priced(self, agent: UUID, rows: Sequence[CallToPrice]) -> list[NewCost]:
        calls = [_read(row) for row in rows]
        intents = self._intents(agent, calls)
        billed = defaultdict(
            list,
            self._costs.billed([(call.row.cid, call.answer) for call in calls if call.answer is not None]),
        )
        now_ms = self._clock.epoch_ms()
        found: list[NewCost] = []
        for call in calls:
            answer = None if call.answer is None else (call.row.cid, call.answer)
            is_again = answer is not None and any(origin < call.key for origin in billed[answer])
            outcome = self._outcome(call, intents.get(call.key), is_again=is_again)
            if answer is not None and outcome.state is CostState.PRICED:
                billed[answer].append(call.key)
            found.append(_record(call, outcome, now_ms))
        return found

    def _intents(self, agent: UUID, calls: Sequence[_Read]) -> dict[PriceKey, _Intent]:
        """What was asked, by the call's key."""
        places = [
            (call.key, (call.row.jid, call.call))
            for call in calls
            if call.call is not None and call.late_for is None
        ]
        known = self._costs.intents([place for _, place in places])
        found = {key: known[place] for key, place in places if place in known}
        for call in calls:
            if call.call is not None and call.late_for is not None:
                intent = self._intent_in(agent, call.late_for, call.call)
                found |= {} if intent is None else {call.key: intent}
        return found

    def _intent_in(self, agent: UUID, turn: UUID, seq: int) -> _Intent | None:
        """What was asked in a turn of this agent whose end came before the outcome: a few, one by one."""
        try:
            rows = self._store.reader.events(turn, seq, 1)
        except DamagedRowError:
            return None
        asked = (row for row in rows if row.agent == agent and (row.seq, row.type) == (seq, ModelCall.TYPE))
        return next(((row.summary, row.detail, row.created_ms) for row in asked), None)

    def _outcome(self, call: _Read, intent: _Intent | None, *, is_again: bool) -> _Outcome:
        tokens, detail, at_ms = intent or ("", b"", call.row.called_ms)
        read = read_call((parse_summary(tokens), _detail(detail), at_ms), (call.tokens, call.detail))
        version = self._book.version
        if isinstance(read, Unbilled):
            return _Outcome(CostState.UNBILLED, None, None, read.reason, None, None, version)
        if isinstance(read, Unpriceable):
            return _Outcome(CostState.UNPRICED, None, None, read.reason, None, None, version)
        if is_again:
            return _Outcome(CostState.UNBILLED, None, None, CostReason.SEEN_BEFORE, None, None, version)
        answer, version = self._book.price(read)
        if isinstance(answer, Quote):
            quoted = (answer.nano, answer.currency, None, answer.provider, answer.model)
            return _Outcome(CostState.PRICED, *quoted, version)
        return _Outcome(CostState.UNPRICED, None, None, answer.reason, None, None, version)

    def _put_down(self, calls: int) -> None:
        """Append REPRICED to the ledger's journal.  Raises LedgerUnavailableError where it is refused."""
        event_id = new_id()
        draft = Draft(
            Journal(JournalKind.LEDGER, self._store.reader.ledger_id()),
            NIL,
            None,
            event_id,
            Repriced.TYPE,
            Repriced(calls=calls).summary(Assurance.OBSERVED),
            encode_detail({"id": event_id.hex, "prices": self._book.version}),
            NO_PAYLOAD,
        )
        result = self._store.append(Batch((draft,))).result()
        if result.status is not BatchStatus.APPENDED:
            msg = f"That {calls} calls were repriced could not be put down in the ledger's journal."
            raise LedgerUnavailableError(msg, next_step=result.reason)


class FollowingPricer:
    """Prices what was appended since the last time.  For one thread at a time."""

    def __init__(self, store: Store, pricer: Pricer) -> None:
        self._store = store
        self._pricer = pricer
        self._cursor: int | None = None
        self._horizon_ms: int | None = None

    def price_new(self, advance: Callable[[int], None] = lambda _more: None) -> PricingResult:
        """Price the calls without a record: those since shortly before the last time, the first time all.

        ``advance`` hears of each portion; what it raises ends the run, and the next one goes on there.
        """
        reader = self._store.reader
        cursor, result = reader.head_cursor(), PricingResult()
        if cursor == self._cursor:
            return result
        agents = reader.agents()
        newest = [row.created_ms for row in reader.since(cursor - 1, 1, None)[0]]
        for agent in agents:
            self._pricer.price_agent(agent.id, Which.NEW, (self._horizon_ms, None), result, advance)
        self._cursor = cursor
        if newest:
            self._horizon_ms = newest[0] - _SLACK_MS
        return result


def _read(row: CallToPrice) -> _Read:
    tokens, detail = parse_summary(row.tokens), _detail(row.detail)
    turn = None
    if tokens.get("type") == ModelResult.TYPE:
        turn = read_uuid(tokens.get("turn", ""))
        tokens = parse_summary(as_text(detail.get("tokens")) or "")
    return _Read(row, tokens, detail, answer_digest(detail), turn)


def _detail(data: bytes) -> dict[str, object]:
    try:
        return decode_detail(data) if data else {}
    except GrammarError:
        return {}


def _record(call: _Read, outcome: _Outcome, now_ms: int) -> NewCost:
    row = call.row
    return NewCost(
        row.aid,
        row.called_ms,
        row.jid,
        row.seq,
        0 if row.edition is None else row.edition + 1,
        row.cid,
        outcome.state.value,
        outcome.nano,
        outcome.currency,
        None if outcome.reason is None else str(outcome.reason),
        None if outcome.provider is None else _name(outcome.provider),
        None if outcome.model is None else _name(outcome.model),
        outcome.prices,
        call.answer,
        now_ms,
    )


def _name(text: str) -> str:
    """A name as both databases can hold it."""
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")


def _says_the_same(row: CallToPrice, cost: NewCost) -> bool:
    was = (row.state, row.nano, row.currency, row.reason, row.provider, row.model)
    return row.edition is not None and was == (
        cost.state,
        cost.nano,
        cost.currency,
        cost.reason,
        cost.provider,
        cost.model,
    )
