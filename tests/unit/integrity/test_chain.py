from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests import chains
from turnledger.integrity import grammar
from turnledger.integrity.chain import GENESIS, ChainVerifier, event_hash, preimage, verify_chain
from turnledger.integrity.fixture_check import verify_fixture
from turnledger.integrity.verdict import Caveat, Reason, Verdict

VECTORS = Path(__file__).parents[3] / "vectors"
CHAIN = json.loads((VECTORS / "chain.json").read_text("utf-8"))
PREIMAGE = json.loads((VECTORS / "preimage.json").read_text("utf-8"))
TURN, AGENT = str(chains.TURN), str(chains.AGENT)


def events(count: int) -> list[dict[str, Any]]:
    return chains.make_events(chains.plain_turn(count))


@pytest.mark.parametrize("case", CHAIN["cases"], ids=lambda case: case["id"])
def test_every_turn_of_the_vectors_gets_its_strict_verdict(case: Mapping[str, Any]) -> None:
    # 7-bit JSON keeps the lone surrogate of one case as the escape that a file would hold.
    report = verify_fixture(json.dumps(case["fixture"]).encode("ascii"))
    assert {
        "verdict": report.verdict.value,
        "brokenAtSeq": report.broken_at_seq,
        "reason": report.reason,
        "warnings": list(report.warnings),
    } == case["strict"]


@pytest.mark.parametrize("row", PREIMAGE["preimages"], ids=lambda row: row["name"])
def test_preimages_byte_for_byte(row: Mapping[str, Any]) -> None:
    fields = row["fields"]
    arguments = [
        fields[key]
        for key in (
            "prevHash",
            "turnId",
            "agentId",
            "seq",
            "type",
            "payloadHash",
            "summary",
            "createdAtEpochMillis",
        )
    ]
    assert preimage(*arguments).hex() == row["preimageUtf8Hex"]
    assert event_hash(*arguments) == row["sha256"]


def test_e01_one_preimage_has_one_reading_inside_the_grammar() -> None:
    case = PREIMAGE["readingsOfOnePreimage"]
    for reading in case["readings"]:
        prev, turn, agent, seq, type_name, payload, summary, millis = reading["fields"]
        assert "|".join(reading["fields"]) == case["preimage"]
        inside = (
            grammar.is_hash(prev)
            and grammar.is_uuid(turn)
            and grammar.is_uuid(agent)
            and seq.isdecimal()
            and grammar.is_type(type_name)
            and grammar.is_hash(payload)
            and grammar.is_summary(summary)
            and millis.isdecimal()
        )
        assert inside == reading["grammarAccepts"]


def test_e07_composed_and_decomposed_text_hash_apart() -> None:
    texts = ("caf\u00e9", "cafe\u0301")
    hashes = {event_hash(GENESIS, TURN, AGENT, 0, "INTAKE", GENESIS, text, 0) for text in texts}
    assert len(hashes) == len(texts)


@pytest.mark.parametrize("field", ["type", "payloadHash", "summary", "prevHash", "hash", "createdAt", "seq"])
def test_e10_a_change_in_any_field_is_found_at_its_place(field: str) -> None:
    chain = events(4)
    chain[2][field] = {
        "type": "GUARD",
        "payloadHash": "f" * 64,
        "summary": "nothing happened",
        "prevHash": "f" * 64,
        "hash": "f" * 64,
        "createdAt": "2020-01-01T00:00:00Z",
        "seq": 7,
    }[field]
    report = verify_chain(TURN, AGENT, chain)
    assert (report.verdict, report.broken_at_seq) == (Verdict.BROKEN, 2)
    assert report.head == chain[1]["hash"]


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("seq", 2.0, Reason.SEQ_GRAMMAR),
        ("seq", True, Reason.SEQ_GRAMMAR),
        ("seq", "2", Reason.SEQ_GRAMMAR),
        ("seq", -1, Reason.SEQ_GRAMMAR),
        ("seq", 2**31, Reason.SEQ_GRAMMAR),
        ("seq", None, Reason.SEQ_GRAMMAR),
        ("seq", 2**31 - 1, Reason.SEQ),
        ("type", "_A", Reason.TYPE_GRAMMAR),
        ("type", "A" * 33, Reason.TYPE_GRAMMAR),
        ("type", "COMMIT\n", Reason.TYPE_GRAMMAR),
        ("payloadHash", "", Reason.PAYLOAD_HASH_GRAMMAR),
        ("prevHash", "f" * 63, Reason.PREV_HASH_GRAMMAR),
        ("hash", "f" * 64 + "\n", Reason.HASH_GRAMMAR),
        ("createdAt", 0, Reason.CREATED_AT_GRAMMAR),
        ("summary", ["a"], Reason.SUMMARY_GRAMMAR),
        ("summary", "a\nb", Reason.SUMMARY_GRAMMAR),
        ("summary", "a\x85b", Reason.SUMMARY_GRAMMAR),
        ("summary", "a\x7fb", Reason.SUMMARY_GRAMMAR),
        ("summary", "a\u2067b", Reason.SUMMARY_GRAMMAR),
        ("summary", "a\udc00b", Reason.SUMMARY_GRAMMAR),
        ("summary", "a" * 4097, Reason.SUMMARY_GRAMMAR),
        ("summary", "\u20ac" * 1366, Reason.SUMMARY_GRAMMAR),
        ("summary", "\u20ac" * 1365, Reason.HASH),
    ],
)
def test_fields_outside_the_grammar_are_malformed(field: str, value: object, reason: Reason) -> None:
    chain = events(4)
    chain[2][field] = value
    report = verify_chain(TURN, AGENT, chain)
    assert (report.reason, report.broken_at_seq) == (reason, 2)
    assert (report.verdict is Verdict.MALFORMED) == reason.endswith("-grammar")


