"""Durable events a second in one process: by many threads at once, and by one that waits for each."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import turnledger
from bench.bare import commit_seconds
from bench.harness import Row, Table, folder, seconds
from turnledger.capture.conversation import Conversation

EVENTS = 6000
THREADS = 16
TEXT = "What is the state of order {number}? It was due on Monday, and nobody has called me back since. " * 3


def run() -> Table:
    """Messages of 290 characters, all different, through the public recorder; SQLite, synchronous=FULL."""
    with folder() as place:
        before = commit_seconds(place / "before.db")
        with turnledger.open(place / "events.ledger") as opened:
            agent = opened.agent("bench")
            talks = [agent.conversation(f"bench:{number}") for number in range(THREADS)]
            for talk in talks:
                talk.inbound("Hello.")
            alone = EVENTS / 10 / seconds(lambda: say(talks[0], EVENTS // 10))
            together = EVENTS / seconds(lambda: _all(talks))
        commit = (before + commit_seconds(place / "after.db")) / 2
    rows = [
        Row(f"events by {THREADS} threads", together, "/s", 2500, more=True, floor=THREADS / commit,
            floor_is=f"one bare commit for {THREADS} events"),
        Row("events by one thread, each awaited", alone, "/s", floor=1 / commit, more=True,
            floor_is="one bare commit an event"),
    ]  # fmt: skip
    return Table("Durable events", f"{EVENTS} messages of {len(TEXT)} characters, no two alike.", rows)


def _all(talks: Sequence[Conversation]) -> None:
    with ThreadPoolExecutor(len(talks)) as pool:
        for done in [pool.submit(say, talk, EVENTS // len(talks)) for talk in talks]:
            done.result()


def say(talk: Conversation, number: int) -> None:
    """Record that many messages, one after the other."""
    for place in range(number):
        talk.inbound(TEXT.format(number=place))
