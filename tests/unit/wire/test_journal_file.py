from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from tests.chains import AGENT, CONVERSATION, START_MS, TURN, Step, make_rows, plain_turn, salt_of
from turnledger.errors import ForeignFileError, GrammarError
from turnledger.ids import NIL
from turnledger.integrity.chain import GENESIS
from turnledger.integrity.journal_check import JournalReport, verify_journals
from turnledger.integrity.verdict import Caveat, Reason, Verdict
from turnledger.model.draft import Journal
from turnledger.model.rows import EventRow, JournalRow
from turnledger.model.vocabulary import JournalKind
from turnledger.wire.commitment import payload_hash
from turnledger.wire.journal_file import (
    BadLine,
    BodyState,
    Fault,
    FileBody,
    JournalEvent,
    JournalHeader,
    Record,
    event_line,
    header_line,
    read_journals,
)


def header_of(rows: Sequence[EventRow], **changes: Any) -> bytes:  # noqa: ANN401  any field of the row
    row = JournalRow(rows[0].journal, AGENT, CONVERSATION, 0, len(rows), rows[-1].hash)
    return header_line(replace(row, **changes), START_MS)


def lines_of(rows: Sequence[EventRow]) -> list[bytes]:
    heads = [GENESIS, *(row.hash.hex() for row in rows)]
    return [event_line(row, head, [body_of(row)]) for row, head in zip(rows, heads, strict=False)]


def body_of(row: EventRow) -> FileBody:
    data = b"%d" % row.seq
    return FileBody("payload", len(data), "text/plain", data=data, salt=salt_of(row.seq))


def turn_file(count: int) -> list[bytes]:
    rows = make_rows(plain_turn(count))
    return [header_of(rows), *lines_of(rows)]


def read(data: bytes) -> list[Record]:
    return list(read_journals(io.BytesIO(data)))


def check(data: bytes) -> JournalReport:
    (report,) = verify_journals(io.BytesIO(data))
    return report


DROP = object()


def edited(line: bytes, path: str, value: object = DROP) -> bytes:
    """The line with another value at ``path`` (keys joined by slashes), or without it."""
    fields = place = json.loads(line)
    *outer, key = path.split("/")
    for name in outer:
        place = place[name]
    if value is DROP:
        del place[key]
    else:
        place[key] = value
    return json.dumps(fields).encode() + b"\n"


# --- form ---


def test_one_event_a_line_behind_a_header() -> None:
    lines = turn_file(3)
    assert json.loads(lines[0]) == {
        "schema": "turnledger.journal/1",
        "journal": {"kind": "turn", "id": str(TURN)},
        "agentId": str(AGENT),
        "conversationId": str(CONVERSATION),
        "exportedAt": "2026-10-15T10:00:00.000Z",
        "events": 3,
    }
    event = json.loads(lines[2])
    assert list(event)[:7] == ["seq", "type", "payloadHash", "summary", "prevHash", "hash", "createdAt"]
    assert {key: event[key] for key in ("eventId", "position", "detail")} == {
        "eventId": str(UUID(int=1)),
        "position": 1,
        "detail": None,
    }
    assert event["bodies"]["payload"]["text"] == "1"
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)


def test_what_was_written_is_read() -> None:
    lines = turn_file(3)
    header, first, *_ = read(b"".join(lines))
    assert header == JournalHeader(
        Journal(JournalKind.TURN, TURN), AGENT, CONVERSATION, "2026-10-15T10:00:00.000Z", events=3
    )
    assert isinstance(first, JournalEvent)
    assert (first.number, first.offset) == (2, len(lines[0]))
    assert first.detail() is None
    assert first.bodies() == (body_of(make_rows(plain_turn(3))[0]),)


