"""A model call through the real openai client, recorded and not, in turns in one process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import openai

import turnledger
from bench.bare import Bare, BareSqlite
from bench.harness import Row, Table, folder, p50, seconds
from bench.served import providing, serving

if TYPE_CHECKING:
    from turnledger.capture.conversation import Conversation

Ask: TypeAlias = dict[str, Any]

WARM, ROUNDS, CALLS = 20, 20, 10
SHORT, LONG = 20, 220
"""Pieces of a stream: what one more piece costs is the slope between the two."""

_SYSTEM = "You are the support agent of a shop.  Answer in two sentences, and look orders up first. " * 20
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": f"{name} of the shop, by its number",
            "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
        },
    }
    for name in ("lookup_order", "refund_order", "find_parcel")
]
_HISTORY = [
    {"role": role, "content": f"{number}: where is order {number * 37}, and when will it arrive? " * 4}
    for number in range(5)
    for role in ("user", "assistant")
]


def run() -> Table:
    """Embedded SQLite, ``synchronous=FULL``, then the same through ``turnledger serve``."""
    with folder() as place, ExitStack() as stack:
        url = f"{stack.enter_context(providing())}/v1"
        served, _ = stack.enter_context(serving(place / "served.ledger"))
        bare = BareSqlite(place / "bare.db")
        stack.callback(bare.close)
        beside = stack.enter_context(turnledger.open(str(place / "beside.ledger")))
        remote = stack.enter_context(turnledger.open(served.url, token=served.token))
        rows = [
            *_rows("embedded", beside, url, 1.5, bare),
            *_rows("over HTTP", remote, url, 4, bare),
        ]
    note = (
        f"openai {openai.__version__}, a provider in another process that answers at once; what is added is "
        f"above the same client unrecorded, {ROUNDS * CALLS} calls of each, in turns by {CALLS}."
    )
    return Table("A model call through a recorded client", note, rows)


@dataclass
class Pair:
    """Seconds of calls without a recorder, with bare commits instead, and with one; also of processors."""

    plain: list[float] = field(default_factory=list[float])
    bare: list[float] = field(default_factory=list[float])
    ours: list[float] = field(default_factory=list[float])
    plain_cpu: float = 0.0
    our_cpu: float = 0.0

    @property
    def above_ms(self) -> float:
        """What recording adds to the median."""
        return (p50(self.ours) - p50(self.plain)) * 1000

    @property
    def floor_ms(self) -> float:
        """What the bare commits add to the median."""
        return (p50(self.bare) - p50(self.plain)) * 1000

    @property
    def cpu_ms(self) -> float:
        """What recording adds of a processor's time in this process, to one call."""
        return (self.our_cpu - self.plain_cpu) / len(self.ours) * 1000


def _rows(where: str, ledger: turnledger.Ledger, url: str, target: float, bare: Bare) -> list[Row]:
    conversation = ledger.agent("bench").conversation("adapters")
    sync, later = _Sync(url, bare), _Async(url, bare)
    with sync.closing(), later.closing():
        whole, short, long = (_pair(conversation, sync, model) for model in _MODELS)
        awaited, awaited_short, awaited_long = (_pair(conversation, later, model) for model in _MODELS)
    return [
        Row(f"{where}: the client alone, p50", p50(whole.plain) * 1000, "ms"),
        _call(f"{where}: recording adds, p50", whole, target),
        Row(f"{where}: of a processor's time in this process", whole.cpu_ms, "ms"),
        _call(f"{where}: asynchronous, recording adds, p50", awaited, target),
        _call(f"{where}: to a stream of {SHORT} pieces, p50", short),
        _piece(f"{where}: to each further piece of a stream", short, long),
        _piece(f"{where}: asynchronous, to each further piece", awaited_short, awaited_long),
    ]


_MODELS: Final = ("whole", f"stream-{SHORT}", f"stream-{LONG}")


def _call(what: str, pair: Pair, target: float | None = None) -> Row:
    floor_is = "a bare commit of 4 kB before the call, and one behind it"
    return Row(what, pair.above_ms, "ms", target, floor=pair.floor_ms, floor_is=floor_is)


