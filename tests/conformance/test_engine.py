"""What an engine owes the append path: every promise of ``contract.Engine``."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from tests.conformance.handwriting import HOLDER, Hand, tamper, wants
from turnledger.errors import LedgerError
from turnledger.ids import NIL, new_id
from turnledger.model.draft import AliasKind
from turnledger.model.vocabulary import JournalKind
from turnledger.store.contract import RowConflictError
from turnledger.store.state import Conflict, IdKind, Wants

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from tests.conformance.handwriting import Change

# --- load and save ---------------------------------------------------------------------------------


def test_an_empty_store_has_nothing(hand: Hand) -> None:
    found = hand.load(new_id(), aliases=((AliasKind.AGENT, NIL, "support"),))
    assert [found.agents, found.conversations, found.journals, found.events, found.aliases] == [{}] * 5
    assert found.prunes == 0
    assert found.now_ms > 1_700_000_000_000


def test_states_come_back_as_they_were_saved(hand: Hand, other: Hand) -> None:
    with hand.change() as change:
        agent = change.agent("support")
        conversation = change.conversation(agent, connector="email", shape="dm", place=new_id())
        turn = change.turn(conversation)
        saved = change.found
    for reader in (hand, other):
        found = reader.load(agent, conversation, turn)
        assert found.agents[agent].turns == 1
        assert not found.agents[agent].new
        assert found.journals[turn].holder == HOLDER
        for agents in saved.agents.values():
            agents.new = False
        for conversations in saved.conversations.values():
            conversations.new = False
        for journals in saved.journals.values():
            journals.new = False
        assert found.agents == saved.agents
        assert found.conversations == saved.conversations
        assert found.journals == saved.journals


def test_updates_come_back_too(hand: Hand, other: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "MODEL_CALL", "bytes=2 form=wire")
        change.found.journals[turn].epoch = 7
        change.close(turn)
        second = change.turn(conversation)
        saved = change.found
    found = other.load(agent, conversation, turn, second)
    saved.journals[second].new = False
    assert found.journals[turn].closed
    assert found.journals[turn].until_ms is None
    assert found.journals == saved.journals
    assert found.conversations == saved.conversations
    assert found.agents == saved.agents


def test_a_conversation_brings_its_journal(hand: Hand) -> None:
    _, conversation, _ = hand.opened()
    hand.engine.begin()
    found = hand.engine.load(Wants(conversations={conversation}))
    hand.engine.rollback()
    assert found.conversations.keys() == found.journals.keys() == {conversation}


def test_the_ledgers_journal_has_no_agent_and_no_conversation(hand: Hand, other: Hand) -> None:
    with hand.change() as change:
        journal = change.ledger_journal()
        change.event(journal, "SETTING", "setting=retention")
    state = other.load(journal).journals[journal]
    assert (state.kind, state.agent, state.aid, state.cid) == (JournalKind.LEDGER, NIL, 0, None)
    assert state.next_seq == 1


def test_events_are_seen_again_by_their_id(hand: Hand, other: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        event = change.event(turn, "GUARD", "guard=pii decision=allow")
        written = change.changes.events[-1]
    for reader in (hand, other):
        seen = reader.load(event).events[event]
        assert (seen.event_id, seen.jid, seen.seq, seen.type) == (event, written.jid, 1, "GUARD")
        assert (seen.tokens, seen.payload_hash) == (written.tokens, written.payload_hash)
        assert (seen.hash, seen.created_ms) == (written.hash, written.created_ms)
        assert seen.position == written.position


def test_many_wants_at_once(hand: Hand, other: Hand) -> None:
    with hand.change() as change:
        agents = [change.agent(f"agent {number}") for number in range(40)]
        conversations = [change.conversation(agent) for agent in agents]
        turns = [change.turn(conversation) for conversation in conversations]
        events = [event.event_id for event in change.changes.events]
    found = other.load(*agents, *conversations, *turns, *events, *[new_id() for _ in range(40)])
    assert found.agents.keys() == set(agents)
    assert found.conversations.keys() == set(conversations)
    assert found.journals.keys() == {*conversations, *turns}
    assert found.events.keys() == set(events)
    assert len(events) == 120


@pytest.mark.parametrize(
    "name",
    ["support", "", "naïve 名前 🙂", "a\x00b", "lone \ud800 surrogate", "c" * 6000, "|=% \n\u202e"],
    ids=["plain", "empty", "unicode", "nul", "surrogate", "i05-long", "odd"],
)
def test_i05_outside_names_of_any_kind_and_length(hand: Hand, other: Hand, name: str) -> None:
    target = new_id()
    with hand.change() as change:
        agent = change.agent(name)
        change.alias(AliasKind.ACTOR, agent, name, target)
        change.alias(AliasKind.MESSAGE, agent, name, agent)
    wanted = tuple((kind, agent, name) for kind in (AliasKind.ACTOR, AliasKind.MESSAGE, AliasKind.PLACE))
    found = other.load(agent, aliases=wanted)
    assert found.aliases == {wanted[0]: target, wanted[1]: agent}
    assert found.agents[agent].name == name
    assert other.reader.alias(AliasKind.ACTOR, agent, name) == target
    assert other.reader.alias(AliasKind.ACTOR, target, name) is None
    assert other.reader.alias(AliasKind.ACTOR, agent, f"{name}x") is None
    assert other.reader.names([target, new_id()]) == {target: name}
    assert [row.name for row in other.reader.agents()] == [name]


# --- ids and parts ---------------------------------------------------------------------------------


def test_small_keys_are_never_given_twice(hand: Hand, other: Hand) -> None:
    given: dict[IdKind, list[int]] = {kind: [] for kind in IdKind}
    for writer in (hand, other, hand, other):
        with writer.change() as change:
            for _ in range(3):
                change.turn(change.conversation(change.agent()))
            given[IdKind.AGENT] += change.changes.agents
            given[IdKind.CONVERSATION] += change.changes.conversations
            given[IdKind.JOURNAL] += change.changes.journals
    assert [len(set(keys)) for keys in given.values()] == [12, 12, 24]


def test_a_key_given_twice_in_a_transaction_differs(hand: Hand) -> None:
    hand.engine.begin()
    hand.engine.load(wants(new_id()))
    keys = [hand.engine.next_id(IdKind.JOURNAL) for _ in range(300)]
    hand.engine.rollback()
    assert len(set(keys)) == 300


def test_parts_are_found_by_key_within_their_agent(hand: Hand, other: Hand) -> None:
    with hand.change():
        first = hand.engine.add_part(1, -5, b"one", 3)
        second = hand.engine.add_part(1, -5, b"two", 3)
        third = hand.engine.add_part(2, -5, b"three", 5)
        fourth = hand.engine.add_part(1, 2**63 - 1, b"\x00\xff", 2)
    assert len({first, second, third, fourth}) == 4
    other.engine.begin()
    other.engine.load(wants())
    found = set(other.engine.find_parts(1, [-5, 2**63 - 1, 77]))
    none = list(other.engine.find_parts(1, []))
    other.engine.rollback()
    assert found == {(-5, first, b"one"), (-5, second, b"two"), (2**63 - 1, fourth, b"\x00\xff")}
    assert none == []


def test_parts_of_a_rolled_back_transaction_do_not_exist(hand: Hand) -> None:
    hand.engine.begin()
    hand.engine.load(wants())
    hand.engine.add_part(1, 5, b"gone", 4)
    hand.engine.rollback()
    with hand.change():
        kept = hand.engine.add_part(1, 6, b"kept", 4)
    hand.engine.begin()
    hand.engine.load(wants())
    found = list(hand.engine.find_parts(1, [5, 6]))
    hand.engine.rollback()
    assert found == [(6, kept, b"kept")]


# --- transactions ----------------------------------------------------------------------------------


def test_a_rollback_leaves_no_trace(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    before = hand.reader.events(turn, 0, 10)
    hand.engine.rollback()  # without a transaction it does nothing

    def fail_late() -> None:
        with hand.change(agent, conversation, turn) as change:
            change.event(turn, "GUARD", "guard=pii decision=allow")
            change.conversation(agent)
            hand.engine.save(change.changes, [], change.projection)
            msg = "something above the engine"
            raise RuntimeError(msg)

    with pytest.raises(RuntimeError):
        fail_late()
    found = hand.load(agent, conversation, turn)
    assert found.journals[turn].next_seq == 1
    assert found.agents[agent].conversations == 1
    assert hand.reader.events(turn, 0, 10) == before
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "GUARD", "guard=pii decision=allow")
    assert [row.seq for row in hand.reader.events(turn, 0, 10)] == [0, 1]


def test_nothing_is_seen_before_the_commit_and_all_of_it_after(hand: Hand, other: Hand) -> None:
    with hand.change() as change:
        agent = change.agent("late")
        conversation = change.conversation(agent)
        turn = change.turn(conversation)
        hand.engine.save(change.changes, [], change.projection)
        assert other.reader.agents() == []
        assert other.reader.turn(turn) is None
        change.changes, change.projection = type(change.changes)(), type(change.projection)(lambda _: None)
    assert [row.id for row in other.reader.agents()] == [agent]
    assert other.reader.turn(turn) is not None


def test_two_writers_take_turns_and_see_each_other(hand: Hand, other: Hand) -> None:
    agent, conversation, turn = hand.opened()
    for round_ in range(6):
        writer = (hand, other)[round_ % 2]
        with writer.change(agent, conversation, turn) as change:
            assert change.found.journals[turn].next_seq == 1 + round_
            change.event(turn, "PROGRESS", f"kind=ack chars={round_}")
    events = hand.reader.events(turn, 0, 100)
    assert [row.seq for row in events] == list(range(7))
    positions = [row.position for row in hand.reader.flow(conversation, after=None, before=None, limit=100)]
    assert positions == list(range(9))


def test_writers_at_the_same_time_lose_nothing(hand: Hand, other: Hand) -> None:
    agent, conversation, turn = hand.opened()
    errors: list[Exception] = []

    def write(writer: Hand) -> None:
        done = 0
        while done < 25:
            try:
                with writer.change(agent, conversation, turn) as change:
                    change.event(turn, "PROGRESS", "kind=ack chars=1")
                done += 1
            except RowConflictError:
                continue
            except LedgerError as error:
                errors.append(error)
                return

    threads = [threading.Thread(target=write, args=(writer,)) for writer in (hand, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [row.seq for row in hand.reader.events(turn, 0, 100)] == list(range(51))
    assert hand.load(turn).journals[turn].next_seq == 51


def _twice_in_journal(change: Change, turn: UUID) -> None:
    change.event(turn, "PROGRESS", over={"seq": 0})


def _twice_in_conversation(change: Change, turn: UUID) -> None:
    change.event(turn, "PROGRESS", over={"position": 0})


def _twice_by_id(change: Change, turn: UUID) -> None:
    one = change.event(turn, "PROGRESS")
    change.event(turn, "PROGRESS", over={"event_id": one})


def _twice_claimed(change: Change, turn: UUID) -> None:
    change.event(turn, "PROGRESS")
    for target in (new_id(), new_id()):
        change.alias(AliasKind.ACTOR, turn, "U1", target)


@pytest.mark.parametrize("collide", [_twice_in_journal, _twice_in_conversation, _twice_by_id, _twice_claimed])
def test_a_taken_key_is_a_conflict_that_changes_nothing(
    hand: Hand, collide: Callable[[Change, UUID], None]
) -> None:
    agent, conversation, turn = hand.opened()
    with pytest.raises(RowConflictError), hand.change(agent, conversation, turn) as change:
        collide(change, turn)
    assert len(hand.reader.events(turn, 0, 10)) == 1
    assert hand.load(turn).journals[turn].next_seq == 1
    assert hand.reader.alias(AliasKind.ACTOR, turn, "U1") is None
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "PROGRESS")
    assert len(hand.reader.events(turn, 0, 10)) == 2


# --- what the database itself refuses --------------------------------------------------------------


OUTSIDE: dict[str, dict[str, object]] = {
    "lower-case type": {"type": "lower"},
    "empty type": {"type": ""},
    "digit first": {"type": "1A"},
    "long type": {"type": "A" * 33},
    "line end in type": {"type": "A\n"},
    "nul in type": {"type": "A\x00B"},
    "control": {"tokens": "a=\x1f"},
    "nul hides control": {"tokens": "a=\x00\n"},
    "bidi override": {"tokens": "a=\u202e"},
    "not ascii": {"tokens": "a=é"},
    "long tokens": {"tokens": "a" * 4025},
    "seq below": {"seq": -1},
    "seq beyond": {"seq": 2**31},
    "position below": {"position": -1},
    "short payload hash": {"payload_hash": bytes(31)},
    "long hash": {"hash": bytes(33)},
    "time beyond 64 bits": {"created_ms": 2**63},
}


@pytest.mark.parametrize("over", OUTSIDE.values(), ids=OUTSIDE.keys())
def test_values_outside_the_grammar_are_refused(hand: Hand, over: dict[str, object]) -> None:
    agent, conversation, turn = hand.opened()
    with pytest.raises(LedgerError), hand.change(agent, conversation, turn) as change:
        change.event(turn, "GUARD", over=over)
    assert len(hand.reader.events(turn, 0, 10)) == 1
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "G" * 32, "a" * 4012)
    assert len(hand.reader.events(turn, 0, 10)) == 2


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET type = 'X'",
        "UPDATE events SET created_ms = created_ms + 1 WHERE seq = 0",
        "DELETE FROM events WHERE seq = 0",
        "DELETE FROM events",
    ],
)
def test_the_database_refuses_to_change_events(hand: Hand, statement: str) -> None:
    _, _, turn = hand.opened()
    before = hand.reader.events(turn, 0, 10)
    with pytest.raises(Exception, match="append-only"):
        tamper(hand.url, statement)
    assert hand.reader.events(turn, 0, 10) == before


# --- leaves and conflicts --------------------------------------------------------------------------


def test_conflicts_are_kept_and_reported(hand: Hand) -> None:
    assert hand.reader.faults() == []
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        change.leaf(turn, "open", "running")
        change.changes.conflicts.append(Conflict(new_id(), change.found.now_ms, "GUARD", "a=b", bytes(32)))
    assert len(hand.reader.faults()) == 1
    assert "conflict" in hand.reader.faults()[0]


# --- leases ----------------------------------------------------------------------------------------


def test_a_lease_that_holds_is_renewed(hand: Hand, other: Hand) -> None:
    _, _, turn = hand.opened()
    before = hand.load(turn).journals[turn].until_ms
    assert before is not None
    assert hand.engine.renew(HOLDER, [(turn, 1)], 600_000) == set()
    for reader in (hand, other):
        after = reader.load(turn).journals[turn].until_ms
        assert after is not None
        assert after > before


def test_a_lease_that_was_lost_is_named(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation) as change:
        closed = change.turn(conversation)
        change.close(closed)
    unknown = new_id()
    assert hand.engine.renew(HOLDER, [(turn, 1), (closed, 1), (unknown, 1)], 1000) == {closed, unknown}
    assert hand.engine.renew(HOLDER, [(turn, 2)], 1000) == {turn}
    assert hand.engine.renew(new_id(), [(turn, 1)], 1000) == {turn}
    assert hand.engine.renew(HOLDER, [], 1000) == set()


def test_a_parked_turn_stays_parked_and_is_not_lost(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "APPROVAL", "decision=requested")
        change.found.journals[turn].until_ms = None
    assert hand.engine.renew(HOLDER, [(turn, 1)], 1000) == set()
    assert hand.load(turn).journals[turn].until_ms is None


@pytest.mark.parametrize("until_ms", [None, 1], ids=["parked", "expired"])
def test_a_turn_that_nobody_holds_is_taken_over(hand: Hand, other: Hand, until_ms: int | None) -> None:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "PROGRESS")
        change.found.journals[turn].until_ms = until_ms
    heir = new_id()
    lease = other.engine.acquire(turn, heir, 60_000)
    assert lease is not None
    assert (lease.turn, lease.agent, lease.conversation) == (turn, agent, conversation)
    assert (lease.holder, lease.epoch) == (heir, 2)
    state = hand.load(turn).journals[turn]
    assert (state.holder, state.epoch, state.until_ms) == (heir, 2, lease.until_ms)
    assert hand.engine.renew(HOLDER, [(turn, 1)], 1000) == {turn}
    assert other.engine.renew(heir, [(turn, 2)], 1000) == set()


def test_a_turn_that_is_held_or_closed_or_unknown_is_not_taken(hand: Hand, other: Hand) -> None:
    agent, conversation, turn = hand.opened()
    assert other.engine.acquire(turn, new_id(), 1000) is None
    assert other.engine.acquire(new_id(), new_id(), 1000) is None
    with hand.change(agent, conversation, turn) as change:
        change.close(turn)
    assert other.engine.acquire(turn, new_id(), 1000) is None
    assert other.engine.acquire(conversation, new_id(), 1000) is None


# --- rebuilding ------------------------------------------------------------------------------------


def _read_models(hand: Hand, agent: UUID, conversation: UUID, turn: UUID) -> list[object]:
    reader = hand.reader
    return [
        reader.turn(turn),
        reader.conversation(conversation),
        reader.messages(conversation, -1, 10),
        reader.memory(agent, None, None, 10),
    ]


def test_read_models_are_rebuilt_from_events(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        change.event(conversation, "MESSAGE", "direction=inbound chars=5")
        change.event(turn, "MEMORY_WRITE", f"entry={new_id()} revision=1 op=create")
        change.event(turn, "MODEL_CALL", "bytes=2 form=wire")
        change.event(turn, "MODEL_RESULT", "call=2 status=ok in=5 out=7")
    before = _read_models(hand, agent, conversation, turn)
    assert None not in before
    with hand.engine.rebuilding() as apply:
        for projection in hand.projections:
            apply(projection)
    assert _read_models(hand, agent, conversation, turn) == before
    with hand.engine.rebuilding():
        pass
    assert _read_models(hand, agent, conversation, turn) == [None, None, [], []]


def test_a_rebuild_that_fails_changes_nothing(hand: Hand) -> None:
    agent, conversation, turn = hand.opened()
    before = _read_models(hand, agent, conversation, turn)
    error = RuntimeError("something above the engine")
    with pytest.raises(RuntimeError), hand.engine.rebuilding():
        raise error
    assert _read_models(hand, agent, conversation, turn) == before
    with hand.change(agent, conversation, turn) as change:
        change.event(turn, "PROGRESS")
    assert len(hand.reader.events(turn, 0, 10)) == 2


def test_closing_twice_and_notifying_do_no_harm(hand: Hand) -> None:
    hand.opened()
    hand.engine.notify()
    hand.engine.close()
    hand.engine.close()
    assert len(hand.reader.agents()) == 1