def test_the_ledger_journal_belongs_to_no_agent_and_no_conversation() -> None:
    rows = make_rows([Step("SETTING")], Journal(JournalKind.LEDGER, TURN))
    (header,) = read(header_of(rows, agent=NIL, conversation=None))
    assert isinstance(header, JournalHeader)
    assert (header.agent, header.conversation) == (NIL, None)


@pytest.mark.parametrize(
    "data", [b"plain", "caf\u00e9 \U0001f30d \u2028".encode(), b'\x00\r\n\t"\\', b"\xff\xfe", b"\xed\xa0\x80"]
)
def test_e02_d06_details_and_bodies_come_back_byte_for_byte(data: bytes) -> None:
    row = replace(make_rows([Step("INTAKE")])[0], detail=data)
    body = FileBody("payload", len(data), "application/octet-stream", data=data, salt=salt_of(0))
    _, event = read(header_of([row]) + event_line(row, GENESIS, [body]))
    assert isinstance(event, JournalEvent)
    assert event.detail() == data
    assert event.bodies() == (body,)


@pytest.mark.parametrize("state", [BodyState.PRUNED, BodyState.ERASED, BodyState.WITHHELD])
def test_a_body_that_is_gone_says_why(state: BodyState) -> None:
    row = make_rows([Step("INTAKE")])[0]
    body = FileBody("payload", 12, "text/plain", state)
    _, event = read(header_of([row]) + event_line(row, GENESIS, [body]))
    assert isinstance(event, JournalEvent)
    assert event.bodies() == (body,)


def test_the_assurance_of_the_summary_is_spelled_out() -> None:
    rows = make_rows([Step("INTAKE", "tools=1 assurance=o"), Step("COMMIT", "status=completed")])
    words = [json.loads(line)["assurance"] for line in lines_of(rows)]
    assert words == ["observed", None]


# --- files that are not whole, or not ours ---


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"\n\n", "empty"),
        (b'{"schema":"vegaduta.turn-fixture/1"}', "header"),
        (b'{"schema":"turnledger.journal/2","journal":{}}\n', "header"),
        (b'{"seq":0}\n', "header"),
        (b"[1]\n", "header"),
        (b"\x1f\x8b\x08\x00", "unpack"),
        (b"\x28\xb5\x2f\xfd\x00", "unpack"),
        (b"SQLite format 3\x00", "database"),
        (turn_file(1)[0][:60], "header"),
        (b"x" * 200_000, "header"),
    ],
)
def test_other_files_are_refused_with_the_reason(data: bytes, says: str) -> None:
    with pytest.raises(ForeignFileError, match=says):
        read(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "turnledger.journal/2"),
        ("journal", "turn"),
        ("journal/kind", "place"),
        ("journal/id", str(TURN).upper()),
        ("agentId", None),
        ("conversationId", "c"),
        ("exportedAt", 0),
        ("events", "2"),
    ],
)
def test_events_behind_an_unreadable_header_belong_to_nobody(path: str, value: object) -> None:
    lines = turn_file(2)
    data = b"".join([*lines, edited(lines[0], path, value), *lines[1:]])
    faults = [record.fault for record in read(data) if isinstance(record, BadLine)]
    assert faults == [Fault.BAD_HEADER, Fault.NO_JOURNAL, Fault.NO_JOURNAL]
    first, second = verify_journals(io.BytesIO(data))
    assert (first.chain.verdict, first.bad_line_count) == (Verdict.INTACT, 0)
    assert (second.header, second.chain.verdict, second.bad_line_count) == (None, Verdict.MALFORMED, 3)


def test_l07_a_torn_last_line_is_reported_once_and_costs_itself_alone() -> None:
    lines = turn_file(4)
    kept, torn = b"".join(lines[:4]), lines[4][:25]
    records = read(kept + torn)
    assert records[-1] == BadLine(5, len(kept), 25, Fault.TORN)
    assert [record.fields["seq"] for record in records if isinstance(record, JournalEvent)] == [0, 1, 2]


