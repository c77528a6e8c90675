"""Cursors are one text for one key, and nothing else is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.errors import GrammarError
from turnledger.query.cursor import cursor_text, read_cursor
from turnledger.query.live_cursor import flow_cursor, ledger_cursor, read_flow_cursor, read_ledger_cursor

KEYS = st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=4).map(tuple)


@given(KEYS)
def test_a_key_comes_back(key: tuple[int, ...]) -> None:
    text = cursor_text("turns", key)
    assert read_cursor("turns", text, len(key)) == key
    assert text.isascii()
    assert not set(text) & set("+/= &?#")


@given(st.text(max_size=300))
def test_nothing_else_is_a_cursor(text: str) -> None:
    with pytest.raises(GrammarError):
        read_cursor("turns", text, 2)


@given(KEYS, st.integers(0, 30), st.sampled_from("AZaz09-_=\n é"))
def test_an_altered_cursor_is_none(key: tuple[int, ...], place: int, letter: str) -> None:
    text = cursor_text("turns", key)
    altered = text[:place] + letter + text[place + 1 :]
    if altered != text:
        try:
            assert read_cursor("turns", altered, len(key)) != key
        except GrammarError:
            return


def test_a_cursor_belongs_to_its_list() -> None:
    with pytest.raises(GrammarError):
        read_cursor("turns", cursor_text("conversations", (1, 2)), 2)
    with pytest.raises(GrammarError):
        read_cursor("turns", cursor_text("turns", (1, 2)), 3)
    with pytest.raises(GrammarError):
        read_flow_cursor(ledger_cursor(5))
    assert read_flow_cursor(flow_cursor(-1)) == -1
    assert read_ledger_cursor(ledger_cursor(2**62)) == 2**62
