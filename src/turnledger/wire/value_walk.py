"""The long way: any value at all, by one loop with its own stack.

A frame is one array or object that is being written; its children come from an iterator, so the loop can
leave it for a child and return.  Children that are containers of our own making (the pairs of a dict, the
fields of an object) are ordinary lists and dicts, so they nest, and count, like the caller's.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from turnledger.wire.value_kinds import (
    BASE_VALUES,
    LEAVES,
    MAX_CONTAINERS,
    MAX_DEPTH,
    TAG,
    Leaf,
    Unreadable,
    integer_digits,
    mro,
    not_finite,
    type_name,
)
from turnledger.wire.value_objects import FieldsReader, fields_reader
from turnledger.wire.value_plain import encode_plain_part

__all__ = ["walk"]

_CONSTANTS = {id(constant): text for constant, text in ((None, b"null"), (True, b"true"), (False, b"false"))}
_ENCODE_TEXT = msgspec.json.Encoder().encode
_QUOTE = json.JSONEncoder(ensure_ascii=False).encode
# Read back, the two escapes are one character: such a text cannot be told from it.
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

_INT64 = 1 << 63
_PATIENCE = 32

_Child = tuple[bytes, int | str, object]


def walk(value: object) -> tuple[bytes, bool]:
    """The canonical bytes of any value, and whether something of it could not be written to be read back."""
    walker = _Walker()
    return walker.run(value), walker.lossy


class _Frame:
    """``owner`` is what a cycle would come back to; ``marks``, if any, the parts at which children begin."""

    __slots__ = ("children", "close", "head", "marks", "owner", "place")

    def __init__(self, owner: object, head: bytes, children: Iterator[_Child], close: bytes) -> None:
        self.owner = owner
        self.head = head
        self.children = children
        self.close = close
        self.place: int | str = ""
        self.marks: list[int] | None = None


class _Unordered(NamedTuple):
    """The items of a set: written in the order of their bytes."""

    items: list[object]


class _Walker:
    __slots__ = ("_active", "_containers", "_frames", "_parts", "_patience", "_read", "lossy")

    def __init__(self) -> None:
        self.lossy = False
        self._parts: list[bytes] = []
        self._frames: list[_Frame] = []
        self._active: dict[int, int] = {}  # id of an owner → its frame
        self._read: dict[int, tuple[object, object]] = {}  # id of an object → itself and what it answered
        self._containers = 0
        self._patience = _PATIENCE

    def run(self, root: object) -> bytes:
        self._put(root, "")
        while self._frames:
            frame = self._frames[-1]
            depth = len(self._frames)
            for prefix, place, child in frame.children:
                if frame.marks is not None:
                    frame.marks.append(len(self._parts))
                data = self._shortly(child)
                if data is not None:
                    self._parts.append(prefix + data)
                    continue
                self._parts.append(prefix)
                self._put(child, place)
                if len(self._frames) != depth:
                    break
            else:
                self._close(frame)
        return b"".join(self._parts)

    def _shortly(self, value: object) -> bytes | None:
        """The bytes of a text, a number or a part that is plain JSON all through; None for all else.

        Where parts that look plain turn out not to be it is looked no further: each look costs as much as the
        part is large, and parts lie inside one another.
        """
        kind = type(value)
        if kind is int:
            return b"%d" % value if -_INT64 <= value < _INT64 else None  # type: ignore[operator, str-format]
        if kind is str:
            try:
                return _ENCODE_TEXT(value)
            except UnicodeEncodeError:
                return None
        if self._patience and (kind is list or kind is dict or kind is tuple):
            room = MAX_DEPTH - len(self._frames), MAX_CONTAINERS - self._containers
            found = encode_plain_part(value, *room)
            self._patience += -1 if found is None else 1
            if found is not None:
                self._containers += found[1]
                return found[0]
        return None

    def _put(self, value: object, place: int | str) -> None:
        """Write a value without parts, or open the frame of one that has some."""
        try:
            node = self._open(value)
        except Exception as error:  # noqa: BLE001  a caller's object may raise anything
            node = self._unknown(type(value), error=type(error))
        if isinstance(node, bytes):
            self._parts.append(node)
            return
        node.place = place
        self._active[id(node.owner)] = len(self._frames)
        self._frames.append(node)
        self._containers += 1
        self._parts.append(node.head)

    def _close(self, frame: _Frame) -> None:
        if frame.marks is not None:
            self._sort(frame.marks)
        self._parts.append(frame.close)
        self._frames.pop()
        del self._active[id(frame.owner)]

    def _sort(self, marks: list[int]) -> None:
        parts = self._parts
        bounds = [*marks, len(parts)]
        items = sorted(b"".join(parts[start:end]) for start, end in pairwise(bounds))
        del parts[bounds[0] :]
        parts.append(b",".join(items))

    # --- one value ---

    def _open(self, value: object) -> bytes | _Frame:
        if type(value) is str:
            return self._quote(value)
        if id(value) in _CONSTANTS:
            return _CONSTANTS[id(value)]
        if type(value) is int:
            return integer_digits(value).encode()
        if type(value) is float:
            return self._float(value)
        if id(value) in self._active:
            self.lossy = True
            return self._leaf(Leaf("cycle", {"path": self._pointer(value)}))
        return self._by_base(value, type(value))

    def _by_base(self, value: object, kind: type) -> bytes | _Frame:
        for base in mro(kind):
            key = id(base)
            if key in LEAVES:
                return self._leaf(LEAVES[key](value))
            if key in BASE_VALUES:
                return self._open(BASE_VALUES[key](value))
            if key in _OPENERS:
                return self._too_much(kind) or _OPENERS[key](self, value)
        reader = fields_reader(kind)
        if reader is None:
            return self._unknown(kind)
        return self._too_much(kind) or self._object(value, kind, reader)

    def _quote(self, text: str) -> bytes:
        try:
            return _ENCODE_TEXT(text)
        except UnicodeEncodeError:
            self.lossy |= _PAIR.search(text) is not None
            # Nothing but a surrogate is left to replace, and its replacement is its JSON escape.
            return _QUOTE(text).encode("utf-8", "backslashreplace")

    def _float(self, value: float) -> bytes:
        if math.isfinite(value):
            return repr(value).encode()
        return self._leaf(not_finite(value))

    def _leaf(self, leaf: Leaf) -> bytes:
        self.lossy |= leaf.lossy
        members = {TAG: leaf.kind, **leaf.members}
        written = (self._quote(key) + b":" + self._bare(members[key]) for key in sorted(members))
        return b"{" + b",".join(written) + b"}"

    def _bare(self, member: str | int) -> bytes:
        if isinstance(member, str):
            return self._quote(member)
        return _CONSTANTS[id(member)] if isinstance(member, bool) else integer_digits(member).encode()

    def _unknown(self, kind: type, *, error: type | None = None) -> bytes:
        members: dict[str, str | int] = {"type": type_name(kind)}
        if error is not None:
            members["error"] = type_name(error)
        return self._leaf(Leaf("unknown", members, lossy=True))

    def _too_much(self, kind: type) -> bytes | None:
        """What stands for a container that may not be opened any more."""
        if len(self._frames) >= MAX_DEPTH:
            return self._leaf(Leaf("depth", {"type": type_name(kind)}, lossy=True))
        if self._containers >= MAX_CONTAINERS:
            return self._leaf(Leaf("size", {"type": type_name(kind)}, lossy=True))
        return None

    def _pointer(self, owner: object) -> str:
        """JSON Pointer (RFC 6901) to the frame of ``owner``; items of sets have no number yet: ``*``."""
        above = self._frames[1 : self._active[id(owner)] + 1]
        return "".join("/" + str(frame.place).replace("~", "~0").replace("/", "~1") for frame in above)

    # --- containers ---

    def open_array(self, value: object, items: Iterable[object]) -> _Frame:
        return _Frame(value, b"[", _numbered(list(items)), b"]")

    def open_dict(self, value: dict[Any, Any]) -> _Frame:
        # Another thread may change a dict; the copy of a subclass would go through its overrides.
        members = list(dict.items(value.copy() if type(value) is dict else value))
        names = [str.__str__(key) for key, _ in members if issubclass(type(key), str)]
        plain = len(set(names)) == len(members) and TAG not in names and not any(map(_PAIR.search, names))
        if not plain:
            return self._tagged(value, "pairs", "items", [[key, inner] for key, inner in members])
        ordered = sorted(zip(names, map(itemgetter(1), members), strict=True), key=itemgetter(0))
        return _Frame(value, b"{", self._members(ordered), b"}")

    def open_set(self, value: object, kind: str, items: Iterable[object]) -> _Frame:
        return self._tagged(value, kind, "items", _Unordered(list(items)))

    def open_unordered(self, value: _Unordered) -> _Frame:
        frame = _Frame(value, b"[", ((b"", "*", item) for item in value.items), b"]")
        frame.marks = []
        return frame

    def open_enum(self, value: Enum) -> _Frame:
        named = object.__getattribute__(value, "__dict__")
        extra = {"name": str(named["_name_"]), "type": type_name(type(value))}
        return self._tagged(value, "enum", "value", named["_value_"], extra)

    def _object(self, value: object, kind: type, reader: FieldsReader) -> bytes | _Frame:
        if id(value) not in self._read:
            try:
                answer = reader.ask(value)
            except Exception as error:  # noqa: BLE001  a model's own serializer may raise anything
                answer = Unreadable(type(error))
            self._read[id(value)] = (value, answer)
        answer = self._read[id(value)][1]
        if type(answer) is Unreadable:
            return self._unknown(kind, error=answer.error)
        if type(answer) is kind:  # NumPy's long double: no built-in type can hold it
            return self._unknown(kind)
        self.lossy |= reader.lossy
        return self._tagged(value, "object", "value", answer, {"type": type_name(kind)})

    def _tagged(
        self, owner: object, kind: str, name: str, inner: object, extra: dict[str, str] | None = None
    ) -> _Frame:
        """A tagged object with one member that has parts; ``name`` sorts after the other members."""
        head = self._leaf(Leaf(kind, {**(extra or {})}))[:-1] + b',"' + name.encode() + b'":'
        return _Frame(owner, head, iter([(b"", name, inner)]), b"}")

    def _members(self, ordered: Iterable[tuple[str, object]]) -> Iterator[_Child]:
        comma = b""
        for name, value in ordered:
            yield comma + self._quote(name) + b":", name, value
            comma = b","


def _numbered(items: list[object]) -> Iterator[_Child]:
    comma = b""
    for index, item in enumerate(items):
        yield comma, index, item
        comma = b","


_KEYS: type = type({}.keys())
_VALUES: type = type({}.values())

_OPENERS: dict[int, Callable[[_Walker, Any], _Frame]] = {
    id(dict): _Walker.open_dict,
    id(list): lambda walker, value: walker.open_array(value, list.__iter__(value)),
    id(tuple): lambda walker, value: walker.open_array(value, tuple.__iter__(value)),
    id(deque): lambda walker, value: walker.open_array(value, deque.__iter__(value)),
    id(_KEYS): lambda walker, value: walker.open_array(value, value),
    id(_VALUES): lambda walker, value: walker.open_array(value, value),
    id(set): lambda walker, value: walker.open_set(value, "set", set.__iter__(value)),
    id(frozenset): lambda walker, value: walker.open_set(value, "frozenset", frozenset.__iter__(value)),
    id(_Unordered): _Walker.open_unordered,
    id(Enum): _Walker.open_enum,
}
"""By ``id`` of a base class: how a value with parts is opened."""