def test_l07_a_file_cut_anywhere_gives_all_whole_records_and_at_most_one_fault() -> None:
    lines = turn_file(3)
    data = b"".join(lines)
    for size in range(len(lines[0]), len(data)):
        whole = data[:size].count(b"\n")
        fragment = data[:size].rpartition(b"\n")[2]
        # A record that lost its line feed alone is whole.
        complete = fragment.endswith(b"}") and fragment + b"\n" in lines
        records = read(data[:size])
        assert sum(isinstance(record, JournalEvent) for record in records) == whole - 1 + complete
        bad = [record for record in records if isinstance(record, BadLine)]
        torn = bool(fragment) and not complete
        assert bad == [BadLine(whole + 1, size - len(fragment), len(fragment), Fault.TORN)] * torn
        assert check(data[:size]).chain.reason is (Reason.OK if whole + complete == 4 else Reason.TRUNCATED)


def test_l07_an_append_onto_a_torn_line_is_still_read() -> None:
    lines = turn_file(4)
    kept, torn = b"".join(lines[:3]), b'{"seq":2,"type":"TOOL_C'
    records = read(kept + torn + lines[4])
    assert records[3] == BadLine(4, len(kept), len(torn), Fault.TORN)
    assert isinstance(records[4], JournalEvent)
    assert (records[4].offset, records[4].fields["seq"]) == (len(kept) + len(torn), 3)
    report = check(kept + torn + lines[4])
    assert (report.chain.reason, report.chain.broken_at_seq) == (Reason.TORN, 2)
    assert [(line.offset, line.length) for line in report.bad_lines] == [(len(kept), len(torn))]


def test_l07_a_torn_record_that_was_written_again_leaves_the_chain_whole() -> None:
    lines = turn_file(4)
    report = check(b"".join([*lines[:3], lines[3][:30], b"\n", *lines[3:]]))
    assert (report.chain.verdict, report.chain.warnings) == (Verdict.INTACT, (Caveat.TORN,))


def test_a_line_that_was_taken_out_is_no_torn_record() -> None:
    lines = turn_file(4)
    report = check(b"".join([*lines[:2], *lines[3:]]))
    assert (report.chain.reason, report.chain.broken_at_seq) == (Reason.SEQ, 1)


def test_a_torn_header_is_no_journal() -> None:
    lines = turn_file(2)
    data = b"".join([*lines, lines[0][:50], lines[0], *lines[1:]])
    assert [record.fault for record in read(data) if isinstance(record, BadLine)] == [Fault.BAD_HEADER]
    reports = list(verify_journals(io.BytesIO(data)))
    assert [report.chain.verdict for report in reports] == [Verdict.INTACT, Verdict.MALFORMED, Verdict.INTACT]


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"hello\n", Fault.NOT_JSON),
        (b'{"seq":1,"seq":1}\n', Fault.NOT_JSON),
        (b'{"seq":NaN}\n', Fault.NOT_JSON),
        (b"[]\n", Fault.NOT_A_RECORD),
        (b'{"type":"GUARD"}\n', Fault.NOT_A_RECORD),
    ],
)
def test_lines_that_are_no_records_are_named_with_number_and_offset(line: bytes, fault: Fault) -> None:
    lines = turn_file(2)
    data = b"".join([*lines[:2], line, *lines[2:]])
    assert read(data)[2] == BadLine(3, len(lines[0] + lines[1]), len(line), fault)
    report = check(data)
    assert (report.chain.verdict, report.chain.warnings) == (Verdict.INTACT, (Caveat.UNREADABLE,))


def test_empty_lines_count_and_say_nothing() -> None:
    lines = turn_file(2)
    records = read(b"\n" + b"\r\n".join(line.rstrip() for line in lines))
    assert [record.number for record in records if isinstance(record, JournalEvent)] == [3, 4]
    assert not any(isinstance(record, BadLine) for record in records)


