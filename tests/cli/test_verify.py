"""``turnledger verify``: finds every edit at its place, never calls good what it did not check."""

from __future__ import annotations

import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.cli.kit import Recorded, run, tamper
from turnledger.cli.program import program
from turnledger.integrity.verdict import Verdict
from turnledger.query.verify_file import verify_file
from turnledger.store.sqlite import SqliteDatabase

VECTORS = Path(__file__).parents[2] / "vectors"


def results(recorded: Recorded, *targets: object) -> tuple[int, dict[str, Any]]:
    shown = recorded.run("verify", "--json", *targets)
    return shown.status, json.loads(shown.out)


def broken(found: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [
        (one["id"], one["brokenAtSeq"], one["reason"])
        for one in found["results"]
        if one["verdict"] != "intact"
    ]


# --- what holds --------------------------------------------------------------------------------------


def test_an_untouched_ledger_is_intact_and_says_what_that_does_not_cover(support: Recorded) -> None:
    status, found = results(support, "--all")
    assert (status, found["verdict"]) == (0, "intact")
    assert [(one["kind"], one["events"]) for one in found["results"]] == [
        ("conversation", 13),
        ("turn", 14),
        ("turn", 5),
    ]
    assert set(found["results"][0]) >= {
        "target", "verdict", "brokenAtSeq", "reason", "warnings", "events", "notCovered", "bodies", "head",
    }  # fmt: skip
    assert found["notCovered"] == [
        "tail cut at rest",
        "whole-journal rewrite by a privileged user",
        "order across journals",
        "deletion of a whole conversation",
    ]


def test_intact_is_never_green(support: Recorded) -> None:
    shown = support.run("verify", "--all", env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
    assert "INTACT" in shown.out
    assert not re.search(r"\x1b\[[0-9;]*32m", shown.out)


def test_words_for_people(support: Recorded) -> None:
    assert support.run("verify", "--all").out == (
        "intact  1 conversation journal, 2 turn journals\n"
        "\n"
        "INTACT  32 events, 25 bodies checked\n"
        "not checked: tail cut at rest, whole-journal rewrite by a privileged user, order across journals,"
        " deletion of a whole conversation\n"
        "             for these, compare with a checkpoint kept elsewhere\n"
    )
    one = support.run("verify", support.ids["good"][:20]).lines
    assert one[0] == f"intact      turn {support.ids['good']}  14 events"


def test_bodies_can_be_left_out_and_then_are_not_called_checked(support: Recorded) -> None:
    status, found = results(support, "--all", "--no-bodies")
    assert status == 0
    assert {tuple(one["warnings"]) for one in found["results"]} == {("bodies-not-checked",)}
    assert sum(one["bodies"]["checked"] for one in found["results"]) == 0
    assert "0 bodies checked, 25 bodies not checked" in support.run("verify", "--all", "--no-bodies").out


def test_a_conversation_brings_its_turns(support: Recorded) -> None:
    _, found = results(support, support.ids["conversation"])
    assert [one["target"] for one in found["results"]] == [
        support.ids[name] for name in ("conversation", "good", "bad")
    ]


def test_a_running_turn_is_intact_and_not_ended(made: Recorded) -> None:
    turn = made.ledger.agent("a").turn("api", content="go")
    turn.__enter__()
    shown = made.run("verify", turn.id)
    assert shown.status == 0
    assert "not ended: it has no COMMIT or ABORT, so it is running, or its end was cut off" in shown.out
    made.ledger.close()


def test_an_empty_ledger_is_empty_not_good(made: Recorded) -> None:
    made.ledger.close()
    status, found = results(made, "--all")
    assert (status, found["results"], found["verdict"]) == (0, [], "empty")
    assert made.run("verify", "--all").out.startswith(
        "empty  the ledger holds no journal yet: nothing was checked"
    )


# --- edits of events ---------------------------------------------------------------------------------

EDITS = {
    "jid": "(SELECT max(jid) FROM journals) + 7",
    "seq": "seq + 5000",
    "cid": "cid + 1",
    "position": "position + 100000",
    "created_ms": "created_ms + 1",
    "event_id": "randomblob(16)",
    "payload_hash": "randomblob(32)",
    "hash": "randomblob(32)",
    "type": "'PROGRESS'",
    "tokens": "tokens || ' x=1'",
    "detail": "CAST(detail || ' ' AS BLOB)",
}
ONE = "WHERE eid = (SELECT eid FROM events JOIN journals USING (jid) WHERE id = ? AND seq = ?)"


def test_every_column_of_an_event_is_edited_here() -> None:
    """The cursor orders events across journals, which is shown and not proven."""
    engine = SqliteDatabase("memory:").engine()
    columns = {row[1] for row in engine._connection.execute("PRAGMA table_info(events)")}
    engine.close()
    assert columns == {*EDITS, "eid"}


@pytest.mark.parametrize("seq", [0, 3, 13])
@pytest.mark.parametrize("column", EDITS)
def test_an_edit_of_any_column_is_found_at_that_event(support: Recorded, column: str, seq: int) -> None:
    turn = support.ids["good"]
    journal = bytes.fromhex(turn.replace("-", ""))
    tamper(support.path, f"UPDATE events SET {column} = {EDITS[column]} {ONE}", values=(journal, seq))
    for target in ("--all", turn, support.ids["conversation"]):
        status, found = results(support, target)
        assert (status, found["verdict"]) == (1, "broken")
        places = {(one, at) for one, at, _ in broken(found)}
        assert (turn, seq) in places
    shown = support.run("verify", turn)
    assert shown.status == 1
    assert shown.lines[0].startswith(f"broken      turn {turn}")


@pytest.mark.parametrize("column", EDITS)
def test_an_edit_in_the_conversations_own_journal_is_found(support: Recorded, column: str) -> None:
    journal = bytes.fromhex(support.ids["conversation"].replace("-", ""))
    tamper(support.path, f"UPDATE events SET {column} = {EDITS[column]} {ONE}", values=(journal, 3))
    status, found = results(support, "--all")
    assert status == 1
    assert (support.ids["conversation"], 3) in {(one, at) for one, at, _ in broken(found)}


def test_text_that_is_no_text_is_broken_not_a_crash(support: Recorded) -> None:
    journal = bytes.fromhex(support.ids["good"].replace("-", ""))
    tamper(support.path, f"UPDATE events SET tokens = CAST(x'fffe41' AS TEXT) {ONE}", values=(journal, 2))
    status, found = results(support, "--all")
    assert status == 1
    assert (support.ids["good"], 2) in {(one, at) for one, at, _ in broken(found)}


def test_a_deleted_or_inserted_event_is_found_at_its_place(support: Recorded) -> None:
    journal = bytes.fromhex(support.ids["good"].replace("-", ""))
    tamper(support.path, f"DELETE FROM events {ONE}", values=(journal, 5))
    assert (support.ids["good"], 5, "seq") in broken(results(support, "--all")[1])


# --- edits of bodies ---------------------------------------------------------------------------------

BODY_EDITS = {
    "size": "size + 1",
    "salt": "randomblob(32)",
    "recipe": "x'00'",
    "slot": "'attachment-9'",
    "seq": "seq + 1000",
    "jid": "jid + 1000",
}


@pytest.mark.parametrize("column", BODY_EDITS)
def test_an_edit_of_any_column_of_any_body_is_found_at_its_event(
    support: Recorded, column: str, tmp_path: Path
) -> None:
    support.ledger.close()
    with closing(sqlite3.connect(support.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        bodies = connection.execute(
            "SELECT id, seq, slot FROM bodies JOIN journals USING (jid) ORDER BY jid, seq, slot"
        ).fetchall()
    assert len(bodies) == 25
    where = "WHERE jid = (SELECT jid FROM journals WHERE id = ?) AND seq = ? AND slot = ?"
    for place, (journal, seq, slot) in enumerate(bodies):
        copy = tmp_path / f"{place}.ledger"
        copy.write_bytes(support.path.read_bytes())
        tamper(
            copy, f"UPDATE bodies SET {column} = {BODY_EDITS[column]} {where}", values=(journal, seq, slot)
        )
        shown = run("verify", "--all", "--json", "--ledger", copy)
        assert shown.status == 1
        found = [(one.replace("-", ""), at) for one, at, _ in broken(json.loads(shown.out))]
        assert found == [(journal.hex(), seq)]


def test_a_body_that_nobody_pruned_is_not_taken_for_pruned(support: Recorded) -> None:
    tamper(support.path, "UPDATE bodies SET salt = NULL, recipe = NULL WHERE slot = 'supplied'")
    assert "payload" in {reason for _, _, reason in broken(results(support, "--all")[1])}


def test_the_parts_that_a_body_is_rebuilt_from_are_covered(made: Recorded) -> None:
    with made.ledger.agent("a").turn("api", content=" ".join(map(str, range(20_000)))) as turn:
        turn.commit("ok", reply=False)
    assert results(made, "--all")[0] == 0
    tamper(made.path, "UPDATE parts SET data = zeroblob(length(data))")
    assert broken(results(made, "--all")[1]) == [(str(turn.id), 0, "payload")]


# --- what is cut off ---------------------------------------------------------------------------------


def test_a_tail_cut_without_care_is_found(support: Recorded) -> None:
    journal = bytes.fromhex(support.ids["good"].replace("-", ""))
    tamper(support.path, f"DELETE FROM events {ONE}", values=(journal, 13))
    assert (support.ids["good"], 13, "head") in broken(results(support, "--all")[1])


def test_a_tail_cut_with_care_is_found_by_the_conversation(support: Recorded) -> None:
    """The turn's head is put right as well; TURN_CLOSED still says how it ended."""
    journal = f"x'{support.ids['good'].replace('-', '')}'"
    of = f"(SELECT jid FROM journals WHERE id = {journal})"
    before = f"(SELECT hash FROM events WHERE jid = {of} AND seq = 12)"
    tamper(support.path, f"UPDATE journals SET next_seq = 13, head = {before} WHERE id = {journal}")
    for table in ("events", "bodies"):
        tamper(support.path, f"DELETE FROM {table} WHERE jid = {of} AND seq = 13")
    found = results(support, support.ids["good"])[1]
    assert (support.ids["good"], -1, "turn-closed") in broken(results(support, "--all")[1])
    assert "no-final-event" in found["results"][0]["warnings"]
    assert "tail cut at rest" in found["results"][0]["notCovered"]


def test_a_deleted_turn_is_found_by_its_conversation(support: Recorded) -> None:
    journal = bytes.fromhex(support.ids["bad"].replace("-", ""))
    of = "(SELECT jid FROM journals WHERE id = ?)"
    for table in ("events", "bodies", "turns", "journals"):
        tamper(support.path, f"DELETE FROM {table} WHERE jid = {of}", values=(journal,))
    status, found = results(support, "--all")
    assert status == 1
    assert (support.ids["bad"], -1, "missing-journal") in broken(found)
    assert "its journal is gone" in support.run("verify", "--all").out


def test_a_deleted_conversation_is_named_as_not_checked(support: Recorded) -> None:
    support.ledger.agent("other").conversation("k").inbound("hi")
    for table in ("events", "bodies", "turns", "messages", "calls", "notices", "journals", "conversations"):
        key = "cid" if table not in {"bodies", "calls"} else "jid"
        inside = "1" if key == "cid" else "SELECT jid FROM journals WHERE cid = 1"
        tamper(support.path, f"DELETE FROM {table} WHERE {key} IN ({inside})")
    assert [reason for _, _, reason in broken(results(support, "--all")[1])] == ["missing-journal"]
    tamper(support.path, "UPDATE agents SET turns = 0, conversations = 0 WHERE aid = 1")
    shown = support.run("verify", "--all")
    assert "deletion of a whole conversation" in shown.out
    assert "INTACT" in shown.out


def test_a_turn_put_in_beside_every_conversation_is_found(support: Recorded) -> None:
    tamper(
        support.path,
        "INSERT INTO journals SELECT 99, kind, randomblob(16), aid, cid, 99, next_seq, head, last_ms, closed,"
        " holder, epoch, until_ms FROM journals WHERE kind = 'turn' LIMIT 1",
    )
    assert "unlisted-journal" in {reason for _, _, reason in broken(results(support, "--all")[1])}


# --- targets -----------------------------------------------------------------------------------------


def test_targets_that_cannot_be_found_do_not_hide_the_others(support: Recorded, tmp_path: Path) -> None:
    status, found = results(support, "ffffffff", support.ids["good"], tmp_path)
    assert (status, found["verdict"]) == (3, "not_checked")
    assert [one["verdict"] for one in found["results"]] == ["not_checked", "intact", "not_checked"]
    shown = support.run("verify", "ffffffff")
    assert shown.status == 3
    assert "not checked" in shown.lines[0]
    tamper(support.path, "UPDATE events SET tokens = tokens || ' x=1' WHERE type = 'GUARD'")
    assert results(support, "ffffffff", support.ids["good"])[0] == 1


def test_a_prefix_of_several_and_a_word_that_is_no_id_are_wrong_use(support: Recorded) -> None:
    assert support.run("verify", "0").status == 2
    assert support.run("verify", "no-such-file.json").status == 2
    status, found = results(support, "no-such-file.json", support.ids["good"])
    assert (status, [one["verdict"] for one in found["results"]]) == (3, ["not_checked", "intact"])


def test_files_need_no_ledger(support: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    assert support.run("export", support.ids["conversation"], "--bodies", "-o", file).status == 0
    shown = run("verify", file, "--json", "--ledger", tmp_path / "none.db")
    found = json.loads(shown.out)
    assert (shown.status, found["verdict"]) == (0, "intact")
    assert [one["target"] for one in found["results"]] == [str(file)] * 3
    assert sum(one["bodies"]["checked"] for one in found["results"]) == 25
    assert json.loads(run("verify", "-", "--json", stdin=file.read_bytes()).out)["verdict"] == "intact"


def test_progress_is_told_in_bytes_while_a_file_is_read(exported: Path) -> None:
    size = exported.stat().st_size
    told: list[int] = []
    with exported.open("rb") as stream:

        def advance(more: int) -> None:
            told.append(more)
            assert sum(told) == stream.tell()

        found = list(verify_file("it", stream, advance))
    assert {one.verdict for one in found} == {Verdict.INTACT}
    assert sum(told) == size
    assert max(told) < size / 2


def test_at_a_terminal_there_is_a_bar(exported: Path) -> None:
    shown = subprocess.run(
        ["/usr/bin/script", "-qec", f"{sys.executable} -m turnledger verify {exported}", "/dev/null"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ).stdout
    assert f"verifying {exported.name}" in shown
    assert re.search(r"[0-9.]+/[0-9.]+ kB", shown)


def test_what_comes_through_a_pipe_is_not_held_in_memory(exported: Path) -> None:
    class Pipe(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            assert 0 <= size <= 1 << 20  # the runner looks whether there is a reader by reading nothing
            return super().read(size)

    data = exported.read_bytes()
    shown = CliRunner().invoke(program, ["verify", "-", "--json"], input=Pipe(data))
    assert json.loads(shown.stdout)["verdict"] == "intact"


@pytest.mark.parametrize(
    "case", json.loads((VECTORS / "chain.json").read_text())["cases"], ids=lambda case: case["id"]
)
def test_golden_fixtures_get_the_golden_verdict(case: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "turn.fixture.json"
    file.write_text(json.dumps(case["fixture"]))
    found = json.loads(run("verify", file, "--json").out)["results"][0]
    expected = case["strict"]
    assert (found["verdict"], found["brokenAtSeq"], found["reason"]) == (
        expected["verdict"],
        expected["brokenAtSeq"],
        expected["reason"],
    )


def _edited(lines: list[bytes], place: int, old: bytes, new: bytes) -> bytes:
    assert old in lines[place]
    return b"".join([*lines[:place], lines[place].replace(old, new, 1), *lines[place + 1 :]])


@pytest.fixture
def exported(support: Recorded, tmp_path: Path) -> Path:
    file = tmp_path / "turn.jsonl"
    assert support.run("export", support.ids["good"], "--bodies", "-o", file).status == 0
    return file


def test_an_edited_journal_file_is_found_at_its_event(exported: Path) -> None:
    lines = exported.read_bytes().splitlines(keepends=True)
    for place, old, new, seq in [
        (2, b"decision=allow", b"decision=deny ", 1),
        (7, b"shipped", b"stolen!", 6),
        (5, b'"prevHash":"', b'"prevHash":"0', 4),
    ]:
        exported.write_bytes(_edited(lines, place, old, new))
        shown = run("verify", exported, "--json")
        found = json.loads(shown.out)["results"][0]
        assert (shown.status, found["brokenAtSeq"]) == (1, seq)
        assert found["verdict"] in {"broken", "malformed"}


def test_l07_a_torn_journal_file_is_torn_not_tampered(exported: Path) -> None:
    data = exported.read_bytes()
    exported.write_bytes(data[:-200])
    cut = json.loads(run("verify", exported, "--json").out)["results"][0]
    assert (cut["verdict"], cut["reason"]) == ("broken", "truncated")
    assert "torn-record" in cut["warnings"]
    assert "at byte" in cut["explanation"]
    exported.write_bytes(b"".join(data.splitlines(keepends=True)[:-1]))
    short = json.loads(run("verify", exported, "--json").out)["results"][0]
    assert (short["verdict"], short["reason"], short["brokenAtSeq"]) == ("broken", "truncated", 13)


FOREIGN = {
    "nothing": b"",
    "white space": b"  \n\n ",
    "binary": b"\x00\xff\xfe" * 1000,
    "a text": b"# a text\n",
    "an empty object": b"{}",
    "a list": b"[]",
    "another schema": b'{"schema": "something/1"}',
    "a cut fixture": b'{"schema": "vegaduta.turn-fixture/1", "events"',
    "a fixture without events": b'{"schema": "vegaduta.turn-fixture/1", "events": 3}',
    "deep lists": b"[" * 100_000,
    "deep objects": b'{"a":' * 100_000,
    "compressed": gzip.compress(b'{"schema":"turnledger.journal/1"}', mtime=0),
    "a database": b"SQLite format 3\x00" + bytes(4000),
    "a cut header": b'{"schema":"turnledger.journal/1"',
    "a header without a journal": b'{"schema":"turnledger.journal/1","journal":7}\n',
}


@pytest.mark.parametrize("content", FOREIGN.values(), ids=FOREIGN)
def test_foreign_truncated_empty_and_binary_files_are_malformed(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "evidence"
    file.write_bytes(content)
    shown = run("verify", file, "--json")
    found = json.loads(shown.out)
    assert (shown.status, found["verdict"], shown.err) == (1, "malformed", "")
    assert found["results"][0]["explanation"]
    assert "malformed" in run("verify", file).out


def test_a_bundle_is_not_checked_and_says_why(tmp_path: Path) -> None:
    bundle = json.loads((VECTORS / "bundle.json").read_text())["cases"][0]["bundle"]
    file = tmp_path / "bundle.json"
    file.write_text(json.dumps(bundle))
    shown = run("verify", file, "--json")
    found = json.loads(shown.out)["results"][0]
    assert (shown.status, found["kind"], found["verdict"]) == (3, "bundle", "not_checked")
    assert "not evidence bundles" in found["explanation"]


def test_what_cannot_be_read_is_not_checked(tmp_path: Path) -> None:
    assert run("verify", tmp_path).status == 3
    found = json.loads(run("verify", tmp_path, "--json").out)["results"][0]
    assert (found["verdict"], found["reason"]) == ("not_checked", "unreadable")


# --- what was taken out of a file ----------------------------------------------------------------------


def test_e04_a_turn_taken_out_of_an_exported_conversation_is_missed(
    support: Recorded, tmp_path: Path
) -> None:
    file = tmp_path / "c.jsonl"
    assert support.run("export", support.ids["conversation"], "--bodies", "-o", file).status == 0
    lines = file.read_bytes().splitlines(keepends=True)
    starts = [place for place, line in enumerate(lines) if line.startswith(b'{"schema"')]
    good, bad = starts[1:]
    for kept, missing in [
        (lines[:good] + lines[bad:], "good"),
        (lines[:bad], "bad"),
        (lines[:good], "good"),
    ]:
        file.write_bytes(b"".join(kept))
        shown = run("verify", file)
        assert (shown.status, "INTACT" in shown.out) == (1, False)
        assert f"opened turn {support.ids[missing]}, and its journal is not in the file" in shown.out


def test_a_conversations_own_journal_taken_out_of_its_export_is_missed(
    support: Recorded, tmp_path: Path
) -> None:
    file = tmp_path / "c.jsonl"
    for target in (support.ids["conversation"], "--all"):
        assert support.run("export", target, "-o", file).status == 0
        assert run("verify", file).status == 0
        lines = file.read_bytes().splitlines(keepends=True)
        first = next(place for place, line in enumerate(lines) if line.startswith(b'{"schema"') and place)
        file.write_bytes(b"".join(lines[first:]))
        shown = run("verify", file, "--json")
        found = json.loads(shown.out)["results"]
        turns = [one for one in found if one["reason"] == "missing-conversation"]
        assert {one["id"] for one in turns} == {support.ids["good"], support.ids["bad"]}
        assert shown.status == 1
        assert "its conversation's own journal" in turns[0]["explanation"]


def test_a_turn_exported_alone_owes_no_conversation(support: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    assert support.run("export", support.ids["good"], "-o", file).status == 0
    assert b'"with"' not in file.read_bytes().partition(b"\n")[0]
    assert run("verify", file).status == 0


def test_a_body_taken_out_of_a_fixture_is_not_passed_over(support: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "t.fixture.json"
    assert support.run("export", support.ids["bad"], "--fixture", "--bodies", "-o", file).status == 0
    assert "4 bodies checked, 1 body not checked" in run("verify", file).out  # the supplied arguments
    fixture = json.loads(file.read_text())
    del fixture["bodies"]["0/payload"]
    file.write_text(json.dumps(fixture))
    shown = run("verify", file)
    assert "3 bodies checked, 2 bodies not checked" in shown.out
    assert "not every body was checked" in shown.out
    del fixture["bodies"]
    file.write_text(json.dumps(fixture))
    assert "0 bodies checked, 4 bodies not checked" in run("verify", file).out


def test_a_journal_file_without_its_header_line_is_told_as_such(exported: Path) -> None:
    exported.write_bytes(b"".join(exported.read_bytes().splitlines(keepends=True)[1:]))
    shown = run("verify", exported)
    assert shown.status == 1
    assert "its first line is an event, not a header" in " ".join(shown.out.split())


def test_events_altered_past_reading_are_not_called_cut(exported: Path) -> None:
    exported.write_bytes(exported.read_bytes().replace(b'"seq":', b'"sqe":'))
    shown = run("verify", exported)
    assert shown.status == 1
    words = " ".join(shown.out.split())
    assert "event #0 is not written as an event: it was altered; 14 lines are no record" in words
    assert "the file was cut" not in words


def test_a_file_that_cannot_be_read_is_no_damaged_database(tmp_path: Path) -> None:
    told = run("verify", tmp_path)
    assert (told.status, "Is a directory" in told.out, "damaged" in told.out) == (3, True, False)
