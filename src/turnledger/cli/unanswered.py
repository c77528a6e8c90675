"""``turnledger list --unanswered``: messages that got no reply, and what is on record of why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.cli.line import BAD, QUIET, WARN, counted
from turnledger.cli.moments import Zone, time_column
from turnledger.cli.names import short
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen, note
from turnledger.model.figures import UnansweredRow
from turnledger.model.rows import DamagedRow
from turnledger.model.vocabulary import InboundVerdict, TurnStatus
from turnledger.query.left_out import left_out
from turnledger.query.row_json import row_object
from turnledger.store.contract import Page, Reader
from turnledger.store.figures import FiguresReader

__all__ = ["UnansweredPage", "unanswered_page"]

_SILENCE: Final = frozenset({InboundVerdict.OBSERVE, InboundVerdict.IGNORE, InboundVerdict.DEFER})
_NEXT: Final = (
    "`turnledger show ID` with the id of the turn, else of the conversation, tells the whole story."
)


@dataclass(frozen=True, slots=True)
class UnansweredPage:
    """A page of such messages, latest first; ``key`` is where the next one begins."""

    rows: Sequence[UnansweredRow]
    names: Mapping[UUID, str]
    damaged: Sequence[DamagedRow]
    key: tuple[int, ...] | None

    def as_json(self) -> dict[str, object]:
        """The page in the form of the API's lists."""
        return {
            "messages": [self._object(row) for row in self.rows],
            "damaged": None if (found := left_out(self.damaged)) is None else row_object(found),
            "hasMore": self.key is not None,
            "next": None if self.key is None else ".".join(map(str, self.key)),
        }

    def _object(self, row: UnansweredRow) -> dict[str, object]:
        plain = row_object(row)
        del plain["key"]
        return {
            **plain,
            "conversationKey": self.names.get(row.conversation),
            "actorName": None if row.actor is None else self.names.get(row.actor),
            "owed": _is_owed(row),
            "why": why(row),
        }

    def show(self, zone: Zone) -> None:
        """Print a table, under it what to look at next."""
        if not self.rows:
            note("No message to list: every one was answered, or a turn is at work on it.")
            return
        screen = Screen()
        offset, time = time_column(zone, [row.created_ms for row in self.rows], narrow=screen.narrow)
        cells = [
            (
                (time(row.created_ms), QUIET),
                (one_line(row.agent_name, 24), ""),
                (one_line(self.names.get(row.conversation, short(row.conversation)), 60), ""),
                ("" if row.actor is None else one_line(self.names.get(row.actor, short(row.actor)), 30), ""),
                (one_line(why(row), 90), _style(row)),
                (str(row.turn or row.conversation), QUIET),
            )
            for row in self.rows
        ]
        head = [f"received{offset}", "agent", "conversation", "from", "why no answer", "ID"]
        screen.table(head, cells, give=2)
        owed = sum(map(_is_owed, self.rows))
        more = (
            "all there are"
            if self.key is None
            else f"and there are more: --after {'.'.join(map(str, self.key))}"
        )
        many = counted(len(self.rows), "message")
        note(f"{many} without an answer, {owed} of them owed one; {more}. {_NEXT}")


def unanswered_page(
    reader: Reader,
    agent: UUID | None,
    conversation: UUID | None,
    span: tuple[int | None, int | None],
    page: Page,
) -> UnansweredPage:
    """Messages of an agent or a conversation (None: all) in a stretch of time; ``page`` has one more."""
    since, until = span
    ends = [key for key in (page.after, None if until is None else (until, -1, -1)) if key is not None]
    rows = FiguresReader(lambda: reader).unanswered(
        agent, conversation, 0 if since is None else since, min(ends, default=None), page.limit
    )
    shown = rows[: page.limit - 1]
    names = reader.names([one for row in shown for one in (row.conversation, row.actor) if one is not None])
    return UnansweredPage(shown, names, rows.damaged, shown[-1].key if len(rows) > len(shown) else None)


def why(row: UnansweredRow) -> str:
    """What is on record of why there is no answer, in a few words."""
    if row.shed is not None:
        return f"shed before a turn began: {row.shed}"
    if row.turn_status is TurnStatus.SUPERSEDED:
        return "its turn was superseded by a later one"
    if row.turn_status is not None:
        return f"its turn ended {row.turn_status}" + (f": {row.error_class}" if row.error_class else "")
    if row.turn is not None:
        return "its turn is not on record"
    if row.verdict in _SILENCE:
        return f"the agent decided to {row.verdict} it"
    return "no decision on record" if row.verdict is None else "the agent engaged, and no turn began"


def _is_owed(row: UnansweredRow) -> bool:
    """As ``ConversationFilter.owes_reply`` has it: silence by decision, or a newer turn, owes nothing."""
    if row.shed is not None:
        return True
    return row.turn_status is not TurnStatus.SUPERSEDED and row.verdict not in _SILENCE


def _style(row: UnansweredRow) -> str:
    if not _is_owed(row):
        return QUIET
    return WARN if row.turn is None and row.shed is None else BAD