def test_a_line_beyond_all_measure_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("turnledger.wire.journal_file._LINE_BYTES", 5_000)
    lines = turn_file(2)
    long = b'{"seq":1,"x":"' + b"y" * 300_000 + b'"}\n'
    records = read(b"".join([*lines[:2], long, *lines[2:]]))
    assert records[2] == BadLine(3, len(lines[0] + lines[1]), len(long), Fault.TOO_LONG)
    assert isinstance(records[3], JournalEvent)


def test_the_reader_holds_one_line_at_a_time() -> None:
    lines = turn_file(2)

    class Endless:
        def __init__(self) -> None:
            self.given = 0

        def readline(self, size: int, /) -> bytes:
            self.given += 1
            line = lines[0] if self.given == 1 else lines[1]
            assert len(line) <= size
            return line

    source = Endless()
    reader = read_journals(source)
    for _ in range(50):
        next(reader)
    assert source.given == 50


# --- verification ---


def test_a_whole_file_holds() -> None:
    report = check(b"".join(turn_file(3)))
    assert (report.chain.verdict, report.chain.warnings, report.chain.final_type) == (
        Verdict.INTACT,
        (),
        "COMMIT",
    )
    assert report.bodies == {BodyState.PRESENT: 3}
    assert (report.bad_lines, report.bad_line_count) == ((), 0)


def test_several_journals_have_a_report_each() -> None:
    rows = make_rows([Step("OPENED"), Step("MESSAGE")], Journal(JournalKind.CONVERSATION, CONVERSATION))
    heads = [GENESIS, rows[0].hash.hex()]
    talk = [header_of(rows), *(event_line(row, head) for row, head in zip(rows, heads, strict=True))]
    first, second, third = verify_journals(io.BytesIO(b"".join([*turn_file(2), *talk, *turn_file(2)[:2]])))
    assert first.chain.verdict is Verdict.INTACT
    assert (second.chain.verdict, second.chain.warnings) == (Verdict.INTACT, ())
    assert second.bodies == {BodyState.WITHHELD: 2}
    assert (third.chain.verdict, third.chain.reason, third.chain.broken_at_seq) == (
        Verdict.BROKEN,
        Reason.TRUNCATED,
        1,
    )


def test_e05_a_file_without_a_count_cannot_show_a_cut_tail() -> None:
    lines = turn_file(3)
    uncounted = edited(lines[0], "events")
    report = check(b"".join([uncounted, *lines[1:3]]))
    assert (report.chain.verdict, report.chain.warnings) == (Verdict.INTACT, (Caveat.NO_FINAL_EVENT,))


def test_a_header_alone_is_an_empty_journal() -> None:
    header = edited(turn_file(1)[0], "events", 0)
    assert check(header).chain.verdict is Verdict.EMPTY


def test_events_that_came_during_the_export_are_no_fault() -> None:
    lines = turn_file(3)
    header = edited(lines[0], "events", 2)
    assert check(b"".join([header, *lines[1:]])).chain.verdict is Verdict.INTACT


DETAIL = json.dumps(
    {
        "id": UUID(int=0).hex,
        "slots": {
            "supplied": {
                "commitment": payload_hash(b"given", salt_of(9)).hex(),
                "bytes": 5,
                "mediaType": "text/plain",
            }
        },
    }
).encode()
DETAILED = [Step("TOOL_CALL", "tool=t assurance=w", b"0", DETAIL)]
SUPPLIED = FileBody("supplied", 5, "text/plain", data=b"given", salt=salt_of(9))


def detailed_file(path: str = "", value: object = DROP) -> bytes:
    rows = make_rows(DETAILED)
    line = event_line(rows[0], GENESIS, [body_of(rows[0]), SUPPLIED])
    return header_of(rows) + (edited(line, path, value) if path else line)


