"""``show`` for people: a header, then the timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from turnledger.cli.bodies_view import show_bodies
from turnledger.cli.cost_words import note_why_none
from turnledger.cli.damage_note import conversation_of
from turnledger.cli.event_lines import EventLines
from turnledger.cli.headers import conversation_header, silence_words, turn_header
from turnledger.cli.line import BAD, QUIET, QUOTE, quoted, size, status_style
from turnledger.cli.moments import Zone
from turnledger.cli.names import Names, short
from turnledger.cli.screen import Screen
from turnledger.cli.story import Doubts, Story
from turnledger.cli.timeline_view import TimelineView, room_of
from turnledger.errors import NotFoundError
from turnledger.model.rows import DamagedRow
from turnledger.providers.decode import decode_reply
from turnledger.query.findings import Finding
from turnledger.query.flow import first_position, flow
from turnledger.query.previews import Glance, GlanceState
from turnledger.query.silence import silent_since
from turnledger.query.timeline import Entry
from turnledger.query.turn_report import Doubt, TurnReport, trigger_message, turn_report
from turnledger.query.verify import verify_conversation, verify_journal
from turnledger.store.arrivals import arrived_replies
from turnledger.store.contract import Reader
from turnledger.store.costs import CostReader

__all__ = ["ShowText"]

_ARRIVED_CHARS = 400


class ShowText:
    """Prints turns and conversations of one ledger."""

    def __init__(self, reader: Reader, zone: Zone, *, bodies: bool) -> None:
        self._reader = reader
        self._zone = zone
        self._bodies = bodies
        self._screen = Screen()
        self._costs = CostReader(lambda: reader)

    def turn(self, turn: UUID) -> None:
        """Print one turn."""
        report = turn_report(self._reader, turn)
        conversation = conversation_of(self._reader, report.turn)
        finding = Finding.of_journal(verify_journal(self._reader, turn))
        trigger = trigger_message(self._reader, report.turn)
        cost = self._costs.of_turns([turn]).get(turn)
        turn_header(self._screen, self._zone, report, conversation, trigger, finding, cost)
        self._timeline(report.entries, _doubts(report), with_brackets=False)
        self._arrived(turn)
        if report.turn.model_calls:
            note_why_none([cost])

    def conversation(self, conversation: UUID, last: int | None) -> list[DamagedRow]:
        """Print one conversation, or its ``last`` events; gives those that are left out as damaged."""
        row = self._reader.conversation(conversation)
        if row is None:
            msg = f"The ledger's lists lack conversation {conversation}, though its journal is there."
            raise NotFoundError(msg, next_step="Run `turnledger doctor --rebuild`.")
        findings = verify_conversation(self._reader, conversation, bodies=False)
        cost = self._costs.of_conversations([conversation]).get(conversation)
        conversation_header(
            self._screen, self._zone, row, [Finding.of_journal(found) for found in findings], cost
        )
        after = first_position(row, last) - 1
        if after >= 0:
            self._screen.line()
            self._screen.line((f"{after + 1:,} earlier events are not shown (--last {last})", QUIET))
        doubts: dict[tuple[UUID, int], Doubt] = {}
        left_out: list[DamagedRow] = []
        entries = flow(self._reader, conversation, left_out, after)
        self._timeline(self._noting_doubts(entries, doubts), doubts, with_brackets=True)
        self._arrived(conversation)
        if row.tokens_in is not None or row.tokens_out is not None:
            note_why_none([cost])
        return left_out

    def _noting_doubts(
        self, entries: Iterable[Entry], doubts: dict[tuple[UUID, int], Doubt]
    ) -> Iterator[Entry]:
        """The entries; of a turn that left steps open its doubts are known before its first event is told."""
        seen: set[UUID] = set()
        for entry in entries:
            if entry.turn is not None and entry.turn not in seen:
                seen.add(entry.turn)
                row = self._reader.turn(entry.turn)
                if row is not None and row.open_steps:
                    doubts.update(_doubts(turn_report(self._reader, entry.turn)))
            yield entry

    def _timeline(self, entries: Iterable[Entry], doubts: Doubts, *, with_brackets: bool) -> None:
        self._screen.line()
        room = room_of(self._screen)
        lines = EventLines(self._reader, Names(self._reader), room)
        view = TimelineView(self._screen, self._zone, with_brackets=with_brackets)
        for line in Story(self._reader, lines, room, doubts).tell(entries):
            view.show_line(line)
            if self._bodies and not line.derived:
                for entry in line.entries:
                    show_bodies(self._screen, self._reader, entry)
        for turn in view.still_open():
            self._still_open(turn)
        view.legend()

    def _still_open(self, turn: UUID) -> None:
        row = self._reader.turn(turn)
        if row is None:
            return
        since = silent_since(self._reader).get(turn)
        words = (f"turn {short(turn)} is still {row.status}", status_style(row.status))
        self._screen.line(words, (silence_words(since, self._zone.stamp), BAD))
        self._arrived(turn)

    def _arrived(self, journal: UUID) -> None:
        """What a user may have seen of replies that are still on their way, or whose recorder was killed."""
        for seq, data in arrived_replies(self._reader, journal).items():
            said = decode_reply(data).text or data.decode(errors="replace")
            arrived = Glance(GlanceState.TEXT, said, len(data))
            head = f"{size(len(data))} of the reply to #{seq} had arrived: "
            self._screen.line((head, ""), (quoted(arrived, _ARRIVED_CHARS), QUOTE))


def _doubts(report: TurnReport) -> Doubts:
    journal = report.turn.id
    return {(journal, step.intent.row.seq): step.doubt for step in report.steps if step.doubt is not None}
