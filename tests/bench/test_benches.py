"""Every benchmark runs, small: a number that nobody can measure any more is no promise."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

import pytest

from bench import harness
from bench.harness import Row, Table, markdown, text
from bench.workload import Shape

SMALL = Shape(conversations=2, turns=1, system_chars=500)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("events", {"EVENTS": 160}),
        ("exchange", {"SHAPE": SMALL}),
        ("adapters", {"WARM": 1, "ROUNDS": 1, "CALLS": 3}),
        ("verify", {"SHAPE": SMALL, "ROUNDS": 1}),
        ("growth", {"CALLS": 8, "SHAPE": Shape(conversations=1, turns=2, system_chars=500)}),
        ("serving", {"SHAPE": SMALL}),
        ("serving_reads", {"TURNS": 1000}),
        ("serving_capture", {"SHAPE": SMALL, "APPENDS": 20}),
        pytest.param("append", {"REPEATS": 40, "ROUNDS": 2}, marks=pytest.mark.postgres),
    ],
)
def test_a_benchmark_runs(
    name: str, constants: Mapping[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module(f"bench.{name}")
    for constant, value in constants.items():
        monkeypatch.setattr(module, constant, value)
    table: Table = module.run()
    assert all(row.measured for row in table.rows)
    assert all(row.floor for row in table.rows if row.floor_is)


@pytest.mark.slow
def test_the_turns_run_in_one_process_and_in_four() -> None:
    module = importlib.import_module("bench.turns")
    rows = {row.what: row.measured for row in module.run(SMALL).rows}
    assert rows["events in the four-process ledger, all verified"] > 40


@pytest.mark.slow
@pytest.mark.postgres
def test_the_live_stream_reaches_all_its_readers_on_both_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("bench.serving_live")
    for constant, value in {"READERS": 20, "EVENTS": 10, "PAUSE_MS": 10}.items():
        monkeypatch.setattr(module, constant, value)
    rows = {row.what: row.measured for row in module.run().rows}
    assert [number for what, number in rows.items() if "missed" in what] == [0, 0]


@pytest.mark.slow
def test_the_memory_of_the_server_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("bench.serving_memory")
    small = {"WARM": 20, "ANSWERS": 50, "CAPTURED": 90, "SLOW_EVENTS": 90, "LARGE_BYTES": 8 << 20}
    for constant, value in small.items():
        monkeypatch.setattr(module, constant, value)
    assert {row.what: row.measured for row in module.run().rows}["memory after all that"]


def test_a_table_says_whether_a_target_is_met_and_how_far_the_floor_is() -> None:
    table = Table(
        "Speed",
        "A note.",
        [
            Row("slow", 12.5, "ms", 10, floor=5, floor_is="one flush"),
            Row("many", 2600, "/s", 2500, more=True, floor=5200, floor_is="the disk"),
            Row("plain", 0.5, "kB"),
        ],
    )
    assert markdown(table).splitlines()[4:] == [
        "| what | measured | target | met | floor | distance | the floor is |",
        "|---|---:|---:|---|---:|---:|---|",
        "| slow | 12.5 ms | ≤ 10 | no | 5 | 2.5 x | one flush |",
        "| many | 2,600 /s | ≥ 2,500 | yes | 5,200 | 2.0 x | the disk |",
        "| plain | 0.5 kB |  |  |  |  |  |",
    ]
    assert "12.5 ms" in text(table)


def test_percentiles_and_a_folder_that_goes_away() -> None:
    assert (harness.p50([3, 1, 2]), harness.p99(list(range(101)))) == (2, 99)
    with harness.folder() as place:
        assert place.is_dir()
    assert not place.exists()