def _piece(what: str, short: Pair, long: Pair) -> Row:
    further = LONG - SHORT
    ours = (long.above_ms - short.above_ms) * 1000 / further
    client = (p50(long.plain) - p50(short.plain)) * 1e6 / further
    return Row(what, ours, "µs", 50, floor=client, floor_is="what the client itself takes for it")


class Kind(Enum):
    """What is done about a call: nothing, two bare commits around it, or recording it."""

    PLAIN = "plain"
    BARE = "bare"
    RECORDED = "recorded"


class _Sync:
    """The client as it is, and recorded."""

    def __init__(self, url: str, bare: Bare) -> None:
        self._plain = openai.OpenAI(base_url=url, api_key="none", max_retries=0)
        self._ours = turnledger.record(openai.OpenAI(base_url=url, api_key="none", max_retries=0))
        self._bare = bare

    @contextmanager
    def closing(self) -> Generator[None]:
        with self._plain, self._ours:
            yield

    def time(self, asks: list[Ask], kind: Kind) -> list[float]:
        """Seconds of each call."""
        return [seconds(partial(self._call, ask, kind)) for ask in asks]

    def _call(self, ask: Ask, kind: Kind) -> None:
        client = self._ours if kind is Kind.RECORDED else self._plain
        if kind is Kind.BARE:
            self._bare.commit(_COMMITTED)
        answer = client.chat.completions.create(**ask)
        if ask["stream"]:
            for _ in answer:
                pass
        if kind is Kind.BARE:
            self._bare.commit(_COMMITTED)


class _Async:
    """The same of the asynchronous client, in an event loop of its own."""

    def __init__(self, url: str, bare: Bare) -> None:
        self._loop = asyncio.Runner()
        self._plain = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        self._ours = turnledger.record(openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0))
        self._bare = bare

    @contextmanager
    def closing(self) -> Generator[None]:
        with self._loop as loop:
            yield
            loop.run(self._plain.close())
            loop.run(self._ours.close())

    def time(self, asks: list[Ask], kind: Kind) -> list[float]:
        """Seconds of each call."""
        return self._loop.run(self._times(asks, kind), context=copy_context())

    async def _times(self, asks: list[Ask], kind: Kind) -> list[float]:
        times: list[float] = []
        for ask in asks:
            start = time.perf_counter()
            await self._call(ask, kind)
            times.append(time.perf_counter() - start)
        return times

    async def _call(self, ask: Ask, kind: Kind) -> None:
        client = self._ours if kind is Kind.RECORDED else self._plain
        if kind is Kind.BARE:
            self._bare.commit(_COMMITTED)
        answer = await client.chat.completions.create(**ask)
        if isinstance(answer, openai.AsyncStream):
            async for _ in answer:
                pass
        if kind is Kind.BARE:
            self._bare.commit(_COMMITTED)


_COMMITTED: Final = bytes(4000)


def _pair(conversation: Conversation, clients: _Sync | _Async, model: str) -> Pair:
    pair = Pair()
    with conversation.turn() as turn:
        for kind in Kind:
            clients.time(_asks(model, WARM), kind)
        for _ in range(ROUNDS):
            pair.plain_cpu += _spent(lambda: pair.plain.extend(clients.time(_asks(model, CALLS), Kind.PLAIN)))
            pair.bare += clients.time(_asks(model, CALLS), Kind.BARE)
            pair.our_cpu += _spent(lambda: pair.ours.extend(clients.time(_asks(model, CALLS), Kind.RECORDED)))
        turn.commit("done")
    return pair


def _spent(work: Callable[[], object]) -> float:
    """Seconds of processors that this process takes meanwhile."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _asks(model: str, count: int) -> list[Ask]:
    """Requests of some kilobytes; no two are the same."""
    return [
        {
            "model": model,
            "messages": [
                {"role": "system", "content": _SYSTEM},
                *_HISTORY,
                {"role": "user", "content": f"And now, at {time.perf_counter_ns()}, number {number}?"},
            ],
            "tools": _TOOLS,
            "stream": model != "whole",
        }
        for number in range(count)
    ]
