"""What has arrived of a reply lies beside its journal until the call has a result, on every engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.store.arrivals import arrived_replies
from turnledger.store.state import NewArrival
from turnledger.wire.compression import Packer

if TYPE_CHECKING:
    from uuid import UUID

    from tests.conformance.handwriting import Hand

CALL = "bytes=2 form=wire"
FIRST, SECOND = b"data: one\n\n" * 200, b"data: two \xf0\x9f"


def called(hand: Hand) -> tuple[UUID, UUID, UUID]:
    """A turn with an open call: conversation, turn, and the call's event id; the call is event 1."""
    agent, conversation, turn = hand.opened()
    with hand.change(agent, conversation, turn) as change:
        call = change.event(turn, "MODEL_CALL", CALL)
    return conversation, turn, call


def arrive(hand: Hand, turn: UUID, call: UUID, start: int, data: bytes) -> None:
    with hand.change(turn) as change:
        journal = change.found.journals[turn]
        change.changes.journals[journal.jid] = journal
        change.changes.arrivals.append(NewArrival(journal.jid, call, start, Packer().pack_protocol(data)))


def test_pieces_come_back_as_one_reply(hand: Hand, other: Hand) -> None:
    _, turn, call = called(hand)
    arrive(hand, turn, call, len(FIRST), SECOND)
    arrive(hand, turn, call, 0, FIRST)
    for reader in (hand.reader, other.reader):
        assert arrived_replies(reader, turn) == {1: FIRST + SECOND}


def test_a_piece_that_comes_twice_is_one(hand: Hand) -> None:
    _, turn, call = called(hand)
    for _ in range(2):
        arrive(hand, turn, call, 0, FIRST)
    assert arrived_replies(hand.reader, turn) == {1: FIRST}


def test_a_reply_ends_before_a_piece_that_is_missing_or_damaged(hand: Hand) -> None:
    conversation, turn, call = called(hand)
    arrive(hand, turn, call, len(FIRST) + 1, SECOND)
    arrive(hand, turn, call, 0, FIRST)
    assert arrived_replies(hand.reader, turn) == {1: FIRST}
    with hand.change(conversation, turn) as change:
        second = change.event(turn, "MODEL_CALL", CALL)
    with hand.change(turn) as change:
        journal = change.found.journals[turn]
        change.changes.journals[journal.jid] = journal
        change.changes.arrivals.append(NewArrival(journal.jid, second, 0, b"\1damaged"))
    assert arrived_replies(hand.reader, turn) == {1: FIRST, 2: b""}


def test_they_go_with_the_result_and_none_comes_after_it(hand: Hand) -> None:
    conversation, turn, first = called(hand)
    with hand.change(conversation, turn) as change:
        second = change.event(turn, "MODEL_CALL", CALL)
    for call in (first, second):
        arrive(hand, turn, call, 0, FIRST)
    with hand.change(conversation, turn) as change:
        change.event(turn, "MODEL_RESULT", "call=1 status=ok")
        change.changes.settled.append((change.found.journals[turn].jid, 1))
    arrive(hand, turn, first, len(FIRST), SECOND)
    assert arrived_replies(hand.reader, turn) == {2: FIRST}


def test_a_result_in_the_same_transaction_comes_first(hand: Hand) -> None:
    conversation, turn, call = called(hand)
    with hand.change(conversation, turn) as change:
        jid = change.found.journals[turn].jid
        change.changes.arrivals.append(NewArrival(jid, call, 0, Packer().pack(FIRST)))
        change.event(turn, "MODEL_RESULT", "call=1 status=ok")
        change.changes.settled.append((jid, 1))
    assert arrived_replies(hand.reader, turn) == {}


def test_only_a_call_of_that_journal_has_a_reply(hand: Hand) -> None:
    conversation, turn, _ = called(hand)
    with hand.change(conversation, turn) as change:
        guard = change.event(turn, "GUARD", "guard=pii decision=allow")
    agent, elsewhere, foreign = hand.opened("other")
    with hand.change(agent, elsewhere, foreign) as change:
        call = change.event(foreign, "MODEL_CALL", CALL)
    for event in (guard, call, turn):
        arrive(hand, turn, event, 0, FIRST)
    assert arrived_replies(hand.reader, turn) == arrived_replies(hand.reader, foreign) == {}
