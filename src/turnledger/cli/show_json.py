"""``show --json``: everything about a turn or a conversation as one JSON document, written as it is read."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from uuid import UUID

from turnledger.cli.damage_note import conversation_of
from turnledger.model.rows import DamagedRow
from turnledger.query.cost_json import call_cost_object, cost_object
from turnledger.query.findings import Finding
from turnledger.query.flow import first_position, flow
from turnledger.query.prev_hashes import PrevHashes
from turnledger.query.row_json import event_object, row_object
from turnledger.query.timeline import Entry
from turnledger.query.turn_report import trigger_message, turn_report
from turnledger.query.verify import verify_conversation, verify_journal
from turnledger.store.contract import Reader
from turnledger.store.costs import CostReader
from turnledger.wire.file_json import file_json

__all__ = ["conversation_json", "turn_json"]


def turn_json(reader: Reader, turn: UUID, *, bodies: bool) -> None:
    """Write one turn: row, conversation, trigger, chain, steps, tools that nobody ran, events."""
    report = turn_report(reader, turn)
    conversation = conversation_of(reader, report.turn)
    trigger = trigger_message(reader, report.turn)
    costs = CostReader(lambda: reader)
    by_call = costs.of_journal(turn)
    head: dict[str, object] = {
        "kind": "turn",
        "turn": row_object(report.turn),
        "cost": cost_object(costs.of_turns([turn]).get(turn)),
        "conversation": None if conversation is None else row_object(conversation),
        "trigger": None if trigger is None else row_object(trigger),
        "chain": Finding.of_journal(verify_journal(reader, turn)).as_json(),
        "steps": [
            {
                "intentSeq": step.intent.row.seq,
                "outcomeSeq": None if step.outcome is None else step.outcome.row.seq,
                "doubt": None if step.doubt is None else step.doubt.value,
                "cost": None
                if step.outcome is None
                else call_cost_object(by_call.get(step.outcome.row.seq, [])),
            }
            for step in report.steps
        ],
        "unrun": [row_object(tool) for tool in report.unrun],
    }
    _write(reader, head, report.entries, bodies=bodies)


def conversation_json(
    reader: Reader, conversation: UUID, last: int | None, *, bodies: bool
) -> list[DamagedRow]:
    """Write one conversation: row, chain of each of its journals, events of all of them in order.

    Gives the events that are left out because they are damaged.
    """
    row = reader.conversation(conversation)
    findings = verify_conversation(reader, conversation, bodies=False)
    after = first_position(row, last) - 1
    head: dict[str, object] = {
        "kind": "conversation",
        "conversation": None if row is None else row_object(row),
        "cost": cost_object(CostReader(lambda: reader).of_conversations([conversation]).get(conversation)),
        "chain": [Finding.of_journal(found).as_json() for found in findings],
        "earlierEvents": after + 1,
    }
    left_out: list[DamagedRow] = []
    _write(reader, head, flow(reader, conversation, left_out, after), bodies=bodies)
    return left_out


def _write(reader: Reader, head: Mapping[str, object], entries: Iterable[Entry], *, bodies: bool) -> None:
    out = sys.stdout.buffer
    out.write(file_json(head, indent=2).removesuffix(b"\n}") + b',\n  "events": [')
    before = PrevHashes(reader)
    mark = b"\n    "
    for entry in entries:
        shown = event_object(reader, entry, prev_hash=before.of(entry.row), bodies=bodies)
        out.write(mark + file_json(shown))
        mark = b",\n    "
    out.write(b"\n  ]\n}\n")
    out.flush()
