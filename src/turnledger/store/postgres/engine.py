"""The write connection: two round trips for an append, one where nobody else wrote meanwhile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

from turnledger.clock import SYSTEM, Clock
from turnledger.errors import LedgerError, LedgerUnavailableError
from turnledger.model.rows import LeaseRow
from turnledger.store.contract import RowConflictError, StoredBody
from turnledger.store.heads import Heads
from turnledger.store.postgres.assumption import MOVED, Assumption, queue_up
from turnledger.store.postgres.link import Call, Link, Row
from turnledger.store.postgres.problems import LinkLostError, ServerError, explain, unreachable
from turnledger.store.postgres.redial import Redial
from turnledger.store.postgres.server_clock import ServerClock
from turnledger.store.postgres.statements import STATEMENTS, call
from turnledger.store.projection import Projection
from turnledger.store.sql_mapping import (
    EMPTYING,
    Values,
    Write,
    changed_rows,
    found_states,
    lease_row,
    lookups,
    projected_rows,
)
from turnledger.store.state import Changes, Found, IdKind, Wants

__all__ = ["PostgresEngine"]

NOTIFY_EVERY_US: Final = 20_000
PLACES: Final = 1 << 20  # events that one transaction can hold: the low bits of their cursors
PART_BLOCK: Final = 64  # as the sequence parts_pid counts

KNOWN_JOURNALS: Final = 1 << 16
SHARED_US: Final = 1_000_000

_DISPROVED: Final = "22012"  # a check divides by the number of rows that are as remembered
_PART_EXISTS: Final = "2201E"  # another takes the logarithm of 0

_SEQUENCES: Final = {
    IdKind.AGENT: "agents_aid",
    IdKind.CONVERSATION: "conversations_cid",
    IdKind.JOURNAL: "journals_jid",
}


class PostgresEngine:
    """See ``contract.Engine``.

    ``load`` carries ``begin`` with it, ``commit`` carries ``save``.  Where all that is asked for is
    remembered, ``load`` asks nothing: the plan rests on an assumption that is checked with the rest.
    """

    def __init__(self, link: Link, redial: Redial, clock: Clock = SYSTEM) -> None:
        self._link = link
        self._redial = redial
        self._clock = clock
        self._server_clock = ServerClock(clock)
        self._heads = Heads()
        self._shared: dict[int, int] = {}  # conversations that others write too, and until when to mind it
        self._look_for_parts_until_us = 0
        self._in_doubt = False
        self._notified_us = -NOTIFY_EVERY_US
        self._part_keys: list[int] = []
        self._known: set[bytes] = set()  # journals that exist
        self._clear()

    def _clear(self) -> None:
        self._assumption: Assumption | None = None
        self._missing: dict[IdKind, int] = {}
        self._keys: defaultdict[IdKind, list[int]] = defaultdict(list)
        self._parts: list[Values] = []
        self._saved = Changes()

    # --- an append -----------------------------------------------------------------------------

    def begin(self) -> None:
        """See ``contract.Engine``."""
        self._clear()
        self._connect()
        with suppress(LinkLostError):  # whatever comes next notices
            self._link.send([call("begin")])

    def _connect(self) -> None:
        if self._link.closed:
            self._link = self._redialled()

    def _redialled(self) -> Link:
        try:
            return self._redial.open(patient=True)
        except LedgerUnavailableError as error:
            if self._in_doubt:
                msg = f"{error.message} Whether the append before it broke was recorded is not known."
                next_step = "Send it again as it is once the server is back."
                raise LedgerUnavailableError(msg, next_step=next_step) from error
            raise

    def load(self, wants: Wants) -> Found:
        """See ``contract.Engine``."""
        missing, found = self._heads.take(wants)
        now_ms = self._server_clock.now_ms()
        if now_ms is None or not self._may_assume(missing, found, now_ms):
            return self._read(wants)
        found.now_ms = now_ms
        self._assumption = Assumption.of(found, wants.events)
        return found

    def _may_assume(self, missing: Wants, found: Found, now_ms: int) -> bool:
        if missing.conversations or missing.journals or missing.aliases or not found.journals:
            return False
        now_us = self._clock.monotonic_us()
        if any(self._shared.get(state.cid, now_us) > now_us for state in found.conversations.values()):
            return False
        return all(state.last_ms <= now_ms for state in found.journals.values())

    def _read(self, wants: Wants) -> Found:
        """Lock and read everything, in one round trip."""
        reads = lookups(wants)
        agents, conversations, journals, events = ([key for (key,) in keys] for _, keys in reads[:4])
        names = reads[4][1]
        queue = queue_up(conversations)
        calls = [
            *queue,
            call("lock_conversations", conversations),
            call("lock_journals", journals),
            # An agent's counts move where a journal is opened, so its row is locked only where one may be.
            *([] if self._known.issuperset(journals) else [call("lock_agents", agents, journals)]),
            call("find_agents", agents),
            call("find_events", events),
            *[call("find_aliases", *name) for name in names],
            call("get_moment"),
        ]
        found_rows = self._first_run(calls, [call("begin")])[1 + len(queue) :]
        found_conversations, found_journals, *results = found_rows
        found_agents, found_events, *found_names, [(clock_us, prunes)] = results[-3 - len(names) :]
        aliases = [row for rows in found_names for row in rows]
        now_ms = self._server_clock.set(clock_us)
        states = (found_agents, found_conversations, found_journals, found_events, aliases)
        found = found_states(wants, now_ms, prunes, states)
        self._remember(found)
        self._missing = {
            IdKind.CONVERSATION: len(conversations) - len(found.conversations),
            IdKind.JOURNAL: len(journals) - len(found.journals),
        }
        return found

    def _remember(self, found: Found) -> None:
        self._heads.prunes = found.prunes
        self._heads.add(found, found)
        if len(self._known) > KNOWN_JOURNALS:
            self._known.clear()
        self._known.update([journal.bytes for journal in found.journals])

    def next_id(self, kind: IdKind) -> int:
        """See ``contract.Engine``.  One round trip gets the keys of all that ``load`` did not find."""
        keys = self._keys[kind]
        if not keys:
            keys += self._draw(_SEQUENCES[kind], max(1, self._missing.get(kind, 1)))
        return keys.pop(0)

    def find_parts(self, aid: int, keys: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        """See ``contract.Engine``.  What this writer does not know is mostly new; the commit tells."""
        if self._assumption is not None and self._clock.monotonic_us() >= self._look_for_parts_until_us:
            self._assumption.new_parts.setdefault(aid, []).extend(keys)
            return []
        return [(key, pid, data) for key, pid, data in self._step(call("find_parts", list(keys), aid))]

    def add_part(self, aid: int, key: int, data: bytes, size: int) -> int:
        """See ``contract.Engine``."""
        if not self._part_keys:
            [first] = self._draw("parts_pid", 1)
            self._part_keys = list(range(first + PART_BLOCK - 1, first - 1, -1))
        pid = self._part_keys.pop()
        self._parts.append((pid, aid, key, size, data))
        return pid

    def save(self, changes: Changes, bodies: Sequence[StoredBody], projection: Projection) -> None:
        """See ``contract.Engine``.  A key that is taken shows at ``commit``."""
        if len(changes.events) > PLACES:
            msg = f"One transaction holds at most {PLACES} events, not {len(changes.events)}."
            raise LedgerUnavailableError(msg, next_step="Append in smaller batches.")
        self._saved = changes
        if self._assumption is not None:
            if not self._assumption.covers(changes):
                msg = "an event is refused or may be on record already"
                raise RowConflictError(msg)
            self._send(self._assumption.checks(changes))
        moved = frozenset[str]() if self._assumption is None else MOVED
        writes = changed_rows(changes, bodies, self._parts)
        self._send(_calls(write for write in writes if write[0] not in moved))
        self._send(_calls(projected_rows(projection)))

    def commit(self) -> None:
        """See ``contract.Engine``.  A connection that breaks here means planning again: event ids tell."""
        try:
            self._link.run([call("commit")])
        except LinkLostError as error:
            self._in_doubt = True
            raise _broken(error) from error
        except ServerError as error:
            raise self._explained(error) from error
        self._in_doubt = False
        self._heads.keep(self._saved)

    def _explained(self, error: ServerError) -> LedgerError | RowConflictError:
        # Better to ask for a while than to be wrong each time: others write to these conversations too, or
        # what this writer stores was stored before it came.
        now = self._clock.monotonic_us()
        if error.sqlstate == _PART_EXISTS:
            self._look_for_parts_until_us = now + SHARED_US
        elif error.sqlstate == _DISPROVED and self._assumption is not None:
            self._shared = {cid: until for cid, until in self._shared.items() if until > now}
            self._shared.update(dict.fromkeys(self._saved.conversations, now + SHARED_US))
        return explain(error, self._link.label)

    def rollback(self) -> None:
        """See ``contract.Engine``."""
        self._clear()
        self._heads.forget()
        while self._link.in_transaction:
            try:
                self._link.run([call("rollback")])
            except ServerError:
                continue  # of a statement sent before: the transaction is still to be ended
            except LinkLostError:
                return

    # --- beside appends ------------------------------------------------------------------------

    def renew(self, holder: UUID, turns: Sequence[tuple[UUID, int]], ttl_ms: int) -> set[UUID]:
        """See ``contract.Engine``."""
        calls = [
            call("renew_lease", ttl_ms, turn, holder.bytes, epoch)
            for turn, epoch in sorted(
                (turn.bytes, epoch) for turn, epoch in turns
            )  # the order of lock_journals
        ]
        self._connect()
        self._heads.forget()
        held = {UUID(bytes=turn) for rows in self._first_run(calls) for (turn,) in rows}
        return {turn for turn, _ in turns} - held

    def acquire(self, turn: UUID, holder: UUID, ttl_ms: int) -> LeaseRow | None:
        """See ``contract.Engine``."""
        self._connect()
        [rows] = self._run([call("acquire_lease", holder.bytes, ttl_ms, turn.bytes)])
        return lease_row(rows[0]) if rows else None

    def change(self, statement: str, params: Mapping[str, object]) -> list[Row]:
        """See ``contract.Engine``."""
        self._connect()
        found = STATEMENTS[statement]
        return self._first_run([(found, found.values(params))])[0]

    def change_each(self, statement: str, rows: Sequence[Sequence[object]]) -> list[list[Row]]:
        """See ``contract.Engine``."""
        self._connect()
        return self._first_run([(STATEMENTS[statement], tuple(row)) for row in rows]) if rows else []

    def notify(self) -> None:
        """See ``contract.Engine``.  Not waited for; at most every 20 ms, so listeners look once more."""
        now = self._clock.monotonic_us()
        if now - self._notified_us < NOTIFY_EVERY_US or self._link.closed:
            return
        self._notified_us = now
        try:
            self._link.post(call("notify"))
        except LinkLostError:
            return  # the next append connects anew; a listener that hears nothing looks by itself

    @contextmanager
    def rebuilding(self) -> Generator[Callable[[Projection], None]]:
        """See ``contract.Engine``.  Appends wait until it is over."""
        self._connect()
        emptying = [call(name) for name in EMPTYING]
        try:
            self._run([call("begin"), call("let_wait"), call("lock_events"), *emptying], patient=True)
            yield self._apply
            self._run([call("commit")], patient=True)
        finally:
            self.rollback()

    def _apply(self, projection: Projection) -> None:
        self._run(_calls(projected_rows(projection)), patient=True)

    def close(self) -> None:
        """See ``contract.Engine``."""
        self._link.close()

    # --- the link ------------------------------------------------------------------------------

    def _draw(self, sequence: str, count: int) -> list[int]:
        return [key for (key,) in self._step(call("draw_keys", sequence, count))]

    def _first_run(self, calls: Sequence[Call], sent: Sequence[Call] = ()) -> list[list[Row]]:
        """Run calls that may be repeated, on a new link where the old one broke while nobody looked.

        ``sent`` are the calls that went before.
        """
        try:
            return self._link.run(calls)
        except LinkLostError:
            self._link = self._redialled()
            return self._run([*sent, *calls])
        except ServerError as error:
            raise explain(error, self._link.label) from error

    def _send(self, calls: Sequence[Call]) -> None:
        try:
            self._link.send(calls)
        except LinkLostError as error:
            raise _broken(error) from error
        except ServerError as error:
            raise explain(error, self._link.label) from error

    def _step(self, one: Call) -> list[Row]:
        """Run a call between load and save."""
        try:
            return self._link.run([one])[-1]
        except LinkLostError as error:
            raise _broken(error) from error
        except ServerError as error:
            raise self._explained(error) from error

    def _run(self, calls: Sequence[Call], *, patient: bool = False) -> list[list[Row]]:
        """Run calls; errors come as the contract's."""
        try:
            return self._link.run(calls, None) if patient else self._link.run(calls)
        except LinkLostError as error:
            raise unreachable(self._link.label, str(error), "Try again.") from error
        except ServerError as error:
            raise explain(error, self._link.label) from error


def _broken(error: LinkLostError) -> RowConflictError:
    """Plan again on a new connection: what is on record will be seen by its event ids."""
    return RowConflictError(f"the connection broke: {error}")


def _calls(writes: Iterable[Write]) -> list[Call]:
    """The statements of these writes, row by row; events are told their place in the transaction."""
    calls: list[Call] = []
    for name, rows in writes:
        statement = STATEMENTS[name]
        if name == "insert_event":
            calls += [(statement, (place, *row)) for place, row in enumerate(rows)]
        else:
            calls += [(statement, row) for row in rows]
    return calls
