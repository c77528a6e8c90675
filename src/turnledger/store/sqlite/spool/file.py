"""The spool's rows: batches in order, the names they claim, and what forwarding them taught."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from uuid import UUID

import msgspec

from turnledger.clock import SYSTEM, Clock
from turnledger.ids import NIL
from turnledger.model.draft import AliasKind, Batch, BatchResult, BatchStatus, Placed
from turnledger.store.spool import (
    Gap,
    GapMaker,
    Refused,
    Settlement,
    SpoolCounts,
    SpoolRow,
    stand_in,
    turn_of,
)
from turnledger.store.sqlite.spool.session import SpoolSession
from turnledger.wire.spool_form import SpoolForm

__all__ = ["SqliteSpool"]

ROOM_AGAIN: Final = 2
"""Once full, it takes something again when no more than the cap through this is in use."""


class SqliteSpool:
    """See ``spool.Spool``.  The file is made when something first has to be kept."""

    def __init__(
        self, path: str | os.PathLike[str], ledger: str, *, cap: int = 1 << 30, clock: Clock = SYSTEM
    ) -> None:
        self._session = SpoolSession(Path(os.path.realpath(path)), ledger)
        self.label = str(path)
        self.cap = cap
        self._clock = clock
        self._form = SpoolForm()
        self._ids: dict[UUID, UUID] = {}
        self._ids_of = (0, -1)

    def is_empty(self) -> bool:
        """See ``Spool``."""
        return not self._session.is_there() or not self._session.run("is_waiting")[0][0]

    # --- keeping -------------------------------------------------------------------------------

    def append(self, batches: Sequence[tuple[Batch, bool]], make_gap: GapMaker) -> list[BatchResult | None]:
        """See ``Spool``."""
        with self._session.transaction():
            used = self._used()
            most = self.cap
            if self._session.run("has_gaps")[0][0]:
                most = self.cap // ROOM_AGAIN
                if used <= most:
                    self._flush(make_gap)
                    most = self.cap
            results: list[BatchResult | None] = []
            for batch, tried in batches:
                data = self._form.pack(batch)
                if used + len(data) > most:
                    results.append(None)
                    self._count(batch)
                    most = 0  # nothing may overtake what had no room
                    continue
                result = self._repeated(batch)
                if result is None:
                    used += len(data)
                    result = self._insert(batch, data, tried=tried)
                results.append(result)
        return results

    def _used(self) -> int:
        pages = self._session.number("page_count") - self._session.number("freelist_count")
        return pages * self._session.number("page_size")

    def _repeated(self, batch: Batch) -> BatchResult | None:
        claim = batch.claim
        if claim is None:
            return None
        found = self._session.run("get_name", kind=claim.kind, scope=claim.scope.bytes, name=claim.name)
        return BatchResult(BatchStatus.EXISTING, target=UUID(bytes=found[0][0])) if found else None

    def _insert(self, batch: Batch, data: bytes, *, tried: bool) -> BatchResult:
        now = self._clock.epoch_ms()
        turn = turn_of(batch)
        opened = next((draft.journal.id.bytes for draft in batch.drafts if draft.type == "INTAKE"), None)
        ((row,),) = self._session.run(
            "insert_row",
            tried=tried,
            turn=opened,
            journal=None if turn is None else turn.bytes,
            events=len(batch.drafts),
            queued_ms=now,
            data=data,
            size=_size_of(batch),
        )
        placed = tuple(
            [
                Placed(
                    draft.event_id,
                    stand_in(row, number) if draft.place is None else draft.place,
                    b"",
                    now,
                    None,
                )
                for number, draft in enumerate(batch.drafts)
            ]
        )
        claim = batch.claim
        if claim is None:
            return BatchResult(BatchStatus.APPENDED, placed)
        self._session.run(
            "insert_name",
            kind=claim.kind,
            scope=claim.scope.bytes,
            name=claim.name,
            target=claim.target.bytes,
            place=placed[0].seq if claim.kind is AliasKind.MESSAGE else None,
            row=row,
        )
        return BatchResult(BatchStatus.APPENDED, placed, claim.target)

    # --- gaps ----------------------------------------------------------------------------------

    def _count(self, batch: Batch) -> None:
        if not batch.drafts:
            return
        first = batch.drafts[0]
        if first.conversation is None or any(draft.type == "OPENED" for draft in batch.drafts):
            self._session.run("add_not_kept", events=len(batch.drafts))
        else:
            self._add_gap(Gap(first.agent, first.conversation, len(batch.drafts)))

    def _add_gap(self, gap: Gap) -> None:
        self._session.run(
            "add_gap", agent=gap.agent.bytes, conversation=gap.conversation.bytes, events=gap.events
        )

    def count_gaps(self, gaps: Sequence[Gap]) -> None:
        """See ``Spool``."""
        with self._session.transaction():
            for gap in gaps:
                if gap.conversation == NIL:
                    self._session.run("add_not_kept", events=gap.events)
                else:
                    self._add_gap(gap)

    def flush_gaps(self, make_gap: GapMaker) -> bool:
        """See ``Spool``."""
        if not self._session.is_there() or not self._session.run("has_gaps")[0][0]:
            return False
        with self._session.transaction():
            self._flush(make_gap)
        return True

    def _flush(self, make_gap: GapMaker) -> None:
        for agent, conversation, events in self._session.run("list_gaps"):
            batch = make_gap(Gap(UUID(bytes=agent), UUID(bytes=conversation), events))
            self._insert(batch, self._form.pack(batch), tried=False)
        self._session.run("delete_gaps")

    # --- forwarding ----------------------------------------------------------------------------

    def oldest(self, limit: int, size: int) -> list[SpoolRow]:
        """See ``Spool``."""
        rows: list[SpoolRow] = []
        with self._session.lock:
            for number, tried, kept, data, _size in self._session.some("list_oldest", limit, size):
                places = None if kept is None else msgspec.msgpack.decode(kept, type=tuple[int, ...])
                rows.append(SpoolRow(number, self._form.unpack(data), bool(tried), places))
        return rows

    def rewrite(self, row: SpoolRow, refused: Refused) -> None:
        """See ``Spool``."""
        with self._session.transaction():
            self._session.run(
                "update_row",
                id=row.id,
                kept=msgspec.msgpack.encode(row.kept),
                events=len(row.batch.drafts),
                data=self._form.pack(row.batch),
            )
            if refused.batch.drafts:
                self._keep_refused(refused)

    def settle(self, settlement: Settlement, make_gap: GapMaker) -> None:
        """See ``Spool``."""
        run = self._session.run
        with self._session.transaction():
            for row in settlement.done:
                for statement in ("delete_row", "delete_names", "delete_revisions"):
                    run(statement, id=row)
            for place, seq in settlement.places.items():
                run("insert_place", place=place, seq=seq)
            for proposed, target in settlement.ids.items():
                run("insert_id", proposed=proposed.bytes, target=target.bytes)
            for refused in settlement.refused:
                self._keep_refused(refused)
            self._ids.update(settlement.ids)
            is_empty = not run("is_waiting")[0][0]
            if is_empty:
                self._flush(make_gap)
        if is_empty:
            self._session.give_room_back()

    def _keep_refused(self, refused: Refused) -> None:
        self._session.run(
            "insert_refused",
            refused_ms=self._clock.epoch_ms(),
            events=len(refused.batch.drafts),
            refusal=refused.refusal,
            reason=refused.reason,
            data=self._form.pack(refused.batch),
        )

    # --- what forwarding taught ----------------------------------------------------------------

    def place(self, stand_in: int) -> int | None:
        """See ``Spool``."""
        found = self._session.run("get_place", place=stand_in) if self._session.is_there() else []
        return found[0][0] if found else None

    def ids(self) -> Mapping[UUID, UUID]:
        """See ``Spool``."""
        if not self._session.is_there():
            return {}
        with self._session.lock:
            version = (os.getpid(), self._session.number("data_version"))
            if version != self._ids_of:  # another process wrote to the file
                self._ids = {
                    UUID(bytes=one): UUID(bytes=other) for one, other in self._session.run("list_ids")
                }
                self._ids_of = version
        return self._ids

    def message(self, event_id: UUID) -> int | None:
        """See ``Spool``."""
        found = self._session.run("get_message", target=event_id.bytes) if self._session.is_there() else []
        return found[0][0] if found else None

    def holds_turn(self, turn: UUID) -> bool:
        """See ``Spool``."""
        return self._session.is_there() and bool(self._session.run("find_turn", turn=turn.bytes)[0][0])

    def holds_more(self, turn: UUID, row: int) -> bool:
        """See ``Spool``."""
        return bool(self._session.run("find_rest", turn=turn.bytes, row=row)[0][0])

    def revision(self, event_id: UUID) -> int | None:
        """See ``Spool``."""
        found = self._session.run("get_revision", event=event_id.bytes)
        return found[0][0] if found else None

    def keep_revision(self, row: int, event_id: UUID, revision: int) -> None:
        """See ``Spool``."""
        self._session.run("insert_revision", event=event_id.bytes, row=row, revision=revision)

    def counts(self) -> SpoolCounts:
        """See ``Spool``."""
        if not self._session.is_there():
            return SpoolCounts(0, 0, 0, 0, 0, None)
        waiting, events, refused, not_kept, since_ms = self._session.run("get_counts")[0]
        return SpoolCounts(waiting, events, self._used(), refused, not_kept, since_ms)

    def lead(self) -> bool:
        """See ``Spool``."""
        return self._session.lead()

    def follow(self) -> None:
        """See ``Spool``."""
        self._session.follow()

    def close(self) -> None:
        """See ``Spool``."""
        self._session.close()


def _size_of(batch: Batch) -> int:
    arriving = 0 if batch.arrived is None else len(batch.arrived.data)
    return arriving + sum(
        len(draft.detail) + sum(len(body.data) for body in draft.bodies) for draft in batch.drafts
    )
