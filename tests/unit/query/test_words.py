"""Words in bodies: found whatever their case, however JSON wrote them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from turnledger.errors import UsageError
from turnledger.query.search import terms_of
from turnledger.query.words import AROUND, excerpts, readable


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Order 7", ["order", "7"]),
        ('"where is" it', ["where is", "it"]),
        ('a"b', ['a"b']),
        ("STRASSE", ["strasse"]),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize("text", ["", "  ", "1 2 3 4 5 6 7 8 9"])
def test_too_few_or_too_many_words_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        terms_of(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60))
def test_what_json_escaped_is_found(text: str) -> None:
    plain = text.replace("\0", "")
    data = json.dumps({"x": plain}).encode()
    assert plain in readable(data)


def test_half_a_pair_does_no_harm() -> None:
    assert "\ufffd" in readable(rb'"\ud83d alone"')
    assert "😀" in readable(rb'"\ud83d\ude00"')
    assert readable(b"\x00\x01binary") == ""
    assert readable(b"\xff\xfe text") == "\ufffd\ufffd text"


def test_all_terms_have_to_be_there() -> None:
    text = "The parcel arrives tomorrow; the Parcel is late."
    (one,) = excerpts(text, ["parcel"])
    assert (one.before, one.match, one.after) == ("The ", "parcel", " arrives tomorrow; the Parcel is late.")
    assert len(excerpts(text, ["parcel", "late"])) == 2
    assert excerpts(text, ["parcel", "zebra"]) == []


def test_only_a_little_is_shown_around() -> None:
    (one,) = excerpts("a" * 500 + "\n\n needle \n\n" + "b" * 500, ["needle"])
    assert one.before == "a" * (AROUND - 3) + " "
    assert len(one.after) <= AROUND


def test_letters_that_fold_into_two_are_found() -> None:
    (one,) = excerpts("Große Straße", ["strasse"])
    assert one.match == "strasse"
