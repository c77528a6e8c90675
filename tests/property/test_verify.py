"""Rows checked together and one by one: whatever is done to a ledger, both say the same of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import turnledger
from turnledger.query import turns_together, verify
from turnledger.query.journal_rows import JournalCheck
from turnledger.query.verification import Verification
from turnledger.store.sqlite import session

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = {
    "events": "jid seq cid position created_ms event_id payload_hash hash type tokens detail",
    "bodies": "jid seq slot size salt recipe",
    "parts": "pid data",
    "journals": "kind id aid cid ordinal next_seq head",
    "conversations": "id aid next_position",
}
KEYS = {
    "events": "eid",
    "bodies": "jid, seq, slot",
    "parts": "pid",
    "journals": "jid",
    "conversations": "cid",
}
EDITS = [
    (table, column)
    for table, columns in [*COLUMNS.items(), ("events", COLUMNS["events"])]  # those twice as often
    for column in columns.split()
]


class Damage(NamedTuple):
    """What becomes of one cell: ``how`` it changes, ``at`` which of its bytes, and in which ``row``."""

    edit: tuple[str, str]
    row: int
    how: str
    at: int


DAMAGES = st.builds(
    Damage,
    st.sampled_from(EDITS),
    st.integers(0, 200),
    st.sampled_from(["flip", "flip", "cut", "empty", "null", "other", "gone"]),
    st.integers(0, 200),
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three conversations, with turns of all kinds of slots and ends, and one that is under way."""
    path = tmp_path_factory.mktemp("verify") / "recorded.ledger"
    with turnledger.open(path) as ledger:
        agent = ledger.agent("support")
        talk = agent.conversation("mail:1")
        said = [{"role": "user", "content": f"Where is my order? {'really ' * 40}\n"}]
        for number in range(4):
            trigger = talk.inbound("Where is my order? " * 20 * number)
            with talk.turn(trigger=trigger) as turn:
                said.append({"role": "user", "content": f"Number {number}: " + "please \u00e9 " * 90})
                with turn.model_call(role="primary", request={"messages": said}) as call:
                    call.result({"choices": [{"text": "Let me look. " * 30}]})
                with turn.tool_call("look", supplied='{"id": "7"}', validated={"id": number}) as tool:
                    tool.result("found " * 50)
                if number == 3:
                    turn.abort("tired")
                else:
                    turn.commit("It is on its way. " * 20)
        agent.conversation("mail:2").inbound("Hello.")
        agent.conversation("mail:3").turn().__enter__()  # and never ended
    return path


def damaged(original: Path, copy: Path, damages: list[Damage]) -> bool:
    """Make a copy of the ledger with these cells edited as the owner of a file can; whether one differs."""
    copy.unlink(missing_ok=True)
    file = sqlite3.connect(copy, isolation_level=None)
    source = sqlite3.connect(original)
    source.backup(file)
    source.close()
    file.execute("PRAGMA synchronous = OFF")
    file.execute("PRAGMA ignore_check_constraints = ON")
    for kind, name in file.execute("SELECT type, name FROM sqlite_schema WHERE sql NOT NULL").fetchall():
        if kind == "trigger" or name in {"events_id", "events_position", "events_journal"}:
            file.execute(f"DROP {kind} {name}")
    file.execute("CREATE INDEX events_journal ON events (jid, seq)")
    differs = False
    for one in damages:
        try:
            differs = hurt(file, one) or differs
        except sqlite3.IntegrityError:  # it cannot be: another row has that key, or the column holds no null
            continue
    file.close()
    return differs


def hurt(file: sqlite3.Connection, damage: Damage) -> bool:
    table, column = damage.edit
    keys = KEYS[table]
    rows = file.execute(f"SELECT {column}, {keys} FROM {table} ORDER BY {keys}").fetchall()
    if not rows:
        return False
    cell, *key = rows[damage.row % len(rows)]
    where = " AND ".join(f"{name} = ?" for name in keys.split(", "))
    if damage.how == "gone":
        file.execute(f"DELETE FROM {table} WHERE {where}", key)
        return True
    new = rows[damage.at % len(rows)][0] if damage.how == "other" else changed(cell, damage)
    file.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (new, *key))
    return [(cell,)] != file.execute("SELECT ?", (new,)).fetchall()


