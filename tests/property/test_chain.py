from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.chains import AGENT, TURN, Step, make_events
from turnledger.integrity.chain import preimage, verify_chain
from turnledger.integrity.grammar import is_summary
from turnledger.integrity.verdict import Caveat, ChainReport, Verdict

SUMMARIES = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("|"), max_size=30).filter(
    is_summary
)
STEPS = st.builds(
    Step,
    type=st.sampled_from(["GUARD", "MODEL_CALL", "TOOL_CALL", "VERIFY"]),
    summary=SUMMARIES,
    payload=st.binary(max_size=8),
    ms=st.integers(-(10**12), 10**13),
)
CHAINS = st.lists(STEPS, min_size=1, max_size=8).map(lambda steps: make_events([*steps, Step("COMMIT")]))
PLACES = st.integers(0, 10**6)

Events = list[dict[str, Any]]


def verify(events: Events) -> ChainReport:
    return verify_chain(str(TURN), str(AGENT), events)


def assert_found_at(report: ChainReport, place: int) -> None:
    assert report.verdict <= Verdict.BROKEN
    assert report.broken_at_seq == place


@given(CHAINS)
def test_an_untouched_chain_is_intact(events: Events) -> None:
    report = verify(events)
    assert (report.verdict, report.broken_at_seq, report.warnings) == (Verdict.INTACT, -1, ())
    assert (report.head, report.final_type) == (events[-1]["hash"], "COMMIT")


@given(
    CHAINS,
    PLACES,
    PLACES,
    st.sampled_from(["type", "payloadHash", "summary", "prevHash", "hash", "createdAt"]),
)
def test_a_flipped_character_is_found_at_its_event(events: Events, at: int, within: int, key: str) -> None:
    at %= len(events)
    text: str = events[at][key]
    assume(text)
    within %= len(text)
    other = chr(ord(text[within]) ^ 1)
    events[at][key] = text[:within] + other + text[within + 1 :]
    assert_found_at(verify(events), at)


@given(CHAINS, PLACES, st.integers(-(2**40), 2**40))
def test_another_seq_is_found_at_its_event(events: Events, at: int, seq: int) -> None:
    at %= len(events)
    assume(seq != at)
    events[at]["seq"] = seq
    assert_found_at(verify(events), at)


@given(CHAINS, PLACES, st.booleans())
def test_a_dropped_event_is_found_where_it_stood(
    events: Events,
    at: int,
    renumber: bool,  # noqa: FBT001  a drawn choice
) -> None:
    at %= len(events) - 1
    del events[at]
    if renumber:
        for seq, event in enumerate(events):
            event["seq"] = seq
    assert_found_at(verify(events), at)


@given(CHAINS, PLACES, PLACES, st.booleans())
def test_an_inserted_event_is_found_where_it_stands(
    events: Events,
    source: int,
    at: int,
    renumber: bool,  # noqa: FBT001  a drawn choice
) -> None:
    source, at = source % len(events), at % (len(events) + 1)
    events.insert(at, dict(events[source]))
    if renumber:
        for seq, event in enumerate(events):
            event["seq"] = seq
    # A copy in its original's place is that event; then the original is the one too many.
    assert_found_at(verify(events), at + 1 if source == at else at)


@given(CHAINS, PLACES, PLACES, st.booleans())
def test_swapped_events_are_found_at_the_first_of_them(
    events: Events,
    one: int,
    other: int,
    renumber: bool,  # noqa: FBT001  a drawn choice
) -> None:
    one, other = sorted((one % len(events), other % len(events)))
    assume(one != other)
    events[one], events[other] = events[other], events[one]
    if renumber:
        events[one]["seq"], events[other]["seq"] = one, other
    assert_found_at(verify(events), one)


@given(CHAINS, PLACES)
def test_e05_a_cut_tail_passes_and_is_named_as_not_final(events: Events, keep: int) -> None:
    keep = 1 + keep % (len(events) - 1)
    report = verify(events[:keep])
    assert (report.verdict, report.broken_at_seq) == (Verdict.INTACT, -1)
    assert report.warnings == (Caveat.NO_FINAL_EVENT,)
    assert (report.events, report.final_type) == (keep, None)


@given(CHAINS, PLACES, SUMMARIES)
def test_events_of_another_chain_do_not_continue_this_one(events: Events, at: int, summary: str) -> None:
    at = 1 + at % (len(events) - 1)
    other = make_events([Step("GUARD", f"other {summary}")] * len(events))
    assert_found_at(verify([*events[:at], *other[at:]]), at)


FIELDS = st.tuples(
    st.sampled_from(["0" * 64, "ab" * 32]),
    st.sampled_from([str(TURN), str(AGENT)]),
    st.sampled_from([str(TURN), str(AGENT)]),
    st.integers(0, 2**31 - 1),
    st.sampled_from(["A", "A_1", "GUARD"]),
    st.sampled_from(["0" * 64, "cd" * 32]),
    SUMMARIES,
    st.integers(-(10**15), 10**15),
)


@given(FIELDS, FIELDS)
def test_e01_two_readings_never_share_a_preimage(one: Any, other: Any) -> None:  # noqa: ANN401  tuples of fields
    assert (preimage(*one) == preimage(*other)) == (one == other)


@given(FIELDS)
def test_e01_a_preimage_is_read_back_from_the_outside_in(fields: Any) -> None:  # noqa: ANN401  tuple of fields
    *head, rest = preimage(*fields).decode().split("|", 6)
    summary, _, millis = rest.rpartition("|")
    assert (*head, summary, millis) == tuple(str(field) for field in fields)
