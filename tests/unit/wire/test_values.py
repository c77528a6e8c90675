"""The canonical form, kind by kind."""

from __future__ import annotations

import dataclasses
import enum
import json
import os
import subprocess
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Context, Decimal, localcontext
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import SimpleNamespace
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest

from turnledger.errors import GrammarError
from turnledger.wire import value_plain, value_walk
from turnledger.wire.value_kinds import MAX_CONTAINERS
from turnledger.wire.value_plain import encode_plain
from turnledger.wire.value_walk import walk
from turnledger.wire.values import Encoded, Marker, decode_value, encode_text, encode_value

HERE = __name__


class Colour(enum.Enum):
    RED = "r"


class Word(enum.StrEnum):
    YES = "yes"


class Number(enum.IntEnum):
    ONE = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


Point = namedtuple("Point", "x y")  # noqa: PYI024  the untyped kind is what callers have


@dataclasses.dataclass
class Node:
    parent: Node | None = None
    kids: list[object] = dataclasses.field(default_factory=list)


def tagged(kind: str, **members: object) -> bytes:
    text = json.dumps({"$turnledger": kind, **members}, sort_keys=True, separators=(",", ":"))
    return text.encode()


WRITTEN: dict[str, tuple[object, bytes]] = {
    "key order is by code point": (
        {"\U0001f600": 1, "\ue000": 2, "é": 3, "a": 4, "Z": 5, "": 6},
        '{"":6,"Z":5,"a":4,"é":3,"\ue000":2,"\U0001f600":1}'.encode(),
    ),
    "escapes": (
        '\x00\x08\t\n\x0b\x0c\r\x1f"\\/\x7f\x85\u2028\u2029\ufffe',
        '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\/\x7f\x85\u2028\u2029\ufffe"'.encode(),
    ),
    "constants": ([None, True, False], b"[null,true,false]"),
    "floats": (
        [1.0, -0.0, 0.1, 1e15, 1e16, 1e-4, 1e-5],
        b"[1.0,-0.0,0.1,1000000000000000.0,1e+16,0.0001,1e-05]",
    ),
    "sequences": ([(1, 2), Point(1, 2), deque([1, 2]), {1: 2}.values()], b"[[1,2],[1,2],[1,2],[2]]"),
    "subclasses are their base": ([Word.YES, Number.ONE], b'["yes",1]'),
    "subclassed keys": ({Word.YES: 1, "a": 2}, b'{"a":2,"yes":1}'),
    "dict subclasses": (
        [OrderedDict(b=1, a=2), defaultdict(int, c=3), Counter("dd")],
        b'[{"a":2,"b":1},{"c":3},{"d":2}]',
    ),
    "bytes": (b"\xff\x00", tagged("bytes", base64="/wA=")),
    "bytearray": (bytearray(b"\xff"), tagged("bytes", base64="/w==")),
    "memoryview": (memoryview(b"abcd")[::2], tagged("bytes", base64="YWM=")),
    "decimal": (Decimal("1.10"), tagged("decimal", value="1.10")),
    "date": (date(2026, 3, 29), tagged("date", value="2026-03-29")),
    "naive datetime": (
        datetime(2026, 3, 29, 2, 30),  # noqa: DTZ001  a naive one is the case
        tagged("datetime", value="2026-03-29T02:30:00", naive=True),
    ),
    "aware datetime": (
        datetime(2026, 3, 29, 2, 30, 0, 1, UTC),
        tagged("datetime", value="2026-03-29T02:30:00.000001+00:00"),
    ),
    "time": (time(2, 30, fold=1), tagged("time", value="02:30:00", naive=True, fold=1)),
    "time west of Greenwich": (
        time(2, 30, tzinfo=timezone(timedelta(hours=-3))),
        tagged("time", value="02:30:00-03:00"),
    ),
    "timedelta": (timedelta(days=-1, microseconds=1), tagged("timedelta", microseconds=-86399999999)),
    "uuid": (UUID(int=1), tagged("uuid", value="00000000-0000-0000-0000-000000000001")),
    "path": (PurePosixPath("a\\b"), tagged("path", value="a\\b")),
    "windows path": (PureWindowsPath("a\\b"), tagged("windows-path", value="a\\b")),
    "complex": (complex(-0.0, float("inf")), tagged("complex", real="-0.0", imag="inf")),
    "range": (range(Number.ONE, 9, 2), tagged("range", start=1, stop=9, step=2)),
    "set by bytes, not by value": ({10, 9, "a"}, tagged("set", items=["a", 10, 9])),
    "set of sets": (
        {frozenset({2, 1})},
        tagged("set", items=[{"$turnledger": "frozenset", "items": [1, 2]}]),
    ),
    "empty set": (set(), tagged("set", items=[])),
    "enum": (Colour.RED, tagged("enum", name="RED", type=f"{HERE}.Colour", value="r")),
    "flags": (
        Access.READ | Access.WRITE,
        tagged("enum", name="READ|WRITE", type=f"{HERE}.Access", value=3),
    ),
    "keys that are no text": ({1: "a", "1": "b"}, tagged("pairs", items=[[1, "a"], ["1", "b"]])),
    "our key": (
        {"$turnledger": "bytes", "a": 1},
        tagged("pairs", items=[["$turnledger", "bytes"], ["a", 1]]),
    ),
    "dataclass": (Node(), tagged("object", type=f"{HERE}.Node", value={"kids": [], "parent": None})),
}


