"""What is written comes back: any bytes, edits and ranges, whatever the limits, rollbacks and prunes."""

from __future__ import annotations

import json
from itertools import accumulate, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.memory_parts import Bodies
from turnledger.wire.alignment import Run, align
from turnledger.wire.recipe import escape, unescape
from turnledger.wire.segments import PIECE_BYTES, SHARED_BYTES, pieces, strings

AWKWARD = [
    "\\",
    '"',
    "\n",
    "\x00",
    "é",
    "😀",
    "\\u00e9",
    '\\"',
    "\\ud83d",
    "a",
    " ",
    "{",
    "}",
    '","',
    "0123456789" * 9,
]
FRAGMENTS = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from(AWKWARD), max_size=12).map(lambda parts: "".join(parts).encode()),
    st.builds(
        lambda text, times: (text * times).encode(), st.text(min_size=1, max_size=8), st.integers(1, 300)
    ),
)
MESSAGES = st.lists(st.builds(lambda fragment: fragment.decode("utf-8", "replace"), FRAGMENTS), max_size=6)
JSON_BODIES = st.builds(
    lambda texts, ascii_only: json.dumps({"messages": texts, "model": "m"}, ensure_ascii=ascii_only).encode(),
    MESSAGES,
    st.booleans(),
)
BODIES = st.one_of(FRAGMENTS, JSON_BODIES, st.builds(lambda body, end: body + end, JSON_BODIES, FRAGMENTS))
PLACES = st.integers(0, 10**9)


class BodiesInTransactions(RuleBasedStateMachine):
    """Bodies that descend from each other, in lanes of two agents, in transactions that may fail."""

    @initialize(known=st.sampled_from([1, 3, 1000]), lane=st.sampled_from([0, 3_000, 10_000, 1_000_000]))
    def open(self, known: int, lane: int) -> None:
        self.bodies = Bodies(known_parts=known, lane_bytes=lane)
        self.last = b'{"messages":[]}'
        self.committed: list[tuple[int, bytes, bytes]] = []
        self.pending: list[tuple[int, bytes, bytes]] = []
        self._begin()

    def _begin(self) -> None:
        self.bodies.parts.begin()
        self.bodies.writer.begin()
        self.pending = []

    def _write(self, agent: int, lane: str | None, data: bytes) -> None:
        planned = self.bodies.writer.plan(agent, lane, data)
        assert planned.size == len(data)
        assert self.bodies.read(planned.recipe) == data
        self.pending.append((agent, planned.recipe, data))
        self.last = data

    @rule(agent=st.integers(1, 2), lane=st.sampled_from([None, "a", "b"]), data=BODIES)
    def write_another(self, agent: int, lane: str | None, data: bytes) -> None:
        self._write(agent, lane, data)

    @rule(lane=st.sampled_from(["a", "b"]), fragment=FRAGMENTS, start=PLACES, cut=st.integers(0, 3_000))
    def write_an_edited_one(self, lane: str, fragment: bytes, start: int, cut: int) -> None:
        at = start % (len(self.last) + 1)
        self._write(1, lane, self.last[:at] + fragment + self.last[at + cut :])

    @rule(lane=st.sampled_from(["a", "b"]), texts=MESSAGES)
    def write_a_longer_history(self, lane: str, texts: list[str]) -> None:
        more = json.dumps(texts, ensure_ascii=False).encode()
        head, tail = self.last[:-20], self.last[-20:]
        self._write(1, lane, head + more + tail)

    @rule(lane=st.sampled_from([None, "a"]))
    def write_it_as_a_string(self, lane: str | None) -> None:
        self._write(
            1, lane, json.dumps(self.last[:5_000].decode("utf-8", "replace"), ensure_ascii=False).encode()
        )

    @rule()
    def commit(self) -> None:
        self.bodies.writer.commit()
        self.committed += self.pending
        self._begin()

    @rule()
    def roll_back(self) -> None:
        self.bodies.writer.rollback()
        self.bodies.parts.rollback()
        self._begin()

    @rule(chosen=st.sets(st.integers(0, 20)))
    def prune_by_another_process(self, chosen: set[int]) -> None:
        self.roll_back()
        self.committed = [body for number, body in enumerate(self.committed) if number in chosen]
        needed = self.bodies.reader.parts_of(recipe for _, recipe, _ in self.committed)
        rows = self.bodies.parts.rows
        self.bodies.parts.rows = {part: rows[part] for part in needed}
        self._begin()
        self.bodies.writer.forget()

    @rule(which=PLACES, start=PLACES, length=st.integers(0, 500))
    def read_a_range(self, which: int, start: int, length: int) -> None:
        if self.committed:
            _, recipe, data = self.committed[which % len(self.committed)]
            first = start % (len(data) + 1)
            assert self.bodies.read(recipe, first, first + length) == data[first : first + length]

    @invariant()
    def all_that_was_committed_comes_back(self) -> None:
        for agent, recipe, data in getattr(self, "committed", []):
            assert self.bodies.read(recipe) == data
            parts = self.bodies.reader.parts_of([recipe])
            assert all(self.bodies.parts.rows[part].agent == agent for part in parts)
            assert all(self.bodies.parts.rows[part].size <= PIECE_BYTES for part in parts)


BodiesInTransactions.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
TestBodiesInTransactions = BodiesInTransactions.TestCase


@given(st.lists(FRAGMENTS.filter(len), max_size=12), st.lists(FRAGMENTS, max_size=4), PLACES, PLACES)
def test_aligned_steps_are_the_new_body(
    old: list[bytes], fragments: list[bytes], start: int, stop: int
) -> None:
    whole = b"".join(old)
    first, last = sorted((start % (len(whole) + 1), stop % (len(whole) + 1)))
    new = whole[:first] + b"".join(fragments) + whole[last:]
    rebuilt = b""
    for step in align(whole, list(accumulate(map(len, old))), new):
        if isinstance(step, Run):
            assert step.at == len(rebuilt)
            rebuilt += b"".join(old[step.first : step.last])
        else:
            assert step.cuts[0] == len(rebuilt)
            assert all(left <= right for left, right in pairwise(step.cuts))
            rebuilt += new[step.cuts[0] : step.cuts[-1]]
    assert rebuilt == new


@given(BODIES, PLACES, PLACES, st.booleans())
def test_strings_are_long_and_in_order(data: bytes, start: int, stop: int, inside: bool) -> None:  # noqa: FBT001
    first, last = sorted((start % (len(data) + 1), stop % (len(data) + 1)))
    position = first
    for begin, end in strings(data, first, last, inside=inside):
        assert position <= begin <= end - SHARED_BYTES
        position = end
    assert position <= last


@given(st.text())
def test_escaped_text_comes_back(text: str) -> None:
    assert unescape(escape(text.encode())) == text.encode()
    assert json.loads(b'"' + escape(text.encode()) + b'"') == text


@given(st.one_of(st.binary(), FRAGMENTS))
def test_what_is_unescaped_is_escaped_to_the_same_bytes(inside: bytes) -> None:
    text = unescape(inside)
    assert text is None or escape(text) == inside


@given(FRAGMENTS.filter(len), st.integers(0, 200_000))
def test_pieces_are_the_whole(fragment: bytes, length: int) -> None:
    data = (fragment * (length // len(fragment) + 1))[:length]
    cut = list(pieces(data))
    assert b"".join(cut) == data
    assert all(len(piece) <= PIECE_BYTES for piece in cut)
