from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.chains import AGENT, START_MS, TURN, Step, make_events, make_rows, plain_turn, salt_of
from turnledger.errors import ForeignFileError
from turnledger.integrity.fixture_check import verify_fixture
from turnledger.integrity.verdict import Caveat, Reason, Verdict
from turnledger.wire.fixture import (
    ChainClaim,
    Fixture,
    build_fixture,
    event_objects,
    expected_block,
    file_name,
    fixture_bytes,
    read_fixture,
)


def made(steps: list[Step] | None = None, **parts: Any) -> Fixture:  # noqa: ANN401  parts of any kind
    steps = plain_turn(3) if steps is None else steps
    return build_fixture(
        agent_id=AGENT,
        turn_id=TURN,
        events=make_events(steps),
        exported_ms=START_MS,
        claim=ChainClaim(server_intact=True),
        **parts,
    )


def base64_text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


# --- form ---


def test_a_built_fixture_has_the_contracts_form_and_holds() -> None:
    whole = json.loads(fixture_bytes(made()))
    assert list(whole) == ["schema", "exportedAt", "source", "chain", "events", "expected", "commitment"]
    assert whole["schema"] == "vegaduta.turn-fixture/1"
    assert whole["exportedAt"] == "2026-10-15T10:00:00.000Z"
    assert whole["source"] == {"agentId": str(AGENT), "turnId": str(TURN)}
    assert whole["chain"] == {
        "serverIntact": True,
        "brokenAtSeq": -1,
        "verification": "ok",
        "clientVerified": None,
    }
    assert list(whole["events"][0]) == [
        "seq",
        "type",
        "payloadHash",
        "summary",
        "prevHash",
        "hash",
        "createdAt",
    ]
    assert whole["commitment"] == "hmac-sha256"
    assert verify_fixture(fixture_bytes(made())).verdict is Verdict.INTACT


def test_rows_of_a_store_become_linked_events() -> None:
    steps = plain_turn(4)
    assert list(event_objects(make_rows(steps))) == make_events(steps)
    rest = list(event_objects(make_rows(steps)[2:], make_events(steps)[1]["hash"]))
    assert rest == make_events(steps)[2:]


def test_the_file_is_named_after_the_turn() -> None:
    assert file_name(TURN) == f"turn-{TURN}.fixture.json"


def test_unknown_keys_are_kept_and_named_as_not_covered() -> None:
    whole = json.loads(fixture_bytes(made()))
    whole["events"][1]["costMinor"] = 12345678901234567890123
    whole["note"] = {"kept": [1, 2.5, "\ud83d"]}
    data = json.dumps(whole).encode("ascii")
    assert json.loads(fixture_bytes(read_fixture(data))) == whole
    report = verify_fixture(data)
    assert (report.verdict, report.warnings) == (Verdict.INTACT, (Caveat.UNHASHED_FIELDS,))


def test_an_unknown_key_at_the_top_alone_is_named_too() -> None:
    assert verify_fixture(replace(made(), extra={"note": 1})).warnings == (Caveat.UNHASHED_FIELDS,)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "UTF-8"),
        (b"SQLite format 3\x00", "not JSON"),
        (b'{"schema":"vegaduta.turn-fixture/1","schema":"x"}', "same key twice"),
        (b"[]", "no turn fixture"),
        (b"{}", "no turn fixture"),
        (b'{"schema":"vegaduta.turn-fixture/2"}', "turn-fixture/2"),
        (b'{"schema":"turnledger.evidence/1"}', "turnledger.evidence/1"),
        (b'{"schema":"vegaduta.turn-fixture/1"}', "events"),
        (b'{"schema":"vegaduta.turn-fixture/1","events":[]}', "source"),
        (b'{"schema":"vegaduta.turn-fixture/1","events":[],"source":[]}', "source"),
        (b'{"schema":"vegaduta.turn-fixture/1","events":[],"source":{},"chain":{}}', "expected"),
        (
            b'{"schema":"vegaduta.turn-fixture/1","events":[],"source":{},"chain":{},"expected":{},"salts":[]}',
            "salts",
        ),
    ],
)
def test_other_files_are_refused_with_the_reason(data: bytes, says: str) -> None:
    with pytest.raises(ForeignFileError, match=says):
        read_fixture(data)


# --- the expected block ---


def test_expected_is_computed_from_the_events() -> None:
    events = make_events(
        [
            Step("INTAKE"),
            Step("TOOL_CALL", "tool=a|b%20c validated=1"),
            Step("TOOL_CALL", "ms=3"),
            Step("COMMIT", "status=completed chars=1"),
        ]
    )
    assert expected_block(events) == {
        "eventTypes": ["INTAKE", "TOOL_CALL", "TOOL_CALL", "COMMIT"],
        "toolSequence": [f"a|b c|{events[1]['payloadHash']}", f"|{events[2]['payloadHash']}"],
        "finalAnswerHash": events[3]["payloadHash"],
        "finalStatus": "completed",
    }


def test_an_aborted_turn_has_a_status_and_no_answer() -> None:
    expected = expected_block(
        make_events([Step("INTAKE"), Step("ABORT", "status=failed reason=uncommitted")])
    )
    assert (expected["finalAnswerHash"], expected["finalStatus"]) == (None, "failed")


