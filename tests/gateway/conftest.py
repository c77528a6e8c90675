"""A gateway for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import turnledger
from tests.adapters.stub import running
from tests.gateway.kit import Through, serving
from turnledger.gateway.upstreams import parse_upstreams


@pytest.fixture
def through(tmp_path: Path) -> Iterator[Through]:
    with running() as provider, turnledger.open(tmp_path / "agent.ledger") as ledger:
        upstreams = parse_upstreams(
            [f"openai={provider.url}", f"anthropic={provider.url}", "dead=http://127.0.0.1:9"]
        )
        with serving(ledger, upstreams) as url:
            yield Through(url, provider, ledger)
