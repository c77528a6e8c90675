"""The user's own price table: its form, what fits, and exact amounts."""

from __future__ import annotations

import pytest

from tests.unit.pricing.calls import AT_MS, billed
from turnledger.errors import ForeignFileError
from turnledger.model.costs import CostReason
from turnledger.pricing.quote import NoPrice, Quote
from turnledger.pricing.table import PriceTable, read_table


def _table(text: str) -> PriceTable:
    return read_table(text.encode(), "prices.toml")


def test_prices_are_per_million_tokens_and_exact() -> None:
    table = _table('[[price]]\nmodel = "gpt-*"\ninput = 3.00\noutput = "15"\ncache_read = 0.3\n')
    call = billed("gpt-5", tokens_in=19, cache_read=10, out=2, reasoning=1)
    assert table.price(call) == Quote(57_000 + 3_000 + 45_000, "USD", "openai", "gpt-5")


def test_t07_each_of_100000_tiny_calls_costs_exactly_57000_nano() -> None:
    table = _table('[[price]]\nmodel = "*"\ninput = 3.00\noutput = 0\n')
    answer = table.price(billed("m", tokens_in=19))
    assert isinstance(answer, Quote)
    assert answer.nano * 100_000 == 5_700_000_000


def test_a_finer_amount_is_rounded_half_to_even() -> None:
    table = _table('[[price]]\nmodel = "*"\ninput = 0.0005\n')
    amounts = [table.price(billed("m", tokens_in=count)) for count in (1, 2, 3, 5)]
    assert [answer.nano for answer in amounts if isinstance(answer, Quote)] == [0, 1, 2, 2]


def test_what_is_left_out_costs_as_input_or_output() -> None:
    table = _table('[[price]]\nmodel = "m"\ninput = 1\noutput = 2\n')
    call = billed("m", cache_read=1, cache_write=1, audio_in=1, image_in=1, cached_audio=1)
    assert table.price(call) == Quote(5_000, "USD", "openai", "m")
    call = billed("m", reasoning=1, audio_out=1, image_out=1)
    assert table.price(call) == Quote(6_000, "USD", "openai", "m")


def test_an_hour_of_cache_a_request_and_a_search_have_prices() -> None:
    table = _table(
        '[[price]]\nmodel = "m"\ninput = 1\ncache_write = 2\ncache_write_1h = 4\n'
        "request = 0.001\nweb_search = 0.01\n"
    )
    call = billed("m", cache_write=10, hour=4, searches=2)
    assert table.price(call) == Quote(6 * 2_000 + 4 * 4_000 + 1_000_000 + 20_000_000, "USD", "openai", "m")


def test_t06_a_price_holds_from_and_until_its_times() -> None:
    table = _table(
        '[[price]]\nmodel = "m"\nuntil = 2026-01-01\ninput = 2\n\n'
        '[[price]]\nmodel = "m"\nfrom = 2026-01-01T00:00:00Z\ninput = 1\n'
    )
    before, after = billed("m", tokens_in=1, at_ms=AT_MS - 1), billed("m", tokens_in=1)
    assert [table.price(call) for call in (before, after)] == [
        Quote(2_000, "USD", "openai", "m"),
        Quote(1_000, "USD", "openai", "m"),
    ]


def test_the_first_entry_that_fits_decides_and_the_served_model_goes_first() -> None:
    table = _table(
        'currency = "EUR"\n[[price]]\nmodel = "asked"\ninput = 1\n[[price]]\nmodel = "served*"\ninput = 2\n'
    )
    assert table.price(billed("served-2", "asked", tokens_in=1)) == Quote(2_000, "EUR", "openai", "served-2")
    assert table.price(billed("other", "Asked", tokens_in=1)) == Quote(1_000, "EUR", "openai", "Asked")
    assert table.price(billed("other", tokens_in=1)) == NoPrice(CostReason.UNKNOWN_MODEL)


def test_a_provider_is_named_by_name_or_by_host() -> None:
    table = _table(
        '[[price]]\nprovider = "LocalHost"\nmodel = "*"\ninput = 0\n'
        '[[price]]\nprovider = "openai"\nmodel = "*"\ninput = 1\n'
    )
    assert table.price(billed("llama3", provider="localhost", tokens_in=9)) == Quote(
        0, "USD", "localhost", "llama3"
    )
    assert table.price(billed("gpt", tokens_in=1)) == Quote(1_000, "USD", "openai", "gpt")
    unknown = billed("gpt", provider="proxy.example", tokens_in=1)
    assert table.price(unknown) == NoPrice(CostReason.UNKNOWN_MODEL)


def test_nobody_is_named_where_nobody_is_known() -> None:
    table = _table('[[price]]\nmodel = "*"\ninput = 1\n')
    assert table.price(billed("m", provider=None, tokens_in=1)) == Quote(1_000, "USD", None, "m")


def test_the_version_names_the_content() -> None:
    one, other = '[[price]]\nmodel = "m"\ninput = 1\n', '[[price]]\nmodel = "m"\ninput = 2\n'
    assert _table(one).version == _table(one).version != _table(other).version
    assert _table(one).version.startswith("table ")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "no [[price]]"),
        ("price = 3", "no [[price]]"),
        ("[[price]", "no TOML"),
        ('[[price]]\nmodel = "m"\ninput = -1', "input is no price"),
        ('[[price]]\nmodel = "m"\ninput = nan', "input is no price"),
        ('[[price]]\nmodel = "m"\ninput = true', "input is no price"),
        ('[[price]]\nmodel = "m"\ninput = "free"', "input is no price"),
        ('[[price]]\nmodel = "m"\ninptu = 1', "'inptu' is no key"),
        ('[[price]]\nmodel = "m"', "neither input nor output"),
        ("[[price]]\ninput = 1", "names no model"),
        ('[[price]]\nmodel = ""\ninput = 1', "model is no name"),
        ('[[price]]\nmodel = "m"\ninput = 1\ncurrency = "usd"', "no code of three"),
        ('[[price]]\nmodel = "m"\ninput = 1\nfrom = 2026-01-01T00:00:00', "neither a day nor a time"),
        ("price = [3]", "price 1: it is no table"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(text: str, what: str) -> None:
    with pytest.raises(ForeignFileError, match=r"prices\.toml") as caught:
        _table(text)
    assert what in str(caught.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ForeignFileError, match="no TOML"):
        read_table(b"\xff\xfe", "prices.toml")
