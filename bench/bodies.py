"""What bodies cost: bytes stored and writer's time for each turn of the common workload.

Run as ``python -m bench.bodies [--conversations N]``.  Beside the figures of parts and recipes stands a
baseline measured on the same bodies: each distinct message, response, argument text and observation
compressed alone, once, with nothing that says which of them make up a request.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bench.workload import ModelStep, Shape, ToolStep, conversations
from turnledger.store.body_reader import BodyReader
from turnledger.store.body_writer import BodyWriter
from turnledger.wire.compression import Packer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

ROW_BYTES = 43  # what SQLite adds to a part: row header, three small columns, entry in the key's index


class Body(NamedTuple):
    """One body on its way to the store."""

    lane: tuple[str, str] | None
    data: bytes


@dataclass(slots=True)
class MemoryParts:
    """Parts of one agent in memory."""

    stored: list[bytes] = field(default_factory=list)
    by_key: dict[int, list[int]] = field(default_factory=dict)

    def find_parts(self, aid: int, keys: Sequence[int]) -> Iterable[tuple[int, int, bytes]]:
        """See PartGateway."""
        del aid
        return [(key, part, self.stored[part]) for key in keys for part in self.by_key.get(key, ())]

    def add_part(self, aid: int, key: int, data: bytes, size: int) -> int:
        """See PartGateway."""
        del aid, size
        self.by_key.setdefault(key, []).append(len(self.stored))
        self.stored.append(data)
        return len(self.stored) - 1

    def fetch(self, parts: Collection[int]) -> dict[int, bytes]:
        """What BodyReader asks for."""
        return {part: self.stored[part] for part in parts}


@dataclass(slots=True)
class Totals:
    """Sums over the workload."""

    turns: int = 0
    raw: int = 0
    recipes: int = 0
    seconds: float = 0.0
    alone: int = 0
    alone_seconds: float = 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="What bodies cost in bytes and in the writer's time.")
    parser.add_argument("--conversations", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    parts = MemoryParts()
    totals = measure(Shape(conversations=arguments.conversations), arguments.seed, parts)
    stored = sum(map(len, parts.stored))
    count = len(parts.stored)
    print(f"{totals.turns} turns, {count / totals.turns:.1f} parts a turn{'':14}KB/turn  ms/turn")
    for name, size, seconds in (
        ("bodies as they are", totals.raw, None),
        ("distinct messages, each compressed alone", totals.alone, totals.alone_seconds),
        ("parts", stored, None),
        ("recipes", totals.recipes, None),
        ("parts and recipes", stored + totals.recipes, totals.seconds),
        ("parts and recipes, with rows and key index", stored + totals.recipes + count * ROW_BYTES, None),
    ):
        duration = "" if seconds is None else f"{seconds / totals.turns * 1e3:9.3f}"
        print(f"{name:44}{size / totals.turns / 1e3:8.2f}{duration}")


def measure(shape: Shape, seed: int, parts: MemoryParts) -> Totals:
    """Write the whole workload into ``parts``; every 50th body is read back and compared."""
    totals = Totals()
    writer, reader, packer = BodyWriter(parts), BodyReader(parts.fetch), Packer()
    seen: set[bytes] = set()
    for conversation in conversations(shape, seed=seed):
        for turn in conversation.turns:
            totals.turns += 1
            for number, (lane, data) in enumerate(bodies(conversation.key, turn.steps)):
                totals.raw += len(data)
                begun = time.thread_time()
                writer.begin()
                recipe = writer.plan(1, lane, data).recipe
                writer.commit()
                totals.seconds += time.thread_time() - begun
                totals.recipes += len(recipe)
                if (totals.turns + number) % 50 == 0 and b"".join(reader.read(recipe)) != data:
                    msg = f"A body of {conversation.key} came back changed."
                    raise SystemExit(msg)
            new = messages(turn.steps) - seen
            seen |= new
            begun = time.thread_time()
            totals.alone += sum(len(packer.pack(text)) for text in new)
            totals.alone_seconds += time.thread_time() - begun
    return totals


def bodies(key: str, steps: Iterable[ModelStep | ToolStep]) -> Iterator[Body]:
    """The bodies of a turn's events in the order of the events."""
    for step in steps:
        if isinstance(step, ModelStep):
            yield Body((key, "MODEL_CALL"), step.request_bytes)
            yield Body((key, "MODEL_RESULT"), step.response_bytes)
        else:
            yield Body(None, step.arguments.encode())
            yield Body(None, step.observation.encode())


def messages(steps: Iterable[ModelStep | ToolStep]) -> set[bytes]:
    """What the baseline compresses: the messages of all requests, and all other bodies."""
    found: set[bytes] = set()
    for step in steps:
        if isinstance(step, ModelStep):
            found.update(
                json.dumps(message, ensure_ascii=False).encode() for message in step.request["messages"]
            )
            found.add(step.response_bytes)
        else:
            found |= {step.arguments.encode(), step.observation.encode()}
    return found


if __name__ == "__main__":
    main()
