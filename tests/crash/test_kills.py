"""SIGKILL at any instant: what was acknowledged is there, every chain verifies, no turn pretends to live."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from uuid import UUID

import pytest

import turnledger
from tests.leases import run_out
from turnledger.integrity.verdict import Verdict
from turnledger.model.vocabulary import FINAL_STATUSES, TurnStatus
from turnledger.query.verify import verify_ledger

pytestmark = [pytest.mark.crash, pytest.mark.slow, pytest.mark.timeout(900)]

ROOT = Path(__file__).parents[2]
KILLS = 110
"""For each engine."""


def test_writers_killed_at_random_moments_lose_nothing_they_acknowledged(engine: str, tmp_path: Path) -> None:
    notes = tmp_path / "acknowledged"
    subprocess.run(
        [sys.executable, "-m", "tests.crash.kill_program", engine, str(notes), str(KILLS), "7"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"},
        check=True,
        timeout=800,
    )
    acknowledged: dict[UUID, int] = defaultdict(int)
    for line in notes.read_text().splitlines():
        name, place = line.split()
        acknowledged[UUID(name)] = max(acknowledged[UUID(name)], int(place))
    assert len(acknowledged) > KILLS / 3, "the writers hardly got to write"
    run_out(engine)
    turnledger.open(engine).close()  # whoever opens a ledger ends the turns whose writers are gone
    with turnledger.read(engine) as ledger:
        reader = ledger.reader
        for turn, seq in acknowledged.items():
            row = reader.journal(turn)
            assert row is not None, turn
            assert row.events > seq, turn
        findings = list(verify_ledger(reader))
        assert {finding.verdict for finding in findings} == {Verdict.INTACT}
        statuses = [row.status for row in ledger.turns(limit=100_000)]
        assert set(statuses) <= FINAL_STATUSES
        assert 0 < statuses.count(TurnStatus.INTERRUPTED) <= 2 * KILLS
