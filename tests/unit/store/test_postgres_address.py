"""A PostgreSQL URL, and what of it people may see."""

from __future__ import annotations

import traceback

import pytest
from psycopg.conninfo import conninfo_to_dict

from turnledger.errors import UsageError
from turnledger.store.postgres.address import Address


@pytest.mark.parametrize(
    ("url", "label"),
    [
        ("postgresql://ann:s3cret@db.example:5433/ledger", "postgresql://ann@db.example:5433/ledger"),
        ("postgres://db.example/ledger?user=ann&password=s3cret", "postgresql://ann@db.example/ledger"),
        ("postgresql:///ledger?host=/run/pg&sslpassword=s3cret", "postgresql:///run/pg/ledger"),
        ("postgresql://ann:s3%40cret@db/ledger", "postgresql://ann@db/ledger"),
        ("postgresql://ann%40srv:s3cret@db/ledger", "postgresql://ann@srv@db/ledger"),
        ("postgresql://ann@/ledger?host=@socket", "postgresql://ann@@socket/ledger"),
        ("postgresql://a:1,b:2/ledger", "postgresql://a,b:1,2/ledger"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_the_label_has_no_secret(url: str, label: str) -> None:
    address = Address.parse(url)
    assert address.label == label
    assert "s3cret" not in repr(address)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://ann:s3/cret@db/ledger",
        "postgresql://ann:33/s3@db/ledger",
        "postgresql://ann@db/ledger?s3cret=1",
        "postgresql://ann:s3%cret@",
        "postgresql://ann:s3@cret@db/ledger",
        "postgresql://ann:s3@cret@db:5432,other:5432/ledger",
        "postgresql://ann:s3cret@@db/ledger",
        "postgresql://ann:1@s3/cret@db/ledger",
    ],
)
def test_an_unreadable_url_is_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        Address.parse(url)
    said = "".join(traceback.format_exception(caught.value))
    assert "s3" not in said
    assert "cret" not in said
    assert "%XX: @ is %40" in caught.value.next_step


def test_what_the_url_says_goes_before_the_defaults() -> None:
    plain = conninfo_to_dict(Address.parse("postgresql://db/ledger").conninfo)
    assert plain["application_name"] == "turnledger"
    assert plain["connect_timeout"] == "10"
    own = conninfo_to_dict(
        Address.parse(
            "postgresql://db/ledger?application_name=mine&options=-csearch_path%3Dled&client_encoding=latin1"
        ).conninfo
    )
    assert own["application_name"] == "mine"
    assert own["options"] == "-csearch_path=led"
    assert own["client_encoding"] == "utf8"


def test_of_several_hosts_the_one_that_takes_writes_is_asked_for() -> None:
    several = conninfo_to_dict(Address.parse("postgresql://a,b/ledger").conninfo)
    assert several["target_session_attrs"] == "read-write"
    chosen = conninfo_to_dict(Address.parse("postgresql://a,b/ledger?target_session_attrs=any").conninfo)
    assert chosen["target_session_attrs"] == "any"
    assert "target_session_attrs" not in conninfo_to_dict(Address.parse("postgresql://a/ledger").conninfo)
