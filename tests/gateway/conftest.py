"""A gateway for each test."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import turnledger
from tests.adapters.stub import running
from tests.gateway.kit import Through
from turnledger.gateway.run import RunningGateway
from turnledger.gateway.upstreams import parse_upstreams


@pytest.fixture
def through(tmp_path: Path) -> Iterator[Through]:
    with running() as provider, turnledger.open(tmp_path / "agent.ledger") as ledger:
        upstreams = parse_upstreams(
            [f"openai={provider.url}", f"anthropic={provider.url}", "dead=http://127.0.0.1:9"]
        )
        gateway = RunningGateway(ledger, upstreams, agent="gateway", host="127.0.0.1", port=0)
        thread = threading.Thread(target=gateway.run)
        thread.start()
        yield Through(gateway.url, provider, ledger)
        gateway.stop()
        thread.join()
