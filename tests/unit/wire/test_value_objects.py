"""Callers' objects: what is read of them, once, and that none of them can break the encoder."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import PurePosixPath
from typing import Any, NoReturn
from unittest.mock import MagicMock

import pytest

from turnledger.wire.values import encode_value

HERE = __name__


class RefusalError(Exception):
    pass


def refuse(*_: object, **__: object) -> NoReturn:
    raise RefusalError


ANSWERS = [
    "__repr__", "__str__", "__reduce__", "__iter__", "__len__", "__getattr__", "__getattribute__",
    "__hash__", "__eq__", "__bool__", "__getitem__", "__contains__", "__format__", "__index__",
    "__int__", "__float__", "__lt__", "__dir__", "__copy__", "__deepcopy__", "__fspath__", "__bytes__",
    "__sizeof__", "keys", "items", "values", "copy", "isoformat", "utcoffset", "bit_length", "encode",
    "tolist", "to_python", "model_dump",
]  # fmt: skip


def evil(*bases: type, **more: object) -> type:
    """A subclass whose every answer is an error."""
    members = dict.fromkeys(ANSWERS, refuse) | {"__class__": property(refuse)} | more
    return type("Evil", bases, members)


class EvilMeta(type):
    __getattribute__ = refuse
    __hash__ = refuse
    __eq__ = refuse
    __instancecheck__ = refuse
    __subclasscheck__ = refuse


class Vague(metaclass=EvilMeta):
    pass


def unknown(kind: str = "Evil") -> dict[str, str]:
    return {"$turnledger": "unknown", "type": f"{HERE}.{kind}"}


def test_l11_an_object_that_answers_nothing_is_written_by_its_type() -> None:
    encoded = encode_value(
        {"messages": [{"role": "user", "content": None}], "x": evil(object)(), "y": Vague()}
    )
    assert encoded.lossy
    assert json.loads(encoded.data) == {
        "messages": [{"content": None, "role": "user"}],
        "x": unknown(),
        "y": unknown("Vague"),
    }


@pytest.mark.parametrize(
    ("base", "plain", "written"),
    [
        (str, "a", '"a"'),
        (int, 7, "7"),
        (float, 1.5, "1.5"),
        (list, [1], "[1]"),
        (tuple, (1,), "[1]"),
        (dict, {"a": 1}, '{"a":1}'),
        (set, {1}, '{"$turnledger":"set","items":[1]}'),
        (frozenset, {1}, '{"$turnledger":"frozenset","items":[1]}'),
        (bytes, b"a", '{"$turnledger":"bytes","base64":"YQ=="}'),
        (timedelta, 1, '{"$turnledger":"timedelta","microseconds":86400000000}'),
    ],
)
def test_l11_overrides_of_subclasses_do_not_run(base: type, plain: object, written: str) -> None:
    assert encode_value([evil(base)(plain)]).data == f"[{written}]".encode()


def test_l11_evil_keys() -> None:
    class Key(str):
        __slots__ = ()
        __eq__ = refuse
        __lt__ = refuse
        __str__ = refuse

        def __hash__(self) -> int:
            return 1

    assert encode_value({Key("b"): 1, "a": 2}).data == b'{"a":2,"b":1}'
    for twin in ("a", "$turnledger"):  # a look-up of either has to compare
        kind = evil(object, __hash__=lambda _, twin=twin: hash(twin), __eq__=object.__eq__)
        value = {kind(): 1, "a": []}
        kind.__eq__ = refuse  # type: ignore[method-assign]
        assert json.loads(encode_value(value).data) == {
            "$turnledger": "pairs",
            "items": [[unknown(), 1], ["a", []]],
        }


def test_a_lie_about_the_class_is_not_believed() -> None:
    liar = type("Liar", (), {"__class__": property(lambda _: dict)})()
    assert isinstance(liar, dict)
    assert json.loads(encode_value(liar).data) == unknown("Liar")
    assert json.loads(encode_value(MagicMock(spec=dict)).data)["type"] == "unittest.mock.MagicMock"


def test_names_of_classes_may_be_anything() -> None:
    kind = type("Odd", (), {"__module__": evil(object)()})
    kind.__qualname__ = "\ud83d"
    assert encode_value(kind()).data == b'{"$turnledger":"unknown","type":"?.\\ud83d"}'


def test_iterators_are_not_run_dry() -> None:
    def numbers() -> Iterator[int]:
        yield from range(3)

    generator, iterator, mapped = numbers(), iter([1, 2]), map(refuse, [1])
    encoded = encode_value([generator, iterator, mapped])
    assert encoded.lossy
    assert [each["type"] for each in json.loads(encoded.data)] == [
        "builtins.generator",
        "builtins.list_iterator",
        "builtins.map",
    ]
    assert list(generator) == [0, 1, 2]
    assert list(iterator) == [1, 2]


def test_a_dataclass_is_asked_for_each_field_once() -> None:
    asked: Counter[str] = Counter()

    @dataclasses.dataclass
    class Asked:
        first: int = 1
        second: object = None

        def __getattribute__(self, name: str) -> object:
            asked[name] += 1
            return object.__getattribute__(self, name)

    one = Asked()
    encoded = encode_value({"a": one, "b": [one, (one,)]})
    assert asked == {"first": 1, "second": 1}
    assert encoded.data.count(b'"value":{"first":1,"second":null}') == 3
    assert not encoded.lossy


def test_a_field_that_cannot_be_read_leaves_the_others() -> None:
    @dataclasses.dataclass
    class Half:
        good: int
        bad: int = dataclasses.field(init=False)

    encoded = encode_value(Half(1))
    assert encoded.lossy
    assert json.loads(encoded.data)["value"] == {
        "bad": {"$turnledger": "unknown", "error": "builtins.AttributeError"},
        "good": 1,
    }


def model(to_python: Callable[..., object]) -> object:
    class Serializer:
        pass

    class Model:
        __pydantic_serializer__ = Serializer()

    Serializer.to_python = staticmethod(to_python)  # type: ignore[attr-defined]
    return Model()


def test_a_pydantic_model_is_asked_once() -> None:
    calls: list[tuple[object, str]] = []

    def to_python(value: object, *, mode: str) -> object:
        calls.append((value, mode))
        return {"b": {1}, "a": datetime(2026, 1, 1)}  # noqa: DTZ001  what models hold

    one = model(to_python)
    encoded = encode_value([one, one])
    assert calls == [(one, "python")]
    assert not encoded.lossy
    first, second = json.loads(encoded.data)
    assert first == second
    assert first["$turnledger"] == "object"
    assert first["type"].endswith("model.<locals>.Model")
    assert list(first["value"]) == ["a", "b"]


def test_a_model_that_refuses_is_written_by_its_type_and_error() -> None:
    encoded = encode_value({"m": model(refuse), "n": 1})
    assert encoded.lossy
    written = json.loads(encoded.data)
    assert written["n"] == 1
    assert written["m"]["error"] == f"{HERE}.RefusalError"


def test_a_model_that_answers_with_itself_or_without_end() -> None:
    assert encode_value(model(lambda value, *, mode: value)).lossy  # noqa: ARG005  pydantic's signature
    endless = encode_value(model(lambda value, *, mode: [model(refuse), {"again": value}]))  # noqa: ARG005
    assert b'"path":""' in endless.data

    def deeper(_: object, *, mode: str) -> object:
        assert mode == "python"
        return {"m": model(deeper)}

    assert b'"$turnledger":"depth"' in encode_value(model(deeper)).data


def test_arrays_and_scalars_of_numpy_are_known_by_name() -> None:
    def as_numpy(name: str, answer: object) -> object:
        return type(name, (), {"__module__": "numpy", "tolist": lambda _: answer})()

    encoded = encode_value(
        [as_numpy("ndarray", [1, float("nan")]), as_numpy("generic", 3), as_numpy("other", 3)]
    )
    assert json.loads(encoded.data) == [
        {
            "$turnledger": "object",
            "type": "numpy.ndarray",
            "value": [1, {"$turnledger": "float", "value": "NaN"}],
        },
        {"$turnledger": "object", "type": "numpy.generic", "value": 3},
        {"$turnledger": "unknown", "type": "numpy.other"},
    ]


def test_a_zone_that_refuses() -> None:
    zone = evil(tzinfo)()
    encoded = encode_value([datetime(2026, 1, 1, tzinfo=zone), PurePosixPath("x")])
    assert encoded.lossy
    first, second = json.loads(encoded.data)
    assert first == {"$turnledger": "unknown", "type": "datetime.datetime", "error": f"{HERE}.RefusalError"}
    assert second["value"] == "x"


def test_ctrl_c_passes_through() -> None:
    def interrupt(_: object, *, mode: str) -> object:
        raise KeyboardInterrupt(mode)

    with pytest.raises(KeyboardInterrupt):
        encode_value(model(interrupt))


def test_d04_a_dict_that_another_thread_changes() -> None:
    odd: list[object] = [float("nan"), {1: 2}, b"x", "y"]
    shared: dict[Any, Any] = {str(index): [index] for index in range(200)}
    stop = threading.Event()

    def change() -> None:
        turn = 0
        while not stop.is_set():
            shared[turn if turn % 3 else str(turn % 400)] = odd[turn % 4]
            shared["0"] = [odd[turn % 4]]
            shared.pop(turn - 50, None)
            turn += 1

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(300):
            encoded = encode_value(shared)
            assert not encoded.lossy
            assert b"null" not in encoded.data
            json.loads(encoded.data, parse_constant=pytest.fail)
    finally:
        stop.set()
        thread.join()


def test_hardly_any_stack_left() -> None:
    def down(levels: int) -> bytes:
        return down(levels - 1) if levels else encode_value(deep).data

    deep: object = 1
    for _ in range(150):
        deep = [deep]
    expected = encode_value(deep).data
    assert down(700) == expected