@pytest.mark.parametrize(("value", "data"), WRITTEN.values(), ids=WRITTEN)
def test_canonical_form(value: object, data: bytes) -> None:
    assert encode_value(value) == Encoded(data, lossy=False)


LOSSY: dict[str, tuple[object, bytes]] = {
    "unknown object": (SimpleNamespace(key="sk-1"), tagged("unknown", type="types.SimpleNamespace")),
    "class": (Node, tagged("class", name=f"{HERE}.Node")),
    "function": (len, tagged("function", name="builtins.len")),
    "zone with rules": (
        datetime(2026, 7, 1, tzinfo=ZoneInfo("UTC")),
        tagged("datetime", value="2026-07-01T00:00:00+00:00"),
    ),
    "two halves that would read as one": ("\ud83d\ude00", b'"\\ud83d\\ude00"'),
}


@pytest.mark.parametrize(("value", "data"), LOSSY.values(), ids=LOSSY)
def test_what_cannot_be_undone_says_so(value: object, data: bytes) -> None:
    assert encode_value(value) == Encoded(data, lossy=True)


def test_d01_keys_and_values_that_json_cannot_hold() -> None:
    value = {
        frozenset({1}): 2,
        1: "a",
        "1": "b",
        "when": datetime(2026, 3, 29, 2, 30),  # noqa: DTZ001  a naive one is the case
        "raw": b"\xff\x00",
        "dec": Decimal("1.10"),
        "arr": (1, float("inf")),
        "path": Path("x"),
        "u": UUID(int=1),
        (1, "k"): {None, ("a", 1.5)},
    }
    encoded = encode_value(value)
    assert not encoded.lossy
    assert decode_value(encoded.data) == {**value, "arr": [1, float("inf")]}


def test_d01_no_two_values_share_their_bytes() -> None:
    plain: list[object] = [
        None,
        0,
        0.0,
        -0.0,
        False,
        1,
        1.0,
        True,
        "",
        "0",
        "null",
        [],
        {},
        [[]],
        [{}],
        [None],
    ]
    odd: list[object] = [
        b"",
        b"0",
        set(),
        frozenset(),
        Decimal(0),
        Decimal("0.0"),
        Decimal("-0"),
        0j,
        range(1),
    ]
    times: list[object] = [
        date(2026, 1, 1),
        datetime(2026, 1, 1),  # noqa: DTZ001  naive and aware are two values
        datetime(2026, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1, tzinfo=UTC, fold=1),
        "2026-01-01",
        timedelta(0),
    ]
    dicts: list[object] = [
        {1: 0},
        {"1": 0},
        {1.0: 0},
        {None: 0},
        {"null": 0},
        {(): 0},
        {"$turnledger": "set"},
    ]
    imitations: list[object] = [
        json.loads(encode_value(value).data) for value in [*odd, *times, {1: 0}, {(): 0}]
    ]
    values = [*plain, *odd, *times, *dicts, *(each for each in imitations if each not in times)]
    assert len({encode_value(value).data for value in values}) == len(values)


def test_d02_cycles_are_marked_by_path() -> None:
    loop: dict[str, object] = {}
    loop["self"] = loop
    node = Node()
    node.kids.append(Node(parent=node))
    shared = [1]
    value = {"d": loop, "n": node, "a/b~": [shared, shared]}
    encoded = encode_value(value)
    assert encoded.lossy
    child = {"kids": [], "parent": {"$turnledger": "cycle", "path": "/n"}}
    assert json.loads(encoded.data) == {
        "a/b~": [[1], [1]],
        "d": {"self": {"$turnledger": "cycle", "path": "/d"}},
        "n": {
            "$turnledger": "object",
            "type": f"{HERE}.Node",
            "value": {
                "kids": [{"$turnledger": "object", "type": f"{HERE}.Node", "value": child}],
                "parent": None,
            },
        },
    }


def test_d02_the_path_of_a_cycle_is_a_json_pointer() -> None:
    inner: dict[object, object] = {}
    inner["again"] = inner
    value = {"a/b~c": [{1: inner}]}
    assert b'"path":"/a~1b~0c/0/items/0/1"' in encode_value(value).data


