"""What a reader owes everybody: every promise of ``contract.Reader`` but for paging and bodies."""

from __future__ import annotations

import hashlib
import threading
from uuid import UUID

import pytest

from tests.conformance.handwriting import HOLDER, Hand, tamper
from turnledger.errors import LedgerClosedError
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind, Journal
from turnledger.model.rows import AgentRow, JournalRow
from turnledger.model.vocabulary import Direction, InboundVerdict, JournalKind, MemoryOp, Shape, TurnStatus
from turnledger.store.contract import ConversationFilter, Page, RecordedBody, RecordedEvent, TurnFilter

# --- the ledger ------------------------------------------------------------------------------------


def test_a_ledger_keeps_its_id(hand: Hand, other: Hand) -> None:
    assert hand.reader.ledger_id() == other.reader.ledger_id() != NIL


def test_a_healthy_ledger_has_no_faults(hand: Hand) -> None:
    hand.opened()
    assert hand.reader.faults() == []


def test_a_missing_guard_is_a_fault(hand: Hand) -> None:
    on_table = " ON events" if hand.url.startswith("postgresql://") else ""
    tamper(hand.url, f"DROP TRIGGER events_refuse_update{on_table}", "DROP INDEX events_position")
    faults = "\n".join(hand.reader.faults())
    assert "events_refuse_update" in faults
    assert "events_position" in faults


def test_a_closed_reader_says_so(hand: Hand) -> None:
    reader = hand.database.reader()
    assert reader.agents() == []
    reader.close()
    reader.close()
    with pytest.raises(LedgerClosedError):
        reader.agents()