def test_x03_parallel_calls_stand_in_the_models_order() -> None:
    events = make_events(
        [
            Step("INTAKE"),
            Step("MODEL_RESULT"),
            Step("TOOL_CALL", "tool=second from=1 ordinal=1"),
            Step("TOOL_CALL", "tool=third from=1 ordinal=10"),
            Step("TOOL_CALL", "tool=first from=1 ordinal=0"),
            Step("MODEL_RESULT"),
            Step("TOOL_CALL", "tool=fifth from=5 ordinal=1"),
            Step("TOOL_CALL", "tool=fourth from=5 ordinal=0"),
            Step("TOOL_CALL", "tool=own"),
            Step("TOOL_CALL", "tool=words from=one ordinal=two"),
        ]
    )
    sequence = expected_block(events)["toolSequence"]
    assert isinstance(sequence, list)
    assert [entry.partition("|")[0] for entry in sequence] == [
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "own",
        "words",
    ]


@pytest.mark.parametrize("event", [None, 7, {}, {"type": ["COMMIT"]}, {"type": "TOOL_CALL", "summary": 5}])
def test_expected_of_nonsense_raises_nothing(event: object) -> None:
    assert expected_block([event])["finalStatus"] is None


@pytest.mark.parametrize("key", ["eventTypes", "toolSequence", "finalAnswerHash", "finalStatus"])
@pytest.mark.parametrize("change", ["edit", "drop"])
def test_an_expected_block_that_disagrees_is_broken(key: str, change: str) -> None:
    fixture = made()
    expected = {name: value for name, value in fixture.expected.items() if name != key}
    if change == "edit":
        expected[key] = "other"
    report = verify_fixture(replace(fixture, expected=expected))
    assert (report.verdict, report.broken_at_seq, report.reason) == (Verdict.BROKEN, -1, Reason.EXPECTED)


def test_the_senders_claim_plays_no_part() -> None:
    fixture = replace(made(), chain={"serverIntact": False, "brokenAtSeq": 1})
    assert verify_fixture(fixture).verdict is Verdict.INTACT


# --- bodies and their commitments ---

SALTS = {"1/payload": base64_text(salt_of(1)), "2/payload": base64_text(salt_of(2))}


def test_bodies_that_match_their_commitment_hold() -> None:
    salts = {f"{seq}/payload": base64_text(salt_of(seq)) for seq in range(len(made().events))}
    bodies: dict[str, object] = {key: key.partition("/")[0] for key in salts}
    fixture = made(salts=salts, bodies={**bodies, "2/payload": {"base64": base64_text(b"2")}})
    report = verify_fixture(fixture_bytes(fixture))
    assert (report.verdict, report.warnings) == (Verdict.INTACT, ())


@pytest.mark.parametrize(
    ("salts", "bodies"),
    [
        (SALTS, {"1/payload": "2"}),
        (SALTS, {"1/payload": {"base64": base64_text(b"\xff")}}),
        ({"1/payload": base64_text(salt_of(2))}, {"1/payload": "1"}),
        ({}, {"1/payload": ""}),
    ],
)
def test_another_body_or_salt_is_broken(salts: Mapping[str, str], bodies: Mapping[str, object]) -> None:
    report = verify_fixture(made(salts=salts, bodies=bodies))
    assert (report.verdict, report.broken_at_seq, report.reason) == (Verdict.BROKEN, 1, Reason.PAYLOAD)


def test_the_first_body_that_fails_is_named() -> None:
    bodies = {"2/payload": "not 2", "1/payload": "not 1"}
    assert verify_fixture(made(salts=SALTS, bodies=bodies)).broken_at_seq == 1


@pytest.mark.parametrize(
    ("salts", "bodies"),
    [
        ({}, {"1/payload": "1"}),
        (SALTS, {"1/payload": {"masked": "key [secret-1]"}}),
        (SALTS, {"1/supplied": "anything"}),
    ],
)
def test_bodies_that_nothing_here_proves_are_named(
    salts: Mapping[str, str], bodies: Mapping[str, object]
) -> None:
    report = verify_fixture(made(salts=salts, bodies=bodies))
    assert (report.verdict, report.warnings) == (Verdict.INTACT, (Caveat.BODIES_UNCHECKED,))


@pytest.mark.parametrize(
    ("salts", "bodies", "place"),
    [
        (SALTS, {"1/payload": 5}, 1),
        (SALTS, {"1/payload": {"base64": "@"}}, 1),
        (SALTS, {"1/payload": "half \ud800"}, 1),
        ({"1/payload": base64_text(b"short")}, {"1/payload": "1"}, 1),
        ({"1/payload": 5}, {"1/payload": "1"}, 1),
        (SALTS, {"3/payload": "1"}, -1),
        (SALTS, {"01/payload": "1"}, -1),
        (SALTS, {"1/other": "1"}, -1),
        ({"1": "x"}, {}, -1),
    ],
)
def test_bodies_in_another_form_are_malformed(
    salts: Mapping[str, Any], bodies: Mapping[str, object], place: int
) -> None:
    report = verify_fixture(made(salts=salts, bodies=bodies))
    assert (report.verdict, report.broken_at_seq) == (Verdict.MALFORMED, place)
    assert report.reason is Reason.BODIES_GRAMMAR


def test_an_unknown_commitment_is_malformed() -> None:
    report = verify_fixture(made(commitment="md5"))
    assert (report.verdict, report.reason) == (Verdict.MALFORMED, Reason.COMMITMENT)


@pytest.mark.parametrize("commitment", [None, "sha256"])
def test_bodies_of_other_writers_are_checked_against_plain_hashes(commitment: str | None) -> None:
    vectors = json.loads((Path(__file__).parents[3] / "vectors" / "chain.json").read_text("utf-8"))
    fixture = read_fixture(json.dumps(vectors["cases"][0]["fixture"]).encode())
    own = replace(fixture, commitment=commitment, bodies={"0/payload": "hello"})
    other = replace(own, bodies={"0/payload": "hellp"})
    assert verify_fixture(own).verdict is Verdict.INTACT
    assert verify_fixture(other).reason is Reason.PAYLOAD