def test_d02_a_cycle_through_a_set_has_no_number() -> None:
    @dataclasses.dataclass(eq=False)
    class Member:
        group: object = None

    member = Member()
    member.group = {member, 1}
    outer = encode_value({"m": {Member(group=member.group), 2}})
    assert b'"path":"/m/items/*/value/group"' in outer.data


def test_d03_nan_and_infinities_are_strict_json() -> None:
    value = {"loss": float("nan"), "max": float("inf"), "vec": [1.0, float("-inf")]}
    encoded = encode_value(value)
    assert not encoded.lossy
    assert json.loads(encoded.data, parse_constant=pytest.fail)["loss"] == {
        "$turnledger": "float",
        "value": "NaN",
    }
    again = decode_value(encoded.data)
    assert isinstance(again, dict)
    assert str(again) == "{'loss': nan, 'max': inf, 'vec': [1.0, -inf]}"


def test_d04_the_bytes_are_those_of_the_call_and_the_caller_keeps_its_objects() -> None:
    message: dict[str, object] = {"role": "user", "content": "a"}
    messages = [message]
    request = {"messages": messages}
    before = encode_value(request)
    assert request["messages"] is messages
    assert messages[0] is message
    messages.append({"role": "assistant", "content": "b"})
    message["content"] = "CHANGED"
    assert before.data == b'{"messages":[{"content":"a","role":"user"}]}'


def test_d05_big_integers_keep_their_digits() -> None:
    value = [912345678901234567, -9223372036854775808, 123456789012345678901234567890, 2**64, -(2**63) - 1]
    assert encode_value(value).data == str(value).replace(" ", "").encode()
    assert decode_value(encode_value(value).data) == value


@pytest.mark.parametrize("digits", [640, 4300, 4301, 50_000])
def test_d05_integers_beyond_the_digit_limit_are_written(digits: int) -> None:
    value = 10**digits - 1
    assert encode_value([value]).data == b"[" + b"9" * digits + b"]"
    assert encode_value(-value).data == b"-" + b"9" * digits
    assert decode_value(b"9" * digits) == value


def test_d06_nul_is_kept() -> None:
    assert encode_text("page\x00one").data == b"page\x00one"
    assert decode_value(encode_value("page\x00one").data) == "page\x00one"


def test_d07_a_lone_surrogate_is_escaped() -> None:
    assert encode_value({"\ud83d": "ok \ud83d"}) == Encoded(b'{"\\ud83d":"ok \\ud83d"}', lossy=False)
    assert decode_value(b'{"\\ud83d":"ok \\ud83d"}') == {"\ud83d": "ok \ud83d"}
    assert encode_value("\\ud83d").data == b'"\\\\ud83d"'
    assert encode_text("ok \ud83d") == Encoded(b"ok \\ud83d", lossy=True)
    assert encode_text("é\U0001f600") == Encoded("é\U0001f600".encode(), lossy=False)


def test_d07_keys_that_would_read_as_one_are_pairs() -> None:
    value = {"\ud83d\ude00": 1, "\U0001f600": 2}
    encoded = encode_value(value)
    assert encoded.lossy
    assert decode_value(encoded.data) == Marker("pairs", {"items": [["\U0001f600", 1], ["\U0001f600", 2]]})


WRAPS: dict[str, Callable[[object], object]] = {
    "list": lambda inner: [inner],
    "tuple": lambda inner: (inner,),
    "dict": lambda inner: {"a": inner},
    "pairs": lambda inner: {1: inner},
    "object": lambda inner: Node(kids=[inner]),
}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
def test_d08_deep_nesting_ends_in_a_marker(wrap: Callable[[object], object]) -> None:
    value: object = "core"
    for _ in range(20_000):
        value = wrap(value)
    encoded = encode_value(value)
    assert encoded.lossy
    assert b'{"$turnledger":"depth","type":' in encoded.data
    assert decode_value(encoded.data) is not None


def test_d08_the_limit_is_the_same_on_both_ways() -> None:
    value: object = []
    for _ in range(199):
        value = [value]
    assert encode_plain(value) == walk(value)[0] == b"[" * 200 + b"]" * 200
    assert encode_plain([value]) is None
    assert walk([value]) == (b"[" * 200 + tagged("depth", type="builtins.list") + b"]" * 200, True)


def test_values_that_multiply_end_in_a_marker(monkeypatch: pytest.MonkeyPatch) -> None:
    fewer = 10_000
    for module in (value_plain, value_walk):
        monkeypatch.setattr(module, "MAX_CONTAINERS", fewer)
    value: object = []
    for _ in range(40):
        value = [value, value]
    encoded = encode_value(value)
    assert encoded.lossy
    assert tagged("size", type="builtins.list") in encoded.data
    assert len(encoded.data) * (MAX_CONTAINERS / fewer) < 100_000_000


