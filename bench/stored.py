"""A ledger with very many turns on record, made quickly: whole conversations as one batch each."""

from __future__ import annotations

import os
import random
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import UUID

from bench.harness import folder
from turnledger.capture.composer import compose
from turnledger.capture.content import Content, snapshot
from turnledger.engine.access import agent_ids
from turnledger.engine.location import connect
from turnledger.ids import new_id
from turnledger.model.draft import AliasKind, Batch, BatchResult, Claim, Closing, Draft, Journal, Lease
from turnledger.model.events import (
    Abort,
    Commit,
    Event,
    Intake,
    Message,
    ModelCall,
    ModelResult,
    Opened,
    TurnOpened,
)
from turnledger.model.vocabulary import Assurance, Direction, Form, JournalKind, ModelStatus, TurnStatus
from turnledger.store.ledger_store import Store

__all__ = ["BUSY", "TURNS", "Names", "fill", "stored"]

TURNS: Final = 100_000
BUSY: Final = "busy"
"""The agent with seven tenths of all conversations."""
CACHE: Final = "TURNLEDGER_BENCH_CACHE"
"""Environment variable: a folder in which such ledgers stay from one run to the next."""

_PER_CONVERSATION: Final = 10
_AGENTS: Final = (BUSY,) * 7 + ("second", "third", "fourth")
_CONNECTORS: Final = ("slack", "email", "web")
_SHAPES: Final = ("thread", "dm", "channel", "session")
_ACTORS, _PLACES = 300, 40
_FAILED_OF: Final = 200
_UNDER_WAY: Final = 64


@dataclass
class Names:
    """Ids of the agents, and of the actors and places that each agent knows."""

    agents: dict[str, UUID]
    actors: dict[UUID, list[UUID]] = field(default_factory=dict)
    places: dict[UUID, list[UUID]] = field(default_factory=dict)


@contextmanager
def stored(turns: int = TURNS) -> Generator[Path]:
    """A SQLite ledger with that many turns; from the cache where there is one."""
    cache = os.environ.get(CACHE)
    if cache is None:
        with folder() as place:
            yield _made(place / "stored.ledger", turns)
        return
    ledger = Path(cache) / f"stored-{turns}.ledger"
    if not ledger.exists():
        making = ledger.with_suffix(".making")
        making.unlink(missing_ok=True)
        _made(making, turns).rename(ledger)
    yield ledger


def _made(ledger: Path, turns: int) -> Path:
    store = connect(str(ledger)).open()
    fill(store, turns)
    store.close()
    return ledger


def fill(store: Store, turns: int) -> Names:
    """Append conversations of ten turns each."""
    rng = random.Random(1)
    names = _named(store)
    under_way: deque[Future[BatchResult]] = deque()
    for number in range(turns // _PER_CONVERSATION):
        agent = names.agents[_AGENTS[number % len(_AGENTS)]]
        under_way.append(store.append(_Told(rng, names, agent).batch(f"stored:{number}")))
        while len(under_way) > _UNDER_WAY:
            under_way.popleft().result()
    for one in under_way:
        one.result()
    return names


def _named(store: Store) -> Names:
    names = Names({name: next(iter(agent_ids(store, [name], make=True))) for name in set(_AGENTS)})
    for agent in names.agents.values():
        names.actors[agent] = [_claimed(store, AliasKind.ACTOR, agent, f"U{n}") for n in range(_ACTORS)]
        names.places[agent] = [_claimed(store, AliasKind.PLACE, agent, f"C{n}") for n in range(_PLACES)]
    return names


def _claimed(store: Store, kind: AliasKind, agent: UUID, name: str) -> UUID:
    target = new_id()
    return store.append(Batch(claim=Claim(kind, agent, name, target))).result().target or target


class _Told:
    """One conversation as one batch; both kinds of journal are new, so that places are known."""

    def __init__(self, rng: random.Random, names: Names, agent: UUID) -> None:
        self._rng = rng
        self._names = names
        self._agent = agent
        self._id = new_id()
        self._lease = Lease(new_id(), 1, 60_000)
        self._drafts: list[Draft] = []
        self._said = 0

    def batch(self, key: str) -> Batch:
        facts = {
            "connector": self._rng.choice(_CONNECTORS),
            "shape": self._rng.choice(_SHAPES),
            "place": str(self._rng.choice(self._names.places[self._agent])),
        }
        self._say(Opened(), None, facts)
        actor = self._rng.choice(self._names.actors[self._agent])
        for _ in range(_PER_CONVERSATION):
            self._turn(actor)
        return Batch(tuple(self._drafts), Claim(AliasKind.CONVERSATION, self._agent, key, self._id))

    def _turn(self, actor: UUID) -> None:
        question = f"Where is order {self._rng.randint(10**6, 10**7)}?"
        trigger = self._message(Direction.INBOUND, question, actor=actor)
        turn = new_id()
        self._say(TurnOpened(turn=turn, trigger=trigger))
        answer = f"It left on day {self._rng.randint(1, 28)} and is with the carrier."
        if self._rng.randrange(_FAILED_OF) == 0:
            failed = TurnStatus.FAILED
            ended = Abort(status=failed, reason="error")
            self._steps(turn, question, answer, ended, Closing(failed, "TimeoutError", 900))
            return
        done = Commit(status=TurnStatus.COMPLETED, chars=len(answer))
        self._steps(turn, question, answer, done, Closing(TurnStatus.COMPLETED, None, 700))
        self._message(Direction.OUTBOUND, answer, turn=turn, reply_to=trigger)

    def _steps(self, turn: UUID, question: str, answer: str, end: Event, closing: Closing) -> None:
        request, response = snapshot({"q": question}), snapshot({"a": answer})
        used = ModelResult(call=1, status=ModelStatus.OK, model="small-2", in_=40, out=12, ms=650)
        events: list[tuple[Event, Content | None, Closing | None]] = [
            (Intake(message_chars=len(question)), snapshot(question), None),
            (ModelCall(model="small-2", bytes=len(request.data), form=Form.ENCODED), request, None),
            (used, response, None),
            (end, snapshot(answer), closing),
        ]
        journal = Journal(JournalKind.TURN, turn)
        for place, (event, content, closed) in enumerate(events):
            composed = compose(event, content, assurance=Assurance.IMPORTED, closing=closed)
            self._drafts.append(
                composed.draft(journal, self._agent, self._id, place=place, lease=self._lease)
            )
        self._said += 1  # TURN_CLOSED is the ledger's own

    def _message(
        self,
        direction: Direction,
        text: str,
        *,
        actor: UUID | None = None,
        turn: UUID | None = None,
        reply_to: int | None = None,
    ) -> int:
        event = Message(direction=direction, chars=len(text), actor=actor, turn=turn, reply_to=reply_to)
        return self._say(event, snapshot(text), {})

    def _say(self, event: Event, content: Content | None = None, facts: dict[str, str] | None = None) -> int:
        composed = compose(event, content, facts=facts, assurance=Assurance.IMPORTED)
        journal = Journal(JournalKind.CONVERSATION, self._id)
        self._drafts.append(composed.draft(journal, self._agent, self._id, place=self._said))
        self._said += 1
        return self._said - 1
