from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.memory_parts import Bodies, MemoryParts, Row
from turnledger.errors import LedgerCorruptError
from turnledger.store.body_writer import BodyWriter
from turnledger.store.part_cache import PartCache
from turnledger.wire.compression import Packer
from turnledger.wire.recipe import Kind, literal, reference
from turnledger.wire.segments import PIECE_BYTES

STEMS = ("order", "refund", "ticket", "ship", "invoice", "late")
WORDS = [f"{stem}{ending}" for stem in STEMS for ending in ("", "s", "ed")]
SYSTEM = " ".join(WORDS * 40)
TOOLS = [
    {
        "type": "function",
        "function": {"name": f"tool_{number}", "description": f"{number} " + "does things. " * 20},
    }
    for number in range(20)
]


def prose(rng: random.Random, chars: int) -> str:
    end = rng.choice(["", '\n"quoted"', "\ttab", " — “”", " \\ "])
    return " ".join(rng.choices(WORDS, k=chars // 6)) + end


def history(messages: int, chars: int) -> list[dict[str, str]]:
    rng = random.Random(messages)
    roles = ("user", "assistant")
    return [{"role": roles[number % 2], "content": prose(rng, chars)} for number in range(messages)]


def request(messages: list[dict[str, Any]], system: str = SYSTEM) -> bytes:
    whole = {"messages": [{"role": "system", "content": system}, *messages], "model": "m", "tools": TOOLS}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()


def growing(calls: int, chars: int) -> Iterator[bytes]:
    messages = history(2 * calls, chars)
    return (request(messages[: 2 * call + 1]) for call in range(calls))


class Watched(PartCache):
    """Remembers what it was asked for."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.asked: list[int] = []

    def get(self, part: int) -> bytes | None:
        self.asked.append(part)
        return super().get(part)


# --- what comes back ---


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        b"page\x00one\x00end" * 100,
        json.dumps({"text": "page\x00one\x00end" * 100}).encode(),
        b'{"choices":[{"message":{"content":"%b \\ud83d"}}]}' % (b"ok " * 100),
        b'{"text":"%b"}' % ("😀é" * 200).encode()[:-1],
        b'{"order_id":912345678901234567,"big":%b}' % (b"1" * 400),
        b"[" * 20_000 + b"]" * 20_000,
        b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
        request(history(6, 300))[:1000],
        b'"list all users"' * 20,
        b'{"q": "x",, "force": true, "text": "%b' % (b"no end " * 100),
        b"data: " + b'{"delta":"a"}\n\ndata: ' * 400 + b"[DONE]\n\n",
        b"{" + os.urandom(100_000),
        os.urandom(200_000),
        bytes(300_000),
        b'"' * 5000,
        b"\\" * 5000,
        b'{"a":"' + b'\\"' * 70_000 + b'"}',
        b'{"a":"' + b"\\u00e9" * 20_000 + b'"}',
        json.dumps({"image": "data:image/png;base64," + "iVBORw0KGgo" * 30_000}).encode(),
        json.dumps({"text": "line\n" * 60_000, "more": "é" * 70_000}, ensure_ascii=False).encode(),
    ],
    ids=[
        "nothing",
        "one byte",
        "d06 nul in text",
        "d06 nul in json",
        "d07 lone surrogate",
        "broken utf-8",
        "d05 big integers",
        "d08 deep list",
        "d08 deep dict",
        "d09 cut json",
        "d10 strings",
        "d10 invalid arguments",
        "event stream",
        "noise after a brace",
        "noise",
        "zeros",
        "quotes",
        "backslashes",
        "escaped quotes",
        "escaped letters",
        "r01 data uri",
        "l09 long strings",
    ],
)
@pytest.mark.parametrize("lane", [None, "lane"])
def test_any_bytes_come_back(data: bytes, lane: str | None) -> None:
    bodies = Bodies()
    recipes = [bodies.write(data, lane), bodies.write(b"[" + data + b"]", lane), bodies.write(data, lane)]
    assert bodies.read(recipes[0]) == bodies.read(recipes[2]) == data
    assert bodies.read(recipes[1]) == b"[" + data + b"]"
    middle = len(data) // 2
    assert bodies.read(recipes[0], middle, middle + 100) == data[middle : middle + 100]


def test_d04_a_body_is_what_it_was_when_it_was_written() -> None:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "a" * 500}]
    bodies = Bodies()
    before = request(messages)
    recipe = bodies.write(before, "lane")
    messages.append({"role": "assistant", "content": "b" * 500})
    messages[0]["content"] = "CHANGED" * 100
    bodies.write(request(messages), "lane")
    assert bodies.read(recipe) == before


def test_ranges_beyond_the_body_are_empty_or_cut() -> None:
    bodies = Bodies()
    recipe = bodies.write(b"0123456789" * 50)
    assert bodies.read(recipe, 495, 9999) == b"56789"
    assert bodies.read(recipe, 500) == bodies.read(recipe, 7, 7) == bodies.read(recipe, 8, 3) == b""


# --- what is shared ---


def test_a_text_is_one_part_raw_and_escaped() -> None:
    """An observation as it is, in the request after it, and as a JSON string."""
    bodies = Bodies()
    observation = "\n".join(['{"id": 7, "title": "late \\ order"}'] * 30)
    bodies.write(observation.encode())
    stored = len(bodies.parts.rows)
    bodies.write(json.dumps(observation).encode())
    assert stored == len(bodies.parts.rows) == 1
    bodies.write(request([{"role": "tool", "content": observation}]), "calls")
    assert (
        sum(row.size >= len(observation) for row in bodies.parts.rows.values()) == 2
    )  # and the system prompt


def test_the_system_prompt_is_stored_once_for_all_conversations() -> None:
    bodies = Bodies()
    first = bodies.write(request(history(1, 200)), "conversation 1")
    before = bodies.parts.stored()
    second = bodies.write(request(history(3, 200)), "conversation 2")
    assert bodies.parts.stored() - before < 700
    assert bodies.read(first) != bodies.read(second)


def test_k05_agents_share_nothing() -> None:
    bodies = Bodies()
    data = request(history(4, 300))
    recipes = {agent: bodies.write(data, "lane", agent) for agent in (1, 2)}
    parts = {agent: bodies.reader.parts_of([recipe]) for agent, recipe in recipes.items()}
    assert parts[1].isdisjoint(parts[2])
    for agent in (1, 2):
        assert {bodies.parts.rows[part].agent for part in parts[agent]} == {agent}
    assert {agent for agent, _ in bodies.parts.lookups} == {1, 2}


def test_a_writer_that_remembers_nothing_finds_parts_again() -> None:
    bodies = Bodies()
    data = request(history(40, 300))
    bodies.write(data, "lane")
    bodies.write(data[:-1] + b',"more":1}', "lane")
    stored = len(bodies.parts.rows)
    for lane in ("lane", "other"):
        bodies.writer.forget()
        bodies.write(data, lane)
    assert len(bodies.parts.rows) == stored


def test_equal_keys_are_not_taken_for_equal_content() -> None:
    bodies = Bodies()
    data = b"text of some length " * 20
    part = bodies.reader.parts_of([bodies.write(data)]).pop()
    key = bodies.parts.rows[part].key
    for impostor in (Packer().pack(b"another text " * 20), b"\x01damaged", b""):
        bodies.parts.rows = {part: Row(1, key, impostor, len(data))}
        bodies.writer.forget()
        recipe = bodies.write(data)
        assert bodies.read(recipe) == data
        assert part not in bodies.reader.parts_of([recipe])


def test_a_body_sent_again_stores_nothing() -> None:
    bodies = Bodies()
    data = list(growing(6, 300))[-1]
    first = bodies.write(data, "lane")
    stored = bodies.parts.stored()
    assert bodies.write(data, "lane") == first
    assert bodies.parts.stored() == stored


def test_a_changed_string_is_one_part_wherever_it_changed() -> None:
    bodies = Bodies()
    one, other = SYSTEM + " one", "other " + SYSTEM
    for system in (one, other, f"{one[:2000]} now {one[2000:]}", f"{one[:2000]} then {one[2000:]}"):
        data = request(history(3, 300), system=system)
        assert bodies.read(bodies.write(data, "lane")) == data
    sizes = {row.size for row in bodies.parts.rows.values()}
    assert {len(one), len(other), len(one) + 5} <= sizes
    assert len(one) + 6 not in sizes
    assert len([size for size in sizes if 1900 < size < len(one) - 1900]) == 2  # both sides of the change


def test_event_streams_are_stored_as_protocol() -> None:
    delta = b'"choices":[{"index":0,"delta":{"content":"a"}}]'
    chunk = b'data: {"id":"chatcmpl-A","object":"chat.completion.chunk",%b}\n\n' % delta
    sizes = []
    for lane in (None, "lane"):
        bodies = Bodies()
        bodies.write(chunk * 2, lane)
        sizes.append(bodies.parts.stored())
    assert sizes[1] < sizes[0] / 1.5


# --- what it costs ---


def stored_for(calls: int, bodies: Bodies, all_calls: Iterator[bytes]) -> tuple[int, int]:
    """Bytes of parts and of recipes after ``calls`` calls; some of the bodies are read back."""
    recipes: list[bytes] = []
    for call, data in zip(range(calls), all_calls, strict=False):
        recipes.append(bodies.write(data, "lane"))
        if call % 97 == 96:
            assert bodies.read(recipes[-1]) == data
    return bodies.parts.stored(), sum(map(len, recipes))


@pytest.mark.parametrize("chars", [20, 600], ids=["short messages", "long messages"])
def test_d11_a_growing_history_costs_linear_space(chars: int) -> None:
    bodies = Bodies()
    calls = growing(500, chars)
    half = stored_for(250, bodies, calls)
    rest = stored_for(250, bodies, calls)
    assert rest[0] + half[1] + rest[1] < 2.3 * sum(half)
    assert half[1] + rest[1] < 500 * 220


def test_d11_nodes_are_read_and_shared_in_logarithmic_number() -> None:
    bodies = Bodies()
    recipes = [bodies.write(data, "lane") for data in growing(300, 300)]
    bodies.parts.fetched.clear()
    bodies.read(recipes[-1], 50_000, 50_100)
    assert len(bodies.parts.fetched) < 60


def test_d11_a_sliding_window_costs_what_is_new() -> None:
    bodies = Bodies()
    messages = history(500, 300)
    windows = (request(messages[end - 400 : end]) for end in range(400, 500))
    filled = stored_for(2, bodies, windows)
    rest = stored_for(97, bodies, windows)
    assert rest[0] + rest[1] - filled[0] < 97 * 500


def test_d11_a_clock_in_the_prompt_does_not_store_the_prompt_again() -> None:
    bodies = Bodies()
    messages = history(200, 300)
    for call in range(100):
        system = f"{SYSTEM} It is 12:{call % 60:02}:{call // 60:02}. {SYSTEM}"
        data = request(messages[: 2 * call + 1], system=system)
        assert bodies.read(bodies.write(data, "lane")) == data
        if call == 1:
            stored = bodies.parts.stored()
    text = sum(len(message["content"]) for message in messages)
    assert bodies.parts.stored() - stored < text


def test_d11_one_string_that_grows_costs_what_is_new() -> None:
    bodies = Bodies()
    lines = [message["content"] for message in history(300, 200)]
    prompts = (json.dumps({"prompt": "".join(lines[:end]), "model": "m"}).encode() for end in range(1, 301))
    half = stored_for(150, bodies, prompts)
    rest = stored_for(150, bodies, prompts)
    assert rest[0] + half[1] + rest[1] < 2.3 * sum(half)


def test_a_short_body_is_its_recipe() -> None:
    bodies = Bodies()
    recipe = bodies.write(b'{"id": 7}')
    assert len(recipe) < 13
    assert bodies.parts.rows == {}


def test_l09_a_large_body_is_stored_in_bounded_parts_and_read_in_bounded_pieces() -> None:
    bodies = Bodies()
    noise = random.Random(1).randbytes(3_000_000)
    records = json.dumps([{"at": number, "value": "short"} for number in range(80_000)]).encode()
    for data, lane in ((noise, None), (records, "lane"), (json.dumps({"b": noise.hex()}).encode(), "lane")):
        recipe = bodies.write(data, lane)
        assert len(recipe) < 5_000
        assert max(row.size for row in bodies.parts.rows.values()) <= PIECE_BYTES
        assert max(map(len, bodies.reader.read(recipe))) <= 2 * PIECE_BYTES
        bodies.parts.fetched.clear()
        middle = len(data) // 2
        assert bodies.read(recipe, middle, middle + 10) == data[middle : middle + 10]
        assert len(bodies.parts.fetched) < 20


# --- transactions ---


def test_what_was_rolled_back_is_not_referred_to() -> None:
    bodies = Bodies()
    calls = list(growing(4, 300))
    bodies.write(calls[0], "lane")
    for number in (1, 2):
        bodies.parts.begin()
        bodies.writer.begin()
        bodies.writer.plan(1, "lane", calls[number])
        bodies.writer.plan(1, "lane", calls[number + 1])
        bodies.writer.plan(1, None, b"an observation " * 20)
        bodies.writer.rollback()
        bodies.parts.rollback()
    assert bodies.read(bodies.write(b"an observation " * 20)) == b"an observation " * 20
    for data in calls[1:]:
        assert bodies.read(bodies.write(data, "lane")) == data


def test_a_rollback_leaves_the_lane_as_it_was() -> None:
    bodies = Bodies()
    calls = list(growing(30, 300))
    for data in calls[:29]:
        bodies.write(data, "lane")
    bodies.parts.begin()
    bodies.writer.begin()
    bodies.writer.plan(1, "lane", calls[29])
    bodies.writer.rollback()
    bodies.parts.rollback()
    bodies.parts.lookups.clear()
    bodies.write(calls[29], "lane")
    assert sum(len(keys) for _, keys in bodies.parts.lookups) < 8


def test_a_committed_transaction_is_not_taken_back() -> None:
    bodies = Bodies()
    bodies.write(b"an observation " * 20)
    bodies.writer.begin()
    bodies.writer.rollback()
    bodies.parts.lookups.clear()
    bodies.write(b"an observation " * 20)
    assert bodies.parts.lookups == []


def test_after_a_prune_nothing_gone_is_referred_to() -> None:
    bodies = Bodies()
    calls = list(growing(11, 300))
    kept, *_ = [bodies.write(data, "lane") for data in calls[:10]]
    needed = bodies.reader.parts_of([kept])
    bodies.parts.rows = {part: row for part, row in bodies.parts.rows.items() if part in needed}
    bodies.writer.begin()
    bodies.writer.forget()
    recipe = bodies.writer.plan(1, "lane", calls[10]).recipe
    bodies.writer.rollback()
    assert bodies.read(recipe) == calls[10]
    assert bodies.read(kept) == calls[0]


def test_memory_is_bounded() -> None:
    bodies = Bodies(known_parts=10, lane_bytes=50_000)
    for lane in range(20):
        for data in growing(5, 300):
            assert bodies.read(bodies.write(data, lane)) == data
    bodies.write(b"[" + b" " * 60_000 + b"]", "too large to remember")
    assert len(bodies.writer._parts._known) <= 10
    assert 0 < sum(lane.weight for lane in bodies.writer._lanes._lanes.values()) <= 50_000
    assert bodies.writer._lanes._weight == sum(lane.weight for lane in bodies.writer._lanes._lanes.values())


def test_many_new_parts_are_looked_up_together_but_not_all_at_once() -> None:
    bodies = Bodies()
    data = json.dumps([f"{number} " * 40 for number in range(1000)]).encode()
    assert bodies.read(bodies.write(data, "lane")) == data
    sizes = [len(keys) for _, keys in bodies.parts.lookups]
    assert max(sizes) <= 256
    assert len(sizes) < 15
    stored = len(bodies.parts.rows)
    bodies.writer.forget()
    bodies.write(data, "lane")
    assert len(bodies.parts.rows) == stored


# --- damage ---


@pytest.fixture
def shared() -> tuple[Bodies, bytes]:
    bodies = Bodies()
    recipes = [bodies.write(data, "lane") for data in growing(60, 300)]
    return bodies, recipes[-1]


def test_a_missing_part_is_named(shared: tuple[Bodies, bytes]) -> None:
    bodies, recipe = shared
    for part in sorted(bodies.reader.parts_of([recipe])):
        row = bodies.parts.rows.pop(part)
        with pytest.raises(LedgerCorruptError, match=f"part {part} is missing"):
            bodies.read(recipe)
        bodies.parts.rows[part] = row


def test_a_changed_part_is_told_or_has_the_same_length(shared: tuple[Bodies, bytes]) -> None:
    bodies, recipe = shared
    for part in sorted(bodies.reader.parts_of([recipe])):
        row = bodies.parts.rows[part]
        bodies.parts.rows[part] = row._replace(data=Packer().pack(literal(b"another text")))
        with pytest.raises(LedgerCorruptError):
            bodies.read(recipe)
        bodies.parts.rows[part] = row


def test_what_is_no_text_cannot_be_escaped() -> None:
    bodies = Bodies()
    part = bodies.parts.add_part(1, 0, Packer().pack(b"\xff"), 1)
    with pytest.raises(LedgerCorruptError, match=f"part {part} is no text"):
        bodies.read(Packer().pack(reference(Kind.ESCAPED, 1, part)))


def test_nodes_that_contain_each_other_end() -> None:
    bodies = Bodies()
    bodies.parts.add_part(1, 0, Packer().pack(reference(Kind.NODE, 5, 0)), 3)
    recipe = Packer().pack(reference(Kind.NODE, 5, 0))
    with pytest.raises(LedgerCorruptError, match="contain each other"):
        bodies.read(recipe)
    assert bodies.reader.parts_of([recipe]) == {0}


def test_what_is_not_remembered_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = Bodies()
    data = json.dumps([prose(random.Random(number), 2000) for number in range(8)]).encode()
    recipe = bodies.write(data)
    cache = Watched(1 << 20)
    monkeypatch.setattr(bodies.reader, "_cache", cache)
    for looks_for in (1, 2):  # and once more when it is read again
        assert bodies.read(recipe) == data
        assert cache.asked
        assert set(Counter(cache.asked).values()) <= {looks_for}


def test_an_error_names_no_content(shared: tuple[Bodies, bytes]) -> None:
    bodies, recipe = shared
    bodies.parts.rows.clear()
    with pytest.raises(LedgerCorruptError) as raised:
        bodies.read(recipe)
    assert not any(word in str(raised.value) for word in ("order", "refund", "ticket"))


def test_the_parts_of_recipes_are_all_that_is_needed() -> None:
    bodies = Bodies()
    bodies_written = list(growing(80, 300))
    recipes = [bodies.write(data, "lane") for data in bodies_written]
    for chosen in (recipes[:1], recipes[40:41], recipes[-1:], recipes[10:30]):
        parts = bodies.reader.parts_of(chosen)
        few = MemoryParts({part: bodies.parts.rows[part] for part in parts})
        reader = type(bodies.reader)(few.fetch)
        assert [b"".join(reader.read(recipe)) for recipe in chosen] == [
            bodies_written[recipes.index(recipe)] for recipe in chosen
        ]
    bodies.parts.fetched.clear()
    assert bodies.reader.parts_of(recipes) <= set(bodies.parts.rows)
    assert len(bodies.parts.fetched) == len(set(bodies.parts.fetched))


def test_an_engine_is_a_gateway_to_parts() -> None:
    assert BodyWriter(MemoryParts()).plan(1, None, b"").recipe == b"\x00"
