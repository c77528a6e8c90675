"""Whatever fails and whenever: nothing runs unrecorded, nothing that ran is forgotten in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.capture.house import House, opened
from turnledger.capture.turn import Turn
from turnledger.errors import CaptureRefused, LedgerUnavailableError, OutcomeUnrecorded
from turnledger.integrity.verdict import Verdict
from turnledger.model.draft import Batch
from turnledger.model.vocabulary import FINAL_STATUSES
from turnledger.query.verify import verify_ledger

ACTS = ("tool", "model", "progress", "failing tool", "memory", "commit", "abort", "raise")


@dataclass
class Seen:
    """What the agent saw of its own run."""

    ran: list[str] = field(default_factory=list)
    unrecorded: list[object] = field(default_factory=list)


class OwnError(Exception):
    """The agent's."""


def failing_at(numbers: set[int]) -> Callable[[Batch], BaseException | None]:
    sent = iter(range(1_000_000))
    return lambda _: LedgerUnavailableError("gone") if next(sent) in numbers else None


async def act(turn: Turn, what: str, name: str, seen: Seen) -> None:
    if what in {"tool", "failing tool"}:
        async with turn.tool_call(name) as step:
            seen.ran.append(name)
            await asyncio.sleep(0)
            if what == "failing tool":
                raise OwnError
            step.result(name)
    elif what == "model":
        async with turn.model_call(request={"model": name, "messages": []}) as call:
            seen.ran.append(name)
            call.result({"said": name})
    elif what == "progress":
        turn.progress(name)
    elif what == "memory":
        turn.memory_write(name, name)
    elif what == "commit":
        turn.commit(name)
    elif what == "abort":
        turn.abort(name)
    else:
        raise OwnError


async def noting(step: Coroutine[object, object, None], seen: Seen) -> None:
    try:
        await step
    except OutcomeUnrecorded as error:
        seen.unrecorded.append(error.result)


async def run(house: House, acts: list[tuple[str, bool]], seen: Seen) -> None:
    async with house.agent.conversation("c").turn() as turn:
        beside: list[asyncio.Task[None]] = []
        try:
            for number, (what, is_parallel) in enumerate(acts):
                step = noting(act(turn, what, f"step-{number}", seen), seen)
                if is_parallel:
                    beside.append(asyncio.create_task(step))
                else:
                    with suppress(CaptureRefused):  # a framework whose loop goes on
                        await step
        finally:
            await asyncio.gather(*beside, return_exceptions=True)


@settings(max_examples=60)
@given(
    acts=st.lists(st.tuples(st.sampled_from(ACTS), st.booleans()), max_size=8),
    faults=st.sets(st.integers(3, 25), max_size=3),
)
def test_what_ran_is_on_record_or_was_said_not_to_be(acts: list[tuple[str, bool]], faults: set[int]) -> None:
    seen = Seen()
    with opened() as house:
        house.agent.conversation("c").inbound("first")
        house.sink.fault = failing_at(faults)
        with suppress(OwnError, CaptureRefused):
            asyncio.run(run(house, acts, seen))
        house.heal()
        (convo,) = house.reading.conversations()
        events = [entry for row in house.reading.turns() for entry in house.entries(row.id)]
        late = [entry for entry in house.entries(convo.id) if entry.row.type == "LATE"]
        intents = {entry.row.seq: entry for entry in events if entry.row.type in {"MODEL_CALL", "TOOL_CALL"}}
        named = {entry.tokens.get("tool") or entry.tokens["model"]: seq for seq, entry in intents.items()}
        outcomes = {entry.number("call") for entry in events if entry.row.type.endswith("_RESULT")}
        outcomes |= {entry.number("call") for entry in late}
        for name in seen.ran:
            assert name in named, "it ran and is not on record"
            assert named[name] in outcomes or seen.unrecorded, "its outcome was lost in silence"
        assert {finding.verdict for finding in verify_ledger(house.reading.reader)} <= {Verdict.INTACT}
        ends = [row for row in house.reading.turns() if row.status in FINAL_STATUSES]
        assert len(ends) == len(house.reading.turns()) or faults
