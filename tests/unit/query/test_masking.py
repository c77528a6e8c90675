"""Secrets that leave in a fixture are replaced, the same one by the same placeholder."""

from __future__ import annotations

import pytest

from turnledger.query.masking import Masker

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("key sk-abcdefghijklmnopqrst1234 end", "key [secret-1] end"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[secret-1]"),
        ("AKIAABCDEFGHIJKLMNOP", "[secret-1]"),
        (f"token {JWT}.", "token [secret-1]."),
        ('{"password": "hunter22"}', '{"password": "[secret-1]"}'),
        ('{\\"api_key\\": \\"0123456789\\"}', '{\\"api_key\\": \\"[secret-1]\\"}'),
        ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [secret-1]"),
        ("postgresql://ada:s3cret@db/x", "postgresql://ada:[secret-1]@db/x"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nrest",
            "[secret-1]\nrest",
        ),
        ("API_KEY=abcdef123456 and PASSWORD=abcdef123456", "API_KEY=[secret-1] and PASSWORD=[secret-1]"),
    ],
)
def test_what_looks_like_a_secret_is_replaced(text: str, masked: str) -> None:
    assert Masker().mask(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "the password is wrong",
        "sk-short",
        "my secret garden",
        '{"tokens": 12345678}',
        "https://example.org/a:b@c",
        "a bearer of news",
        "[secret-1]",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert Masker().mask(text) == text


def test_the_same_secret_is_the_same_everywhere() -> None:
    masker = Masker()
    first, second = "sk-" + "a" * 20, "sk-" + "b" * 20
    assert masker.mask(f"{first} {second}") == "[secret-1] [secret-2]"
    assert masker.mask(f"{second}") == "[secret-2]"
    assert masker.mask(masker.mask(first)) == "[secret-1]"
