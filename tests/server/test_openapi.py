"""The committed document is what the server says of itself, and is whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from turnledger.server.answers.form import Answer
from turnledger.server.app import api_document
from turnledger.wire import capture_lookups
from turnledger.wire.capture_form import CaptureAnswer

COMMITTED = Path(__file__).parents[2] / "docs" / "openapi.json"
DOCUMENT: dict[str, Any] = msgspec.json.decode(COMMITTED.read_bytes())
OPERATIONS = [
    (f"{method.upper()} {path}", operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


def _contents(operation: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for status, response in operation["responses"].items():
        for kind, content in response.get("content", {}).items():
            yield f"{status} {kind}", content


def test_the_committed_document_is_up_to_date() -> None:
    assert COMMITTED.read_bytes() == api_document(), "run `make openapi`, and look at the difference"


def test_operations_are_named_once() -> None:
    names = [operation["operationId"] for _, operation in OPERATIONS]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)


@pytest.mark.parametrize(("name", "operation"), OPERATIONS, ids=[name for name, _ in OPERATIONS])
def test_every_operation_says_what_it_does_and_who_may(name: str, operation: dict[str, Any]) -> None:
    assert operation["description"]
    assert "security" in operation
    is_open = operation["security"] == []
    assert is_open == (name in {"GET /api/health", "POST /api/session"})


def test_examples_are_what_the_answer_classes_are() -> None:
    classes = {kind.__name__: kind for kind in _below(Answer)} | {"CaptureAnswer": CaptureAnswer}
    classes |= {name: getattr(capture_lookups, name) for name in capture_lookups.__all__}
    checked = set()
    for name, operation in OPERATIONS:
        for about, content in _contents(operation):
            reference = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
            if reference and "example" in content:
                decoded = msgspec.json.decode(
                    msgspec.json.encode(content["example"]), type=classes[reference]
                )
                again = msgspec.json.decode(msgspec.json.encode(decoded))
                assert again == content["example"], (name, about)
                checked.add(reference)
    assert len(checked) > 30


def test_lists_say_whether_there_is_more() -> None:
    schemas = DOCUMENT["components"]["schemas"]
    lists = {name for name, schema in schemas.items() if "items" in schema.get("properties", {})}
    assert len(lists) > 10
    assert not {name for name in lists if "hasMore" not in schemas[name]["properties"]}