def test_many_threads_read_at_once(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    reader = hand.reader
    seen: list[object] = []

    def read() -> None:
        for _ in range(20):
            with reader.snapshot():
                seen.append((reader.turn(turn), reader.conversation(conversation)))

    threads = [threading.Thread(target=read) for _ in range(12)]
    for thread in threads:
        thread.start()
    for number in range(20):
        with hand.change(agent, conversation, turn) as change:
            change.event(turn, "PROGRESS", f"kind=ack chars={number}")
    for thread in threads:
        thread.join()
    assert len(seen) == 240
    assert None not in seen


def test_a_snapshot_sees_one_state(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with hand.reader.snapshot():
        before = hand.reader.turn(turn)
        with hand.change(agent, conversation, turn) as change:
            change.event(turn, "MODEL_CALL", "bytes=1 form=wire")
        assert hand.reader.turn(turn) == before
        with hand.reader.snapshot():
            assert hand.reader.turn(turn) == before
        assert len(hand.reader.events(turn, 0, 10)) == 1
    after = hand.reader.turn(turn)
    assert after is not None
    assert after.model_calls == 1
    assert len(hand.reader.events(turn, 0, 10)) == 2


# --- read models -----------------------------------------------------------------------------------


def test_agents_come_by_name_with_their_counts(hand: Hand) -> None:
    with hand.change() as change:
        zoe = change.agent("zoe")
        change.turn(change.conversation(zoe))
        change.conversation(zoe)
        amy = change.agent("Amy")
        now = change.found.now_ms
    assert hand.reader.agents() == [AgentRow(amy, "Amy", now, 0, 0), AgentRow(zoe, "zoe", now, 2, 1)]


def test_a_turn_sums_its_exchanges(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    parent = new_id()
    running = hand.reader.turn(turn)
    assert running is not None
    assert (running.status, running.tokens_in, running.open_steps) == (TurnStatus.RUNNING, None, 0)
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "MODEL_CALL", "bytes=1 form=wire")
        change.event(turn, "MODEL_RESULT", "call=1 status=ok in=10 out=3 cacheRead=100")
        change.event(turn, "TOOL_CALL", "tool=search validated=1")
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "TOOL_RESULT", "call=3 tool=search status=error")
        change.event(turn, "MODEL_CALL", "bytes=1 form=wire")
        change.event(turn, "MODEL_RESULT", "call=5 status=ok in=20 out=4 reasoning=9")
        change.event(turn, "ERROR", "stage=tool class=KeyError")
        change.event(turn, "INTAKE", f"parentTurn={parent}")
        change.close(turn, "failed", "class=KeyError ")
        closed_ms = change.found.now_ms
    row = hand.reader.turn(turn)
    assert row is not None
    assert (row.id, row.agent, row.agent_name, row.conversation) == (turn, agent, "support", conversation)
    assert (row.status, row.error_class, row.trigger) == (TurnStatus.FAILED, "KeyError", "api")
    assert (row.closed_ms, row.ms, row.opened_ms, row.ordinal) == (closed_ms, 1200, running.opened_ms, 0)
    assert (row.model_calls, row.tool_calls, row.open_steps, row.errors) == (2, 1, 0, 2)
    assert (row.tokens_in, row.tokens_out, row.cache_read) == (30, 7, 100)
    assert (row.cache_write, row.reasoning, row.parent) == (None, 9, parent)
    head = hand.reader.events(turn, 0, 100)[-1]
    assert (row.events, row.head) == (head.seq + 1, head.hash)
    about = hand.reader.conversation(conversation)
    assert about is not None
    assert (about.turns, about.open_turns, about.failed_turns) == (1, 0, 1)
    assert (about.tokens_in, about.tokens_out) == (130, 16)


def test_tokens_that_nobody_reported_are_unknown_and_not_none_at_all(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()

    def counts() -> tuple[int | None, int | None]:
        about = hand.reader.conversation(conversation)
        assert about is not None
        return about.tokens_in, about.tokens_out

    assert counts() == (None, None)
    for told, expected in (
        ("", (None, None)),
        (" out=0", (None, 0)),
        (" in=0", (0, 0)),
        ("", (0, 0)),
        (" cacheRead=5 reasoning=2", (5, 2)),
    ):
        with hand.change(agent, conversation, turn) as change:
            change.event(turn, "MODEL_RESULT", f"call=1 status=ok{told}")
        assert counts() == expected


def test_d05_token_counts_that_are_absurd_do_not_stop_the_record(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    for _ in range(3):
        with hand.change(agent, conversation, turn) as change:
            for _ in range(10):
                change.event(turn, "MODEL_CALL", "bytes=1 form=wire")
                change.event(turn, "MODEL_RESULT", f"call=1 status=ok in={10**18 - 1} out={10**30}")
    row = hand.reader.turn(turn)
    assert row is not None
    assert row.events == 61


def test_a_conversation_row_has_names_and_counts(hand: Hand) -> None:
    place = new_id()
    with hand.change() as change:
        agent = change.agent("support")
        conversation = change.conversation(agent, connector="slack", shape="channel", place=place)
        change.alias(AliasKind.CONVERSATION, agent, "slack:C042", conversation)
        change.alias(AliasKind.PLACE, agent, "C042", place)
        change.event(conversation, "MESSAGE", "direction=inbound chars=3")
        now = change.found.now_ms
    row = hand.reader.conversation(conversation)
    assert row is not None
    assert (row.id, row.agent, row.agent_name) == (conversation, agent, "support")
    assert (row.key, row.connector, row.shape, row.place) == ("slack:C042", "slack", Shape.CHANNEL, "C042")
    assert (row.opened_ms, row.last_ms, row.events, row.messages, row.turns) == (now, now, 2, 1, 0)
    assert hand.reader.conversation(new_id()) is None


def test_only_events_of_its_own_journal_are_a_conversations_last_activity(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    opened = hand.reader.conversation(conversation)
    assert opened is not None
    with hand.change(agent, conversation, turn) as change:
        step: dict[str, object] = {"created_ms": opened.last_ms + 500}
        change.event(turn, "MODEL_CALL", "bytes=2 form=wire", over=step)
        change.event(turn, "MODEL_RESULT", "call=1 status=ok in=5 out=7", over=step)
        change.event(turn, "TOOL_CALL", "tool=pay", over=step)
    row = hand.reader.conversation(conversation)
    assert row is not None
    assert (row.last_ms, row.tokens_in, row.tokens_out) == (opened.last_ms, 5, 7)
    with hand.change(agent, conversation, turn) as change:
        change.event(conversation, "GUARD", "check=x", over={"created_ms": opened.last_ms + 400})
        change.event(
            turn, "MODEL_RESULT", "call=1 status=ok in=1 out=1", over={"created_ms": opened.last_ms + 600}
        )
    row = hand.reader.conversation(conversation)
    assert row is not None
    assert (row.last_ms, row.tokens_in) == (opened.last_ms + 400, 6)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, "abcde"),
        ({"connector": "email"}, "b"),
        ({"shape": Shape.DM}, "bc"),
        ({"shape": Shape.DM, "connector": "slack"}, "c"),
        ({"open_turns": True}, "ae"),
        ({"waiting_turns": True}, "e"),
        ({"failed_turns": True}, "c"),
        ({"connector": "nowhere"}, ""),
    ],
    ids=repr,
)
def test_conversations_are_filtered(hand: Hand, where: dict[str, object], expected: str) -> None:
    made = _five_conversations(hand)
    filters: list[dict[str, object]] = [where, where | {"agent": made["agent"]}]
    for one in filters:
        rows = hand.reader.conversations(ConversationFilter(**one), Page())  # type: ignore[arg-type]
        assert {row.id for row in rows} == {made[letter] for letter in expected}
    rows = hand.reader.conversations(ConversationFilter(agent=new_id()), Page())
    assert rows == []
    waits = hand.reader.conversation(made["e"])
    assert waits is not None
    assert (waits.open_turns, waits.waiting_turns) == (2, 1)


def _five_conversations(hand: Hand) -> dict[str, UUID]:
    made: dict[str, UUID] = {"place": new_id(), "actor": new_id()}
    with hand.change() as change:
        agent = made["agent"] = change.agent("support")
        made["a"] = change.conversation(agent, place=made["place"])
        made["b"] = change.conversation(agent, connector="email", shape="dm")
        made["c"] = change.conversation(agent, shape="dm")
        made["d"] = change.conversation(agent, connector=None, shape="session")
        made["e"] = change.conversation(agent)
        change.turn(made["a"])
        change.turn(made["e"])
        change.event(change.turn(made["e"]), "APPROVAL", "subject=1 decision=requested")
        answered = change.turn(made["a"])
        change.event(answered, "APPROVAL", "subject=1 decision=requested")
        change.event(answered, "APPROVAL", "subject=1 decision=granted")
        change.close(change.turn(made["c"]), "failed")
        change.close(change.turn(made["d"]))
        change.event(made["b"], "MESSAGE", f"direction=inbound actor={made['actor']} chars=3")
        change.event(made["c"], "MESSAGE", f"direction=inbound actor={made['actor']} chars=3")
        change.event(made["c"], "MESSAGE", f"direction=inbound actor={made['actor']} chars=3")
    return made


def test_conversations_are_filtered_by_place_actor_and_time(hand: Hand) -> None:
    made = _five_conversations(hand)
    agent, now = made["agent"], hand.reader.agents()[0].opened_ms

    def found(**where: object) -> set[UUID]:
        rows = hand.reader.conversations(ConversationFilter(**where), Page())  # type: ignore[arg-type]
        return {row.id for row in rows}

    everything = {made[letter] for letter in "abcde"}
    assert found(place=made["place"]) == found(place=made["place"], agent=agent) == {made["a"]}
    assert (
        found(place=made["place"], actor=made["actor"])
        == found(place=made["place"], waiting_turns=True)
        == set()
    )
    assert found(place=made["place"], agent=new_id()) == found(place=new_id()) == set()
    assert found(actor=made["actor"]) == found(actor=made["actor"], agent=agent) == {made["b"], made["c"]}
    assert found(actor=made["actor"], agent=new_id()) == found(actor=new_id()) == set()
    assert found(since_ms=now, until_ms=now + 1) == found(since_ms=now, agent=agent) == everything
    assert found(since_ms=now + 1) == found(until_ms=now) == found(until_ms=now, actor=made["actor"]) == set()


def test_turns_are_filtered(hand: Hand) -> None:
    with hand.change() as change:
        agent, other = change.agent("one"), change.agent("two")
        talks = [change.conversation(agent), change.conversation(agent), change.conversation(other)]
        turns = [change.turn(talk) for talk in talks for _ in range(2)]
        change.close(turns[0], "failed")
        change.close(turns[3])
        change.close(turns[5], "failed")
        now = change.found.now_ms

    def found(**where: object) -> list[int]:
        rows = hand.reader.turns(TurnFilter(**where), Page())  # type: ignore[arg-type]
        return [turns.index(row.id) for row in rows]

    failed, ended = frozenset({TurnStatus.FAILED}), frozenset({TurnStatus.FAILED, TurnStatus.COMPLETED})
    assert sorted(found()) == [0, 1, 2, 3, 4, 5]
    assert found(agent=agent) == [3, 2, 1, 0]
    assert found(conversation=talks[1]) == [3, 2]
    assert found(conversation=talks[1], agent=other) == found(agent=new_id()) == []
    assert sorted(found(statuses=failed)) == [0, 5]
    assert found(statuses=failed, agent=agent) == [0]
    assert found(statuses=ended, agent=agent) == [3, 0]
    assert found(statuses=ended, conversation=talks[0]) == [0]
    assert sorted(found(since_ms=now, until_ms=now + 1)) == [0, 1, 2, 3, 4, 5]
    assert found(since_ms=now + 1) == found(until_ms=now, agent=agent) == []


def test_messages_tell_their_fate(hand: Hand) -> None:
    actor = new_id()
    with hand.change() as change:
        agent = change.agent("support")
        talk = change.conversation(agent)
        change.alias(AliasKind.ACTOR, agent, "U7", actor)
        sent = [
            change.event(talk, "MESSAGE", f"direction=inbound actor={actor} chars={chars}")
            for chars in range(7)
        ]
    with hand.change(agent, talk) as change:
        change.event(talk, "VERDICT", "message=1 verdict=engage")
        turn = change.turn(talk, trigger="1")
        change.event(talk, "VERDICT", "message=2 verdict=observe")
        change.event(talk, "COLLAPSED", "message=3 into=1")
        change.event(talk, "SHED", "message=4 reason=queue_full")
        change.event(talk, "VERDICT", "message=5 verdict=engage")
        change.event(talk, "VERDICT", "message=6 verdict=nonsense")
        change.event(talk, "MESSAGE", f"direction=outbound chars=9 turn={turn} replyTo=1")
        change.event(talk, "MESSAGE", "direction=sideways chars=9")
    with hand.change(agent, talk) as change:
        change.event(talk, "DELIVERY", "message=15 status=failed attempt=1")
    rows = hand.reader.messages(talk, -1, 100)
    assert [row.seq for row in rows] == [1, 2, 3, 4, 5, 6, 7, 15]
    assert [row.fate for row in rows] == ["turn", "observe", "collapsed", "shed", None, None, None, "failed"]
    first, answer = rows[0], rows[-1]
    assert (first.conversation, first.event_id, first.direction) == (talk, sent[0], Direction.INBOUND)
    assert (first.actor, first.actor_name, first.chars) == (actor, "U7", 0)
    assert (first.verdict, first.turn) == (InboundVerdict.ENGAGE, turn)
    assert (answer.direction, answer.actor, answer.turn, answer.verdict) == (
        Direction.OUTBOUND,
        None,
        turn,
        None,
    )
    assert [row.seq for row in hand.reader.messages(talk, 3, 2)] == [4, 5]
    assert hand.reader.messages(new_id(), -1, 10) == []


def test_memory_lists_revisions_newest_first(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    first, second = new_id(), new_id()
    with hand.change(agent, talk, turn) as change:
        other_talk = change.conversation(agent)
        change.alias(AliasKind.MEMORY, agent, "colour", first)
        one = change.event(turn, "MEMORY_WRITE", f"entry={first} revision=1 op=create")
        two = change.event(turn, "MEMORY_WRITE", f"entry={first} revision=2 op=update")
        three = change.event(other_talk, "MEMORY_WRITE", f"entry={second} revision=1 op=create")
        # Two writers may claim the same revision: both are on record.
        four = change.event(other_talk, "MEMORY_WRITE", f"entry={first} revision=2 op=delete")
        now = change.found.now_ms
    rows = hand.reader.memory(agent, first, None, 10)
    assert {row.event_id for row in rows[:2]} == {two, four}
    assert rows[2].event_id == one
    assert (rows[2].entry, rows[2].key, rows[2].revision, rows[2].op) == (first, "colour", 1, MemoryOp.CREATE)
    assert (rows[2].created_ms, rows[2].conversation, rows[2].turn) == (now, talk, turn)
    assert {row.event_id for row in hand.reader.memory(agent, None, None, 10)} == {one, two, three, four}
    assert {row.event_id for row in hand.reader.memory(agent, None, other_talk, 10)} == {three, four}
    assert [row.event_id for row in hand.reader.memory(agent, first, other_talk, 10)] == [four]
    assert hand.reader.memory(agent, second, None, 10)[0].turn is None
    assert len(hand.reader.memory(agent, None, None, 2)) == 2
    assert hand.reader.memory(new_id(), None, None, 10) == []


def test_leases_of_open_turns(hand: Hand) -> None:
    with hand.change() as change:
        agent = change.agent("support")
        talk = change.conversation(agent)
        held, parked, expired, closed = (change.turn(talk) for _ in range(4))
        change.found.journals[parked].until_ms = None
        change.found.journals[expired].until_ms = 1
        change.close(closed)
    rows = {row.turn: row for row in hand.reader.leases(expired=False, limit=10)}
    assert rows.keys() == {held, parked, expired}
    assert (rows[held].agent, rows[held].conversation, rows[held].holder) == (agent, talk, HOLDER)
    assert (rows[parked].until_ms, rows[expired].until_ms, rows[expired].epoch) == (None, 1, 1)
    assert [row.turn for row in hand.reader.leases(expired=True, limit=10)] == [expired]
    assert len(hand.reader.leases(expired=False, limit=2)) == 2


# --- journals and events ---------------------------------------------------------------------------


def test_journals_in_the_order_they_were_opened(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent) as change:
        ledger = change.ledger_journal()
        change.event(ledger, "SETTING", "setting=retention")
        head = change.found.journals[ledger].head
    assert hand.reader.journal(ledger) == JournalRow(
        Journal(JournalKind.LEDGER, ledger), NIL, None, 0, 1, head
    )
    assert [row.journal.id for row in hand.reader.journals(None, None, 10)] == [talk, turn, ledger]
    assert [row.journal.id for row in hand.reader.journals(None, talk, 1)] == [turn]
    assert [row.journal.id for row in hand.reader.journals(JournalKind.TURN, None, 10)] == [turn]
    row = hand.reader.journals(JournalKind.CONVERSATION, None, 10)[0]
    assert (row.agent, row.conversation, row.ordinal, row.events) == (agent, talk, 0, 2)
    assert hand.reader.journals(None, ledger, 10) == hand.reader.journals(None, new_id(), 10) == []
    assert hand.reader.journal(new_id()) is None


def test_an_event_comes_back_whole(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent, talk, turn) as change:
        event_id = change.event(
            turn, "TOOL_CALL", "tool=a validated=1", {"payload": b"{}", "supplied": b"{ }"}
        )
        written = change.changes.events[-1]
    row = hand.reader.event(event_id)
    assert row is not None
    assert row == hand.reader.events(turn, 1, 1)[0]
    assert (row.journal, row.agent) == (Journal(JournalKind.TURN, turn), agent)
    assert (row.conversation, row.seq, row.type) == (talk, 1, "TOOL_CALL")
    assert row.summary == f"{written.tokens} detail={hashlib.sha256(written.detail).hexdigest()}"
    assert (row.payload_hash, row.hash, row.detail) == (written.payload_hash, written.hash, written.detail)
    assert (row.created_ms, row.position, row.event_id) == (written.created_ms, written.position, event_id)
    assert [(body.slot, body.size, body.present) for body in row.bodies] == [
        ("payload", 2, True),
        ("supplied", 3, True),
    ]
    assert hand.reader.event(new_id()) is None


def test_an_event_of_the_ledgers_journal_has_no_conversation(hand: Hand) -> None:
    with hand.change() as change:
        journal = change.ledger_journal()
        event_id = change.event(journal, "SETTING", "setting=retention")
    row = hand.reader.event(event_id)
    assert row is not None
    assert (row.agent, row.conversation, row.position, row.bodies) == (NIL, None, None, ())


def test_recorded_rows_are_given_as_they_lie(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    with hand.change(agent, talk, turn) as change:
        for number in range(3):
            slots = {"payload": b"x" * number, "supplied": b"y"}
            change.event(turn, "TOOL_CALL", f"tool=t{number} validated=1", slots)
        written = change.changes.events
    rows = [RecordedEvent(*row) for rows in hand.reader.recorded_events(turn) for row in rows]
    assert [row.seq for row in rows] == [0, 1, 2, 3]
    assert (rows[1].type, rows[1].tokens, rows[1].detail) == (
        b"TOOL_CALL",
        written[0].tokens.encode(),
        written[0].detail,
    )
    assert (rows[1].payload_hash, rows[1].hash) == (written[0].payload_hash, written[0].hash)
    assert (rows[1].created_ms, rows[1].position) == (written[0].created_ms, written[0].position)
    assert rows[1].event_id == written[0].event_id.bytes
    bodies = [RecordedBody(*row) for rows in hand.reader.recorded_bodies(turn) for row in rows]
    assert [(body.seq, body.slot, body.size) for body in bodies] == [
        (seq, slot, size) for seq in (1, 2, 3) for slot, size in (("payload", seq - 1), ("supplied", 1))
    ]
    assert {type(body.salt) for body in bodies} == {bytes}
    assert list(hand.reader.recorded_events(new_id())) == []
    assert list(hand.reader.recorded_bodies(new_id())) == []


def test_ids_are_found_by_their_first_digits(hand: Hand) -> None:
    agent, talk, turn = hand.opened()
    event = hand.reader.events(turn, 0, 1)[0].event_id
    kinds = {"turn": turn, "conversation": talk, "agent": agent, "event": event}
    for kind, wanted in kinds.items():
        text = str(wanted)
        assert hand.reader.find(text, 10) == [(kind, wanted)]
        for length in (14, 30, 35):
            assert (kind, wanted) in hand.reader.find(text[:length], 100)
    assert len(hand.reader.find(str(turn)[:8], 3)) == 3
    assert {kind for kind, _ in hand.reader.find("", 100)} == set(kinds)


@pytest.mark.parametrize(
    "prefix", ["ffffffff", "xyz", "0-0", "0193A", "%", "é", "0" * 40, "00000000000", " 0"]
)
def test_what_is_no_ids_beginning_finds_nothing(hand: Hand, prefix: str) -> None:
    hand.opened()
    assert hand.reader.find(prefix, 10) == []


def test_the_unknown_is_nothing_and_no_error(hand: Hand) -> None:
    hand.opened()
    reader, unknown = hand.reader, new_id()
    assert reader.turn(unknown) is None
    assert reader.conversation(unknown) is None
    assert reader.body(unknown, "payload") is None
    assert reader.events(unknown, 0, 10) == []
    assert reader.flow(unknown, after=None, before=None, limit=10) == []
    assert reader.names([unknown]) == reader.names([]) == {}