def test_a_detail_record_and_its_slots_hold() -> None:
    report = check(detailed_file())
    assert (report.chain.verdict, report.chain.warnings) == (Verdict.INTACT, (Caveat.NO_FINAL_EVENT,))
    assert report.bodies == {BodyState.PRESENT: 2}


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("detail", "{}", Reason.DETAIL),
        ("detail", DETAIL.decode() + " ", Reason.DETAIL),
        ("eventId", str(UUID(int=1)), Reason.EVENT_ID),
        ("assurance", "observed", Reason.ASSURANCE),
        ("assurance", ["write_ahead"], Reason.ASSURANCE),
        ("bodies/payload/text", "1", Reason.PAYLOAD),
        ("bodies/payload/bytes", 2, Reason.PAYLOAD),
        ("bodies/payload/salt", DROP, Reason.PAYLOAD),
        ("bodies/supplied/text", "taken", Reason.PAYLOAD),
        ("bodies/other", {"bytes": 1, "mediaType": "text/plain", "text": "0"}, Reason.PAYLOAD),
        ("bodies/payload/salt", "AAAA", Reason.BODIES_GRAMMAR),
        ("bodies/payload/salt", "@", Reason.BODIES_GRAMMAR),
        ("bodies/payload/text", DROP, Reason.BODIES_GRAMMAR),
        ("bodies/payload/mediaType", DROP, Reason.BODIES_GRAMMAR),
        ("bodies/payload/bytes", True, Reason.BODIES_GRAMMAR),
        ("bodies/payload/state", "lost", Reason.BODIES_GRAMMAR),
        ("bodies/payload/state", "present", Reason.BODIES_GRAMMAR),
        ("bodies/payload", [], Reason.BODIES_GRAMMAR),
        ("bodies", [], Reason.BODIES_GRAMMAR),
        ("detail", 5, Reason.BODIES_GRAMMAR),
    ],
)
def test_e10_what_stands_beside_an_event_is_checked_too(path: str, value: object, reason: Reason) -> None:
    report = check(detailed_file(path, value))
    assert (report.chain.reason, report.chain.broken_at_seq) == (reason, 0)
    assert report.chain.verdict is (Verdict.MALFORMED if reason is Reason.BODIES_GRAMMAR else Verdict.BROKEN)


def test_without_its_detail_record_a_slot_is_not_checked() -> None:
    report = check(detailed_file("detail"))
    assert report.chain.verdict is Verdict.INTACT
    assert {Caveat.DETAIL_UNCHECKED, Caveat.BODIES_UNCHECKED} <= set(report.chain.warnings)


def test_a_detail_that_no_token_names_is_not_covered() -> None:
    rows = make_rows([Step("COMMIT", "status=completed", b"0")])
    report = check(header_of(rows) + edited(lines_of(rows)[0], "detail", "{}"))
    assert (report.chain.verdict, report.chain.warnings) == (Verdict.INTACT, (Caveat.DETAIL_UNCHECKED,))


def test_e06_pruned_and_withheld_bodies_are_counted_and_no_fault() -> None:
    pruned = {"payload": {"bytes": 1, "mediaType": "text/plain", "state": "pruned"}}
    report = check(detailed_file("bodies", pruned))
    assert report.chain.verdict is Verdict.INTACT
    assert report.bodies == {BodyState.PRUNED: 1, BodyState.WITHHELD: 1}


def test_unknown_keys_beside_an_event_are_named() -> None:
    assert Caveat.UNHASHED_FIELDS in check(detailed_file("costMinor", 1)).chain.warnings


def test_bad_lines_are_counted_and_the_first_hundred_kept() -> None:
    report = check(b"".join([*turn_file(2), b"x\n" * 150]))
    assert (len(report.bad_lines), report.bad_line_count) == (100, 150)


def test_bodies_of_another_form_are_refused_by_name_of_the_line() -> None:
    _, event = read(detailed_file("bodies", 7))
    assert isinstance(event, JournalEvent)
    with pytest.raises(GrammarError, match="line 2"):
        event.bodies()