def test_grammar_comes_before_place_and_links() -> None:
    chain = events(4)
    chain[2].update(seq=9, prevHash="F" * 64)
    assert verify_chain(TURN, AGENT, chain).reason is Reason.PREV_HASH_GRAMMAR


def test_an_event_that_is_no_object_is_malformed() -> None:
    report = verify_chain(TURN, AGENT, [*events(2)[:1], "x"])
    assert (report.verdict, report.broken_at_seq) == (Verdict.MALFORMED, 1)
    assert report.reason is Reason.EVENT_GRAMMAR


@pytest.mark.parametrize(
    ("turn", "agent", "reason"),
    [(None, AGENT, Reason.SOURCE_TURN_ID), (TURN, AGENT.upper(), Reason.SOURCE_AGENT_ID)],
)
def test_ids_outside_the_grammar_are_malformed(turn: object, agent: object, reason: Reason) -> None:
    report = verify_chain(turn, agent, events(1))
    assert (report.verdict, report.reason, report.broken_at_seq) == (Verdict.MALFORMED, reason, -1)


def test_e05_a_cut_tail_is_named_as_not_final() -> None:
    report = verify_chain(TURN, AGENT, events(9)[:5])
    assert (report.verdict, report.warnings, report.final_type) == (
        Verdict.INTACT,
        (Caveat.NO_FINAL_EVENT,),
        None,
    )
    assert verify_chain(TURN, AGENT, events(9)).final_type == "COMMIT"


def test_a_journal_that_never_ends_is_not_asked_for_its_end() -> None:
    assert verify_chain(TURN, AGENT, events(9)[:5], final_types=frozenset()).warnings == ()


def test_no_events_is_a_verdict_of_its_own() -> None:
    report = verify_chain(TURN, AGENT, [])
    assert (report.verdict, report.reason, report.head) == (Verdict.EMPTY, Reason.NO_EVENTS, GENESIS)
    assert not report.verdict.green


def test_a_clock_that_steps_back_is_counted_and_no_fault() -> None:
    chain = chains.make_events([chains.Step("GUARD", ms=ms) for ms in (5000, 4000, 6000)])
    report = verify_chain(TURN, AGENT, chain)
    assert (report.verdict, report.clock_steps_back) == (Verdict.INTACT, 1)


# --- rows of a store ---


def rows(count: int) -> list[list[Any]]:
    return [
        [row.seq, row.type, row.payload_hash, row.summary, row.hash, row.created_ms]
        for row in chains.make_rows(chains.plain_turn(count))
    ]


def verify_rows(stored: list[list[Any]]) -> ChainVerifier:
    verifier = ChainVerifier(TURN, AGENT)
    for row in stored:
        verifier.feed_row(*row)
    return verifier


def test_rows_and_events_give_the_same_report() -> None:
    assert verify_rows(rows(5)).report() == verify_chain(TURN, AGENT, events(5))
    assert verify_rows(rows(5)[:3]).report() == verify_chain(TURN, AGENT, events(5)[:3])


