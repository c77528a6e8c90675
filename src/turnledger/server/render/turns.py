"""Turns as answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID

from turnledger.model.costs import CallCost, CostSums
from turnledger.model.figures import TokenCounts
from turnledger.model.rows import EventRow, TurnRow
from turnledger.query.cursor import cursor_text, read_cursor
from turnledger.query.live_cursor import flow_cursor
from turnledger.query.silence import silent_since
from turnledger.query.timeline import entries_of
from turnledger.query.turn_diff import DiffRow, TurnDifference, step_name
from turnledger.query.turn_list import TurnPage
from turnledger.query.turn_report import Step
from turnledger.query.turn_steps import LooseEnds, loose_ends, steps_among
from turnledger.query.verify import verify_journal
from turnledger.server.answers import turns
from turnledger.server.answers.events import Journal, JournalEvent
from turnledger.server.answers.form import instant, moment
from turnledger.server.caller import Asking
from turnledger.server.render.agents import tokens_answer
from turnledger.server.render.costs import call_cost_answer, cost_answer
from turnledger.server.render.events import entry_answers, names_in
from turnledger.server.render.left_out import left_out_answer
from turnledger.store.contract import Reader
from turnledger.wire.fixture import COMMITMENT_HMAC

__all__ = [
    "diff_answer",
    "entries_answer",
    "journal_answer",
    "report_answer",
    "turn_answers",
    "turn_index",
    "turns_answer",
]

_ENTRIES = "turn entries"
_PAGE = 500
_GENESIS = "0" * 64
_CHILDREN = 100


def turn_answers(asking: Asking, rows: Sequence[TurnRow]) -> list[turns.Turn]:
    """Turns, each with what its calls cost."""
    costs = asking.service.costs.of_turns([row.id for row in rows])
    return [_turn(row, costs.get(row.id)) for row in rows]


def _turn(row: TurnRow, cost: CostSums | None) -> turns.Turn:
    return turns.Turn(
        id=row.id,
        agent_id=row.agent,
        agent_name=row.agent_name,
        conversation_id=row.conversation,
        ordinal=row.ordinal,
        status=row.status.value,
        error_class=row.error_class,
        trigger=row.trigger,
        opened_at=instant(row.opened_ms),
        closed_at=moment(row.closed_ms),
        ms=row.ms,
        events=row.events,
        model_calls=row.model_calls,
        tool_calls=row.tool_calls,
        open_steps=row.open_steps,
        errors=row.errors,
        tokens=tokens_answer(_tokens(row)),
        cost=cost_answer(cost),
        parent_turn_id=row.parent,
    )


def _tokens(row: TurnRow) -> TokenCounts:
    return TokenCounts(row.tokens_in, row.tokens_out, row.cache_read, row.cache_write, row.reasoning)


def turns_answer(asking: Asking, page: TurnPage) -> turns.TurnList:
    """A list of turns."""
    return turns.TurnList(
        items=turn_answers(asking, page.listed.items),
        has_more=page.listed.has_more,
        next=page.listed.next,
        live_cursor=page.live_cursor,
        damaged=left_out_answer(asking, page.listed.damaged),
    )


def turn_index(
    asking: Asking, agent: UUID, session: str, conversation: UUID, page: TurnPage
) -> turns.TurnJournalIndex:
    """The turns of a conversation."""
    return turns.TurnJournalIndex(
        agent_id=agent,
        session_id=session,
        conversation_id=conversation,
        turns=turn_answers(asking, page.listed.items),
        has_more=page.listed.has_more,
        next=page.listed.next,
        damaged=left_out_answer(asking, page.listed.damaged),
    )


# --- one turn ------------------------------------------------------------------------------------


def report_answer(
    asking: Asking, row: TurnRow, limit: int, after: str | None, *, previews: bool
) -> turns.TurnReport:
    """One turn, its loose ends, and some of its events from a cursor on.  Raises GrammarError."""
    start = 0 if after is None else read_cursor(_ENTRIES, after, 1)[0]
    reader = asking.reader
    with reader.snapshot():
        silent = _is_silent(reader, row)
        ends = loose_ends(reader, row, silent=silent)
        last = reader.flow(row.conversation, after=None, before=2**62, limit=1)
        page = entries_answer(asking, row, start, limit, previews=previews)
        children = asking.service.figures.children(row.id, _CHILDREN)
        (turn,) = turn_answers(asking, [row])
        return turns.TurnReport(
            turn=turn,
            totals=_totals(row, ends),
            no_sign_of_life=silent,
            unfinished_steps=[_step(step, {}) for step in ends.open],
            unrun_tools=[
                turns.UnrunTool(result_seq=one.result_seq, ordinal=one.ordinal, tool=one.tool)
                for one in ends.unrun
            ],
            unrun_count=ends.unrun_count,
            children=[_child(child) for child in children if asking.caller.grant.covers(child.agent)],
            entries=page.entries,
            steps=page.steps,
            has_more=page.has_more,
            next=cursor_text(_ENTRIES, (start + limit,)) if page.has_more else None,
            live_cursor=flow_cursor(-1 if not last or last[0].position is None else last[0].position),
            names=page.names,
            damaged=left_out_answer(asking, children.damaged),
        )


def _is_silent(reader: Reader, row: TurnRow) -> bool:
    return row.closed_ms is None and row.id in silent_since(reader)


def _totals(row: TurnRow, ends: LooseEnds) -> turns.TurnTotals:
    return turns.TurnTotals(
        wall_ms=row.ms,
        model_ms=ends.model_ms,
        tool_ms=ends.tool_ms,
        model_calls=row.model_calls,
        tool_calls=row.tool_calls,
        tokens=tokens_answer(_tokens(row)),
        cost_minor=ends.cost_minor,
    )


def _step(step: Step, costs: Mapping[int, Sequence[CallCost]]) -> turns.Step:
    intent, outcome = step.intent, step.outcome
    is_model = intent.row.type == "MODEL_CALL"
    served = None if outcome is None else outcome.tokens.get("model")
    asked = intent.tokens.get("model" if is_model else "tool")
    return turns.Step(
        kind="model" if is_model else "tool",
        intent_seq=intent.row.seq,
        outcome_seq=None if outcome is None else outcome.row.seq,
        name=served or asked,
        role=intent.tokens.get("role"),
        status=None if outcome is None else outcome.tokens.get("status"),
        ms=None if outcome is None else outcome.number("ms"),
        cost=None if outcome is None else call_cost_answer(costs.get(outcome.row.seq, ())),
        doubt=None if step.doubt is None else step.doubt.value,
    )


def _child(row: TurnRow) -> turns.SubTurn:
    return turns.SubTurn(
        turn_id=row.id,
        agent_id=row.agent,
        agent_name=row.agent_name,
        conversation_id=row.conversation,
        status=row.status.value,
    )


def entries_answer(
    asking: Asking, row: TurnRow, start: int, limit: int, *, previews: bool
) -> turns.TurnEntries:
    """Some events of a turn, from a place on, and their steps."""
    reader = asking.reader
    with reader.snapshot():
        # One more on either side: the time since the event before, and whether there are more.
        entries = entries_of(reader.events(row.id, max(start - 1, 0), limit + 2))
        shown = [entry for entry in entries if start <= entry.row.seq < start + limit]
        steps = steps_among(reader, row, shown, silent=_is_silent(reader, row))
        ends = [step.outcome.row.seq for step in steps if step.outcome is not None]
        costs = asking.service.costs.of_journal(row.id, min(ends), max(ends)) if ends else {}
        return turns.TurnEntries(
            entries=entry_answers(asking, shown, previews=previews),
            steps=[_step(step, costs) for step in steps],
            has_more=bool(entries) and entries[-1].row.seq >= start + limit,
            names=names_in(reader, shown),
        )


def journal_answer(asking: Asking, row: TurnRow) -> Journal:
    """The journal as it is hashed, whole, with the verdict of this server."""
    reader = asking.reader
    with reader.snapshot():
        finding = verify_journal(reader, row.id)
        if finding.sound:
            events = _recorded_events(rows for page in reader.recorded_events(row.id) for rows in page)
        else:
            events = _shown_events(reader, row.id)
    return Journal(
        agent_id=row.agent,
        turn_id=row.id,
        chain_intact=finding.sound,
        broken_at_seq=finding.broken_at_seq,
        verification=str(finding.reason),
        commitment=COMMITMENT_HMAC,
        events=events,
    )


def _recorded_events(rows: Iterable[tuple[Any, ...]]) -> list[JournalEvent]:
    """Events out of rows that were verified, so that nothing of them needs to be read with care again."""
    found: list[JournalEvent] = []
    previous = _GENESIS
    for seq, type_, payload, tokens, detail, digest, created_ms, _, _ in rows:
        head = digest.hex()
        found.append(
            JournalEvent(
                seq=seq,
                type=type_.decode(),
                payload_hash=payload.hex(),
                summary=f"{tokens.decode()} detail={sha256(detail).hexdigest()}",
                prev_hash=previous,
                hash=head,
                created_at=instant(created_ms),
            )
        )
        previous = head
    return found


def _shown_events(reader: Reader, turn: UUID) -> list[JournalEvent]:
    rows: list[EventRow] = []
    while page := reader.events(turn, len(rows), _PAGE):
        rows += page
    found: list[JournalEvent] = []
    previous = _GENESIS
    for row in rows:
        digest = row.hash.hex()
        found.append(
            JournalEvent(
                seq=row.seq,
                type=row.type,
                payload_hash=row.payload_hash.hex(),
                summary=row.summary,
                prev_hash=previous,
                hash=digest,
                created_at=instant(row.created_ms),
            )
        )
        previous = digest
    return found


# --- two turns -----------------------------------------------------------------------------------


def diff_answer(asking: Asking, found: TurnDifference) -> turns.TurnDiff:
    """Two turns compared."""
    left, right = turn_answers(asking, [found.left, found.right])
    return turns.TurnDiff(
        left=left,
        right=right,
        same_behaviour=found.same_behaviour,
        first_difference=found.first,
        rows=[_diff_row(row) for row in found.rows],
        has_more=found.has_more,
    )


def _diff_row(row: DiffRow) -> turns.DiffRow:
    shown = row.left or row.right
    return turns.DiffRow(
        op=row.op,
        type="" if shown is None else shown.row.type,
        name=None if shown is None else step_name(shown),
        left_seq=None if row.left is None else row.left.row.seq,
        right_seq=None if row.right is None else row.right.row.seq,
        differences=list(row.differences),
    )
