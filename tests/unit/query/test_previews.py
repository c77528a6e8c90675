"""What a glance at a body shows, and whether a tool ran with what the model wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import turnledger
from turnledger.query.previews import (
    GlanceState,
    Supplied,
    body_glance,
    error_glance,
    reply_glance,
    supplied_glance,
)
from turnledger.query.timeline import Entry, journal_entries
from turnledger.store.contract import Reader


@pytest.fixture
def ledger(ledger_path: Path) -> Iterator[tuple[turnledger.Ledger, Reader]]:
    with turnledger.open(ledger_path) as recorder, turnledger.read(ledger_path) as reading:
        yield recorder, reading.reader


def only(reader: Reader, turn: turnledger.Turn, kind: str) -> Entry:
    (entry,) = (entry for entry in journal_entries(reader, turn.id) if entry.row.type == kind)
    return entry


@pytest.mark.parametrize(
    ("supplied", "validated", "finding"),
    [
        ('{"id": 7}', {"id": 7}, Supplied.SAME),
        (' { "b":1,\n"a":2 } ', {"a": 2, "b": 1}, Supplied.SAME),
        ('{"id": "7"}', {"id": 7}, Supplied.DIFFERENT),
        ('{"id": 912345678901234567}', {"id": 912345678901234568}, Supplied.DIFFERENT),
        ('{"id": 123456789012345678901234567890}', {"id": 123456789012345678901234567890}, Supplied.SAME),
        ('{"x": 1.0}', {"x": 1}, Supplied.DIFFERENT),
        ('{"id": 1, "id": 7}', {"id": 7}, Supplied.DIFFERENT),
        ("not json", {"id": 7}, Supplied.DIFFERENT),
        ('"7"', 7, Supplied.DIFFERENT),
    ],
)
def test_d05_supplied_and_validated_are_compared_digit_by_digit(
    ledger: tuple[turnledger.Ledger, Reader], supplied: str, validated: object, finding: Supplied
) -> None:
    recorder, reader = ledger
    with recorder.agent("a").turn("api") as turn:
        with turn.tool_call("t", supplied=supplied, validated=validated) as step:
            step.result(None)
        turn.commit("ok", reply=False)
    compared, glance = supplied_glance(reader, only(reader, turn, "TOOL_CALL"))
    assert compared is finding
    assert glance.text == supplied


def test_glances_at_texts_bytes_and_what_is_not_there(ledger: tuple[turnledger.Ledger, Reader]) -> None:
    recorder, reader = ledger
    with recorder.agent("a").turn("api", content="page\0one") as turn:
        turn.progress("ü" * 5000)
        with turn.tool_call("t", supplied="{}") as step:
            step.result(b"\x89PNG\r\n\x1a\n\xff")
        turn.commit("", reply=False)
    assert body_glance(reader, only(reader, turn, "INTAKE")).text == "page\0one"
    long = body_glance(reader, only(reader, turn, "PROGRESS"))
    assert (long.state, long.size, set(long.text)) == (GlanceState.TEXT, 10_000, {"ü"})
    assert body_glance(reader, only(reader, turn, "TOOL_RESULT")).state is GlanceState.BINARY
    assert body_glance(reader, only(reader, turn, "COMMIT"), "attachment-0").state is GlanceState.NONE


def test_a_reply_is_what_the_model_said(ledger: tuple[turnledger.Ledger, Reader]) -> None:
    recorder, reader = ledger
    body = {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi."}}],
    }
    with recorder.agent("a").turn("api") as turn:
        with turn.model_call(request={"messages": []}) as call:
            call.result(json.dumps(body))
        turn.commit("ok", reply=False)
    assert reply_glance(reader, only(reader, turn, "MODEL_RESULT")).text == "Hi."


def test_an_error_is_its_message(ledger: tuple[turnledger.Ledger, Reader]) -> None:
    recorder, reader = ledger
    turn = recorder.agent("a").turn("api")

    def refuse() -> None:
        msg = "no"
        raise ValueError(msg)

    with pytest.raises(ValueError, match="no"), turn:
        turn.tool("t", refuse, supplied="{}")
    assert error_glance(reader, only(reader, turn, "TOOL_RESULT")).text == "no"
