"""The end of an event stream is found wherever its pieces are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.adapters.terminal import TerminalMarker

EVENT = b'data: {"choices": [{"delta": {"content": "[DONE] or message_stop"}}]}\n\n'
ENDS = (
    b"data: [DONE]\n\n",
    b"data:[DONE]\r\n\r\n",
    b'event: message_stop\ndata: {"type": "message_stop"}\n\n',
    b'event: response.completed\ndata: {"type": "response.completed"}\n\n',
    b'event: message-end\r\ndata: {"type": "message-end"}\r\n\r\n',
)

cuts = st.lists(st.integers(0, 400), max_size=12)


def found_at(stream: bytes, places: list[int]) -> list[int]:
    """How many bytes had arrived whenever the end was seen."""
    marker, seen, before = TerminalMarker(), list[int](), 0
    for place in [*sorted({place for place in places if 0 < place < len(stream)}), len(stream)]:
        if marker.passed(stream[before:place]):
            seen.append(place)
        before = place
    return seen


@pytest.mark.parametrize("end", ENDS)
@given(events=st.integers(0, 4), places=cuts)
def test_the_piece_that_completes_the_last_event_is_the_end(
    end: bytes, events: int, places: list[int]
) -> None:
    stream = EVENT * events + end
    (seen,) = found_at(stream, places)
    assert seen == len(stream)


@pytest.mark.parametrize("end", ENDS)
def test_whole_events_are_told_apart_as_pieces_are(end: bytes) -> None:
    marker = TerminalMarker()
    assert [marker.passed(piece) for piece in (EVENT, EVENT, end)] == [False, False, True]
    assert not marker.passed(EVENT)


@given(places=cuts)
def test_words_inside_of_an_event_are_no_end(places: list[int]) -> None:
    assert found_at(EVENT * 4, places) == []


def test_a_piece_of_two_events_is_none_that_is_whole() -> None:
    assert TerminalMarker().passed(b"data: {}\n\ndata: [DONE]\n\n")
    assert TerminalMarker().passed(b"data: {}\r\n\r\ndata: [DONE]\n\n")
    assert not TerminalMarker().passed(b"data: {}\n\ndata: [DONE]\n")
