"""K01, in a terminal: recorded text cannot move the cursor, colour the screen, reorder or hide anything."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.cli.safe_text import block_lines, one_line, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]0;title\x07", "␛]0;title␇"),
        ("\x9b2J", "\\x9b2J"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("\u2066x\u2069", "\\u2066x\\u2069"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("\U000e0041tag", "\\U000e0041tag"),
        ("ok \ud83d", "ok \ufffd"),
        ("[bold red]not markup[/]", "[bold red]not markup[/]"),
        ("👩\u200d🚀 \u0646\u0645\u06cc\u200c", "👩\u200d🚀 \u0646\u0645\u06cc\u200c"),
        ("日本語 café", "日本語 café"),
    ],
)
def test_k01_what_a_terminal_could_obey_becomes_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_a_line_stays_one_line() -> None:
    assert one_line(" a\r\n\tb\u2028c\x0bd  e ") == "a b\\u2028c␋d e"
    assert one_line("x" * 500, 10) == "x" * 9 + "…"
    assert one_line("x" * 10, 10) == "x" * 10


def test_lines_of_a_body_break_where_it_breaks() -> None:
    assert block_lines("a\r\nb\rc\n\td\x1b") == ["a", "b", "c", "    d␛"]


@given(st.text())
def test_nothing_that_a_terminal_could_obey_is_left(text: str) -> None:
    joiners = {"\u200c", "\u200d"}
    for line in [one_line(text), *block_lines(text)]:
        kinds = {unicodedata.category(character) for character in line if character not in joiners}
        assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}
