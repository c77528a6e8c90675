"""One reader of the live feed: its place, and a bounded line of what waits for it."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from turnledger.engine.access import Caller
from turnledger.model.rows import EventRow
from turnledger.query.live_cursor import flow_cursor, ledger_cursor
from turnledger.server.stream_form import Frame, ResyncReason, resync_frame

__all__ = ["Subscription", "Topic"]

WAITING: Final = 1000
"""Events that may wait for a subscriber to read them."""


@dataclass(frozen=True, slots=True)
class Topic:
    """What to hear of: one conversation, or these agents (None: all)."""

    conversation: UUID | None = None
    agents: frozenset[UUID] | None = None

    def holds(self, row: EventRow) -> bool:
        """Whether an event belongs to it."""
        if self.conversation is not None:
            return row.conversation == self.conversation
        return self.agents is None or row.agent in self.agents


class Subscription:
    """Guarded by the feed's lock, but for ``news``, which belongs to the event loop.

    A conversation's events are taken in by position, without a gap: where one comes early, ``must_look`` asks
    for those before it to be read.  Other topics go by the ledger's cursor, in which nothing comes late.
    """

    def __init__(self, topic: Topic, caller: Caller) -> None:
        self.topic = topic
        self.caller = caller
        self.news = asyncio.Event()
        self.ended = False
        self.place = -1
        """Position or cursor behind which it hears of everything."""
        self.must_look = False
        self._beyond = -1
        self._begun = False
        self._early: list[Frame] = []
        self._line: deque[bytes] = deque()

    @property
    def by_position(self) -> bool:
        """Whether places are positions in one conversation."""
        return self.topic.conversation is not None

    def begin(self, place: int, frames: Iterable[Frame], resync: ResyncReason | None) -> None:
        """Go on behind ``place``, after these frames of the past, or after being told to ask anew."""
        self.place = place
        if resync is not None:
            self._line.append(resync_frame(resync, self._cursor()))
        self._line.extend(frame.bytes(by_position=self.by_position) for frame in frames)
        self._begun = True
        early, self._early = self._early, []
        for frame in early:
            self.offer(frame)

    def offer(self, frame: Frame) -> None:
        """Take an event of its topic in, unless it was taken in before."""
        if not self._begun:
            self._early.append(frame)
        elif not self.by_position:
            if frame.row.cursor > self.place:
                self.place = frame.row.cursor
                self._push(frame)
        elif frame.row.position is not None and frame.row.position > self.place:
            if self.must_look or frame.row.position > self.place + 1:
                self.must_look = True
                self._beyond = max(self._beyond, frame.row.position)
            else:
                self.place = frame.row.position
                self._push(frame)

    def looked(self, frames: Iterable[Frame]) -> None:
        """What was found behind ``place`` when it was looked for."""
        self.must_look = False
        for frame in frames:
            self.offer(frame)
        self.must_look = self._beyond > self.place  # more came while it was looked

    def _push(self, frame: Frame) -> None:
        if len(self._line) >= WAITING:
            self._line.clear()
            self._line.append(resync_frame("slow_reader", self._cursor()))
        else:
            self._line.append(frame.bytes(by_position=self.by_position))

    def _cursor(self) -> str:
        return flow_cursor(self.place) if self.by_position else ledger_cursor(self.place)

    def take(self) -> bytes:
        """Everything that waits, to be sent."""
        waiting = b"".join(self._line)
        self._line.clear()
        return waiting