def test_rows_may_hold_digests_as_hex() -> None:
    stored = [[*row[:2], row[2].hex(), row[3], row[4].hex(), row[5]] for row in rows(3)]
    assert verify_rows(stored).report().verdict is Verdict.INTACT


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        (0, 3, Reason.SEQ),
        (0, "2", Reason.SEQ_GRAMMAR),
        (1, "lower", Reason.TYPE_GRAMMAR),
        (1, "GUARD", Reason.HASH),
        (2, b"\x00" * 31, Reason.PAYLOAD_HASH_GRAMMAR),
        (2, "F" * 64, Reason.PAYLOAD_HASH_GRAMMAR),
        (2, b"\x00" * 32, Reason.HASH),
        (3, "a\tb", Reason.SUMMARY_GRAMMAR),
        (3, "other", Reason.HASH),
        (4, b"\x00" * 33, Reason.HASH_GRAMMAR),
        (4, b"\x00" * 32, Reason.HASH),
        (5, 0, Reason.HASH),
    ],
)
def test_e10_a_change_in_any_column_is_found_at_its_row(column: int, value: object, reason: Reason) -> None:
    stored = rows(4)
    stored[2][column] = value
    report = verify_rows(stored).report()
    assert (report.reason, report.broken_at_seq, report.events) == (reason, 2, 4)


def test_the_first_fault_stays() -> None:
    verifier = ChainVerifier(TURN, AGENT)
    verifier.feed(events(2)[0])
    verifier.fail(Reason.PAYLOAD)
    verifier.fail(Reason.DETAIL)
    verifier.feed("x")
    report = verifier.report()
    assert (report.verdict, report.reason, report.broken_at_seq) == (Verdict.BROKEN, Reason.PAYLOAD, 0)


# --- portions of rows ---


def portion(count: int, forged: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
    """Rows as a store gives them; what is forged in the last but one is hashed as if it were right."""
    made: list[tuple[Any, ...]] = []
    head = GENESIS
    for seq in range(count):
        row: dict[str, Any] = {
            "type": b"PROGRESS",
            "payload": b"\x07" * 32,
            "tokens": b"kind=ack",
            "detail": b"{}",
            "ms": seq,
        }
        if seq == count - 2:
            row |= forged or {}
        tokens = row["tokens"].decode("utf-8", "replace")
        summary = f"{tokens} detail={sha256(row['detail']).hexdigest()}"
        type_ = row["type"].decode()
        head = event_hash(head, TURN, AGENT, seq, type_, row["payload"].hex(), summary, row["ms"])
        digest = bytes.fromhex(head)
        made.append(
            (seq, row["type"], row["payload"], row["tokens"], row["detail"], digest, row["ms"], b"", None)
        )
    return made


def take(verifier: ChainVerifier, rows: list[tuple[Any, ...]]) -> bool:
    return verifier.take_columns([*zip(*rows, strict=True)][:7])


def fed(taken: list[tuple[Any, ...]]) -> ChainVerifier:
    verifier = ChainVerifier(TURN, AGENT)
    for seq, type_, payload, tokens, detail, digest, ms, _, _ in taken:
        summary = f"{tokens.decode()} detail={sha256(detail).hexdigest()}"
        verifier.feed_row(seq, type_.decode(), payload, summary, digest, ms)
    return verifier


def test_a_portion_and_its_rows_give_the_same_report() -> None:
    whole = portion(9)
    taken = ChainVerifier(TURN, AGENT)
    assert take(taken, whole[:4])
    assert take(taken, whole[4:])
    assert taken.report() == fed(whole).report()
    assert not take(taken, whole[:1])
    assert taken.report() == fed(whole).report()


def test_a_clock_that_steps_back_is_counted_in_portions_too() -> None:
    taken = ChainVerifier(TURN, AGENT)
    assert take(taken, portion(4, {"ms": -7}))
    assert taken.report().clock_steps_back == 1


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (0, 5), (0, None), (0, "2"),
        (1, b"GUARD"), (1, b"\xff"), (1, "PROGRESS"),
        (2, bytes(32)), (2, "07" * 32),
        (3, b"kind=nak"), (3, None),
        (4, b"{ }"), (4, None),
        (5, bytes(32)), (5, None),
        (6, 77), (6, "2"), (6, 2.0),
    ],
)  # fmt: skip
def test_e10_a_portion_with_one_altered_row_is_not_taken(column: int, value: object) -> None:
    rows = portion(4)
    rows[2] = (*rows[2][:column], value, *rows[2][column + 1 :])
    verifier = ChainVerifier(TURN, AGENT)
    assert not take(verifier, rows)
    assert verifier.report().events == 0
    assert take(verifier, rows[:2])


@pytest.mark.parametrize(
    "forged",
    [
        {"type": b"lower"},
        {"type": b"UNKNOWN_YET"},
        {"payload": b"\x07" * 31},
        {"tokens": b"a\tb"},
        {"tokens": b"a\x7f"},
        {"tokens": "é".encode()},
        {"tokens": b"x" * 4025},
    ],
)
def test_a_portion_outside_the_grammar_is_not_taken_even_if_its_hashes_are_right(
    forged: dict[str, Any],
) -> None:
    assert not take(ChainVerifier(TURN, AGENT), portion(4, forged))
