"""Files as people hand them on, with what was taken out of them: the console's tests read the same cases."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from turnledger.integrity.fixture_check import count_bodies, verify_fixture
from turnledger.integrity.journal_check import verify_journals
from turnledger.integrity.verdict import Reason, Verdict
from turnledger.wire.fixture import read_fixture

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "vectors" / "files.json").read_text())
LINES: list[str] = VECTORS["lines"]


def text_of(case: dict[str, Any]) -> bytes:
    lines = [case["replace"].get(str(place), LINES[place]) for place in case["take"]]
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("case", VECTORS["journalFiles"], ids=lambda case: case["id"])
def test_a_journal_file_gets_the_golden_verdicts(case: dict[str, Any]) -> None:
    found = [
        [
            report.header and str(report.header.journal.id),
            report.chain.verdict.value,
            str(report.chain.reason),
            report.chain.broken_at_seq,
        ]
        for report in verify_journals(io.BytesIO(text_of(case)))
    ]
    assert found == case["found"]


def test_of_copies_from_several_days_one_has_to_be_as_its_conversation_says() -> None:
    """E05: an export from before the turn's end beside the whole one is no fault."""
    whole = text_of(VECTORS["journalFiles"][0])
    lines = whole.splitlines(keepends=True)
    start = next(place for place, line in enumerate(lines) if place and line.startswith(b'{"schema"'))
    header = json.loads(lines[start])
    early = [json.dumps({**header, "events": 1}).encode() + b"\n", lines[start + 1]]
    reports = verify_journals(io.BytesIO(b"".join([*early, whole])))
    assert {report.chain.verdict for report in reports} == {Verdict.INTACT}
    cut = b"".join([*early, *lines[:start], *lines[start + header["events"] + 1 :]])
    assert verify_journals(io.BytesIO(cut))[0].chain.reason is Reason.TURN_CLOSED


@pytest.mark.parametrize("case", VECTORS["fixtures"], ids=lambda case: case["id"])
def test_bodies_of_a_fixture_are_checked_or_counted_as_not_checked(case: dict[str, Any]) -> None:
    fixture = read_fixture(json.dumps(case["fixture"]).encode())
    report = verify_fixture(fixture)
    assert (report.verdict, list(report.warnings)) == (Verdict.INTACT, case["warnings"])
    assert count_bodies(fixture) == (case["checked"], case["notChecked"])