def changed(cell: int | str | bytes | None, damage: Damage) -> object:
    if damage.how == "null" or cell is None:
        return None
    if isinstance(cell, int):
        return 0 if damage.how == "empty" else cell + damage.at - 100
    data = cell.encode() if isinstance(cell, str) else cell
    at = damage.at % max(len(data), 1)
    if damage.how == "flip":
        data = data[:at] + bytes([byte ^ 1 for byte in data[at : at + 1]]) + data[at + 1 :]
    else:
        data = data[:at] if damage.how == "cut" else b""
    return data.decode("utf-8", "replace") if isinstance(cell, str) else data


def findings(path: Path, *, bodies: bool) -> Iterator[Verification]:
    with turnledger.read(path) as reading:
        yield from verify.verify_ledger(reading.reader, bodies=bodies)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(DAMAGES, min_size=1, max_size=2), st.sampled_from([3, 256]), st.booleans())
def test_rows_together_and_one_by_one_give_the_same_findings(
    recorded: Path,
    tmp_path: Path,
    damages: list[Damage],
    portion: int,
    bodies: bool,  # noqa: FBT001
) -> None:
    copy = tmp_path / "copy.ledger"
    damaged(recorded, copy, damages)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_PORTION", portion)
        patch.setattr(turns_together, "_EVENTS", 20)
        together = [*findings(copy, bodies=bodies)]
        patch.setattr(turns_together, "_EVENTS", 0)
        patch.setattr(JournalCheck, "_all_hold", Mock(return_value=False))
        assert [*findings(copy, bodies=bodies)] == together


WAYS = {"together": (20, None), "in portions": (0, None), "one by one": (0, Mock(return_value=False))}
"""How rows are checked: so many events of turns at once, and what is asked of a portion."""


def unnoticed(path: Path) -> list[str]:
    """The ways of checking that find nothing wrong."""
    return [way for way in WAYS if all(finding.sound for finding in checked(path, way))]


def checked(path: Path, way: str) -> list[Verification]:
    events, portion = WAYS[way]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(turns_together, "_EVENTS", events)
        if portion is not None:
            patch.setattr(JournalCheck, "_all_hold", portion)
        return [*findings(path, bodies=True)]


def test_nothing_is_found_where_nothing_was_done(recorded: Path) -> None:
    """Else every change below would be noticed."""
    assert unnoticed(recorded) == [*WAYS]


@pytest.mark.parametrize("edit", dict.fromkeys(EDITS), ids=".".join)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_what_is_done_to_any_cell_is_noticed_in_each_way(
    recorded: Path, tmp_path: Path, edit: tuple[str, str], data: st.DataObject
) -> None:
    damage = data.draw(DAMAGES)._replace(edit=edit)
    copy = tmp_path / "copy.ledger"
    assert not damaged(recorded, copy, [damage]) or unnoticed(copy) == []


def test_the_id_of_no_event_can_be_changed_unnoticed(recorded: Path, tmp_path: Path) -> None:
    """The id is in no preimage: only its detail record, which the hash covers, tells it."""
    copy = tmp_path / "copy.ledger"
    with closing(sqlite3.connect(recorded)) as file:
        [events] = file.execute("SELECT count(*) FROM events").fetchone()
    for row in range(events):
        assert damaged(recorded, copy, [Damage(("events", "event_id"), row, "flip", row % 16)])
        assert unnoticed(copy) == [], row


def test_sound_rows_are_checked_together(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the test above compares the slow way with itself."""
    monkeypatch.delattr(JournalCheck, "_one_by_one")
    found = [*findings(recorded, bodies=True)]
    assert all(finding.sound for finding in found)
    monkeypatch.delattr(JournalCheck, "run")
    with pytest.raises(AttributeError), turnledger.read(recorded) as reading:
        list(verify.verify_ledger(reading.reader))