def test_e02_nested_values_are_covered_and_order_is_not() -> None:
    value = {"zeta": 1, "a": {"inner": 1e5, "b": [1.10, 1]}, "a2": {"x": None}}
    assert encode_value(value).data == b'{"a":{"b":[1.1,1],"inner":100000.0},"a2":{"x":null},"zeta":1}'


def test_e03_numbers_have_one_spelling_on_both_ways() -> None:
    exponents = [
        float(f"{digits}e{power}") for power in range(-324, 309, 3) for digits in (1, 1.7976931348623157)
    ]
    numbers = [*exponents, 1e-7, 0.1, 100, 5e-324, 1.2345678901234568e20, 9999999999999998.0, 1e16, 0.0001]
    assert len(numbers) > 200
    for number in numbers:
        for value in (number, -number):
            assert encode_value([value]).data == f"[{value!r}]".encode() == walk([value])[0]


def test_e07_composed_and_decomposed_stay_two() -> None:
    composed, decomposed = encode_value({"name": "caf\u00e9"}), encode_value({"name": "cafe\u0301"})
    assert composed.data != decomposed.data
    assert decode_value(decomposed.data) == {"name": "cafe\u0301"}


def test_the_decimal_context_of_the_thread_changes_nothing() -> None:
    with localcontext(Context(prec=2, capitals=0)):
        assert encode_value([Decimal("1E+10"), 10**1000]).data == (
            b"[" + tagged("decimal", value="1E+10") + b",1" + b"0" * 1000 + b"]"
        )


def test_same_bytes_in_every_process() -> None:
    program = (
        "import sys; from turnledger.wire.values import encode_value;"
        "v = {'s': {'b', 'a', ('x', 1), frozenset({'p', 'q', 'r'})}, 't': {object, len}, 'o': object()};"
        "sys.stdout.buffer.write(encode_value(v).data)"
    )
    written = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(written) == 1
    assert written.pop().startswith(b'{"o":{"$turnledger":"unknown","type":"builtins.object"},')


MALFORMED = {
    "no JSON": b"{",
    "key twice": b'{"a":1,"a":2}',
    "kind is no text": b'{"$turnledger":1}',
    "base64": b'{"$turnledger":"bytes","base64":"?"}',
    "base64 is no text": b'{"$turnledger":"bytes","base64":[1]}',
    "member is missing": b'{"$turnledger":"bytes"}',
    "member too many": b'{"$turnledger":"uuid","value":"00000000-0000-0000-0000-000000000001","x":1}',
    "other spelling": b'{"$turnledger":"uuid","value":"{00000000-0000-0000-0000-000000000001}"}',
    "no number": b'{"$turnledger":"decimal","value":"one"}',
    "finite": b'{"$turnledger":"float","value":"1.0"}',
    "no such day": b'{"$turnledger":"date","value":"2026-02-30"}',
    "too long": b'{"$turnledger":"timedelta","microseconds":1e300}',
    "no step": b'{"$turnledger":"range","start":0,"step":0,"stop":1}',
    "items are no list": b'{"$turnledger":"set","items":"ab"}',
    "items and more": b'{"$turnledger":"set","items":[],"more":1}',
    "no pair": b'{"$turnledger":"pairs","items":["ab"]}',
    "pair of three": b'{"$turnledger":"pairs","items":[[1,2,3]]}',
    "too deep": b"[" * 5000,
}


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_malformed_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(GrammarError):
        decode_value(data)


def test_what_cannot_be_undone_comes_back_as_a_marker() -> None:
    assert decode_value(encode_value({Colour.RED}).data) == Marker(
        "set", {"items": [Marker("enum", {"name": "RED", "type": f"{HERE}.Colour", "value": "r"})]}
    )
    pairs = decode_value(encode_value({Colour.RED: 1}).data)
    assert isinstance(pairs, Marker)
    assert pairs.kind == "pairs"
    assert decode_value(b'{"$turnledger":"of-a-later-version","x":[1]}') == Marker(
        "of-a-later-version", {"x": [1]}
    )
    assert decode_value(encode_value({"k": Node()}).data) == {
        "k": Marker("object", {"type": f"{HERE}.Node", "value": {"kids": [], "parent": None}})
    }


@pytest.mark.parametrize("above", range(196, 201))
@pytest.mark.parametrize("inner", [{1: [2]}, {(3,)}], ids=["pairs", "set"])
def test_d08_a_collection_across_the_limit_can_still_be_read(above: int, inner: object) -> None:
    value = inner
    for _ in range(above):
        value = [value]
    encoded = encode_value(value)
    again = decode_value(encoded.data)
    for _ in range(above):
        assert isinstance(again, list)
        (again,) = again
    assert (again == inner) == (not encoded.lossy)
    assert encoded.lossy == (b'"depth"' in encoded.data)
