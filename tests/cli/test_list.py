"""``turnledger list``: filters, zones, and pages that say whether there is more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.kit import START_MS, Recorded, masked, open_ledger, tamper
from turnledger.clock import SYSTEM, from_iso
from turnledger.ids import new_id


def test_conversations_are_listed_with_what_matters(support: Recorded) -> None:
    shown = support.run("list", "--tz", "UTC")
    assert shown.status == 0
    assert " ".join(masked(shown.lines[1]).split()) == (
        "<uuid> 1 failed support slack:C042/1712.33 (slack thread in C042) 2 5 2,408→176 not recorded"
        " 2026-10-24 10:41:02"
    )
    unpriced = "Model calls without a cost were not priced yet: run `turnledger reprice`.\n"
    assert shown.err == f"1 conversation, all there are.\n{unpriced}"


def test_turns_are_listed_with_what_matters(support: Recorded) -> None:
    shown = support.run("list", "--turns", "--tz", "Europe/Berlin")
    lines = [" ".join(line.split()) for line in masked(shown.out).splitlines()]
    assert lines[0].endswith("opened UTC+02:00")
    assert lines[1] == (
        "<uuid> failed ValueError support slack:C042/1712.33 5 ms 0 1 no model call - 2026-10-24 12:41:02"
    )
    assert lines[2].startswith("<uuid> completed support")


@pytest.fixture
def several(made: Recorded) -> Recorded:
    """Three agents' conversations of different connectors, shapes and times."""
    for place, (agent, connector, shape) in enumerate(
        [("a", "slack", "dm"), ("b", "slack", "thread"), ("b", "email", "dm")]
    ):
        convo = made.ledger.agent(agent).conversation(f"k{place}", connector=connector, shape=shape)
        with convo.turn("timer") as turn:
            if place:
                turn.commit("ok", reply=False)
            else:
                turn.abort("no")
        made.clock.move(60_000)
    return made


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ([], ["k2", "k1", "k0"]),
        (["--agent", "b"], ["k2", "k1"]),
        (["--connector", "slack"], ["k1", "k0"]),
        (["--shape", "dm"], ["k2", "k0"]),
        (["--status", "failed"], ["k0"]),
        (["--status", "open"], []),
        (["--connector", "slack", "--agent", "b"], ["k1"]),
        (["--since", "2026-10-24T10:01:00Z"], ["k2", "k1"]),
        (["--until", "2026-10-24T10:01:00Z"], ["k0"]),
        (["--since", "2026-10-24T12:01", "--tz", "Europe/Berlin"], ["k2", "k1"]),
    ],
    ids=str,
)
def test_filters_narrow_conversations(several: Recorded, options: list[str], keys: list[str]) -> None:
    listed = json.loads(several.run("list", "--json", *options).out)
    assert [row["key"] for row in listed["conversations"]] == keys
    assert (listed["hasMore"], listed["next"]) == (False, None)


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ([], 3),
        (["--status", "completed"], 2),
        (["--status", "failed"], 1),
        (["--status", "failed", "--status", "completed"], 3),
        (["--agent", "a", "--status", "completed"], 0),
        (["--since", "2026-10-24T10:02Z"], 1),
    ],
    ids=str,
)
def test_filters_narrow_turns(several: Recorded, options: list[str], count: int) -> None:
    assert len(json.loads(several.run("list", "--turns", "--json", *options).out)["turns"]) == count


def test_turns_of_one_conversation(support: Recorded, several: Recorded) -> None:
    listed = several.run("list", "--turns", "--conversation", support.ids["conversation"], "--json")
    assert {row["id"] for row in json.loads(listed.out)["turns"]} == {support.ids["good"], support.ids["bad"]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--agent", "nobody"], "knows no agent 'nobody'"),
        (["--status", "completed"], "status is open, waiting, failed or owes"),
        (["--turns", "--status", "open"], "no status of a turn"),
        (["--turns", "--connector", "slack"], "narrow a list of conversations"),
        (["--conversation", "0198"], "narrows a list of turns"),
        (["--since", "yesterday-ish"], "is no time"),
        (["--after", "12"], "is no key of a page"),
    ],
    ids=str,
)
def test_a_filter_that_makes_no_sense_is_told(several: Recorded, options: list[str], words: str) -> None:
    refused = several.run("list", *options)
    assert refused.status == (3 if "nobody" in options else 2)
    assert words in refused.err


@pytest.mark.parametrize("what", ["conversations", "turns"])
@pytest.mark.parametrize("limit", [1, 4, 50])
def test_r02_pages_say_so_and_go_on_to_the_end(made: Recorded, what: str, limit: int) -> None:
    """173 of each at one instant: R03's ties, too."""
    agent = made.ledger.agent("busy")
    for place in range(13):
        with agent.conversation(f"k{place}").turn("timer") as turn:
            turn.commit("ok", reply=False)
    seen: list[str] = []
    after: list[str] = []
    options = ["--turns"] if what == "turns" else []
    while True:
        page = json.loads(made.run("list", *options, "--json", "--limit", limit, *after).out)
        seen += [row["id"] for row in page[what]]
        if not page["hasMore"]:
            break
        after = ["--after", page["next"]]
        assert len(page[what]) == limit
    assert len(seen) == len(set(seen)) == 13


def test_r02_a_table_says_that_there_is_more(several: Recorded) -> None:
    shown = several.run("list", "--limit", 2)
    assert shown.err.startswith("2 conversations, and there are more: --after ")
    rest = several.run("list", "--limit", 2, "--after", shown.err.split()[-1])
    assert rest.err == "1 conversation, all there are.\n"


def test_o04_both_of_two_equal_times_are_listed_apart(ledger_path: Path) -> None:
    made = open_ledger(ledger_path, from_iso("2026-10-25T00:30:00Z"))
    for _ in range(2):
        with made.ledger.agent("night").turn("timer") as turn:
            turn.commit("ok", reply=False)
        made.clock.move(3_600_000)
    made.ledger.close()
    shown = made.run(
        "list", "--turns", "--tz", "Europe/Berlin", "--since", "2026-10-25", "--until", "2026-10-26"
    )
    assert "2026-10-25 02:30:00+01:00" in shown.lines[1]
    assert "2026-10-25 02:30:00+02:00" in shown.lines[2]
    assert len(made.run("list", "--turns", "--tz", "Europe/Berlin", "--since", "2026-10-26").lines) == 0


def test_a_narrow_terminal_gets_narrow_lines(support: Recorded) -> None:
    for options in ([], ["--turns"]):
        for columns in (60, 80, 100, 140):
            shown = support.run("list", *options, env={"COLUMNS": str(columns)})
            assert max(map(len, shown.lines)) <= columns
            assert shown.lines[1][:8] == support.ids["good"][:8]


def test_an_empty_ledger_lists_nothing_and_says_so(made: Recorded) -> None:
    made.ledger.close()
    assert (made.run("list").out, made.run("list").err) == ("", "No conversations to list.\n")
    assert json.loads(made.run("list", "--turns", "--json").out) == {
        "turns": [],
        "damaged": None,
        "hasMore": False,
        "next": None,
    }


def test_k01_names_are_texts(made: Recorded) -> None:
    made.ledger.agent("[red]evil[/red]\x1b[2J").conversation("k\u202ey\nx", shape="dm").inbound("hi")
    shown = made.run("list")
    assert "[red]evil[/red]␛[2J" in shown.out
    assert "k\\u202ey x (dm)" in shown.out
    assert "\x1b" not in shown.out
    assert json.loads(made.run("list", "--json").out)["conversations"][0]["key"] == "k\u202ey\nx"


def test_times_are_the_ledgers(support: Recorded) -> None:
    row = json.loads(support.run("list", "--json").out)["conversations"][0]
    assert from_iso(row["openedAt"]) == START_MS


def test_a_turn_whose_recorder_was_killed_shows_no_sign_of_life(ledger_path: Path) -> None:
    made = open_ledger(ledger_path, SYSTEM.epoch_ms())
    turn = made.ledger.agent("a").turn("api", content="go")
    turn.__enter__()
    assert json.loads(made.run("list", "--turns", "--json").out)["turns"][0]["silentSince"] is None
    tamper(made.path, "UPDATE journals SET until_ms = 1000 WHERE kind = 'turn'")
    assert (
        "running, no sign of life since 1970-01-01 00:00:01" in made.run("list", "--turns", "--tz", "UTC").out
    )
    listed = json.loads(made.run("list", "--turns", "--json").out)
    assert listed["turns"][0]["silentSince"] == "1970-01-01T00:00:01.000Z"
    assert "running, no sign of life since 19" in made.run("verify", turn.id).out
    made.ledger.close()


def test_an_error_class_is_as_long_as_the_screen_allows(made: Recorded) -> None:
    name = "VeryLongNameOfAnErrorThatSomebodyChose" * 2
    with pytest.raises(Exception, match=name), made.ledger.agent("a").turn("api", content="go"):
        raise type(name, (Exception,), {})(name)
    for width, is_whole in [(None, True), ("300", True), ("120", False)]:
        env = {"COLUMNS": width, "FORCE_COLOR": None if width is None else "1"}
        assert (name in made.run("list", "--turns", env=env).out) == is_whole, width


def test_why_it_did_not_answer_is_told_for_each_message(support: Recorded) -> None:
    listed = json.loads(support.run("list", "--unanswered", "--json").out)
    assert [(one["why"], one["owed"], one["turn"]) for one in listed["messages"]] == [
        ("its turn ended failed: ValueError", True, support.ids["bad"]),
        ("shed before a turn began: queue_full", True, None),
        ("the agent decided to ignore it", False, None),
    ]
    assert {one["conversationKey"] for one in listed["messages"]} == {"slack:C042/1712.33"}
    owes = json.loads(support.run("list", "--status", "owes", "--json").out)
    assert [row["id"] for row in owes["conversations"]] == [support.ids["conversation"]]


def test_a_table_of_unanswered_messages_says_what_to_look_at(support: Recorded) -> None:
    shown = support.run("list", "--unanswered", "--tz", "UTC")
    assert "shed before a turn began: queue_full" in shown.out
    assert support.ids["bad"] in shown.out
    assert "3 messages without an answer, 2 of them owed one; all there are." in shown.err
    assert "turnledger show ID" in shown.err


def test_unanswered_messages_are_paged_and_narrowed(several: Recorded) -> None:
    convo = several.ledger.agent("b").conversation("k9")
    for _ in range(5):
        convo.inbound("hello?", actor="U1")
    convo.inbound("again?").collapsed(convo.inbound("and again?"))
    with convo.turn(trigger=convo.inbound("now?")) as turn:
        turn.supersede(new_id())
    seen: list[tuple[int, str]] = []
    after: list[str] = []
    while True:
        page = json.loads(several.run("list", "--unanswered", "--json", "--limit", 2, *after).out)
        seen += [(one["seq"], one["why"]) for one in page["messages"]]
        if not page["hasMore"]:
            break
        after = ["--after", page["next"]]
    assert len(seen) == len(set(seen)) == 7
    assert [words for _, words in seen].count("no decision on record") == 6
    assert "its turn was superseded by a later one" in {words for _, words in seen}
    assert json.loads(several.run("list", "--unanswered", "--agent", "a", "--json").out)["messages"] == []
    assert several.run("list", "--unanswered", "--turns").status == 2
    assert several.run("list", "--unanswered", "--shape", "dm").status == 2


def test_a_message_that_was_answered_later_is_not_listed(support: Recorded) -> None:
    convo = support.ledger.agent("support").conversation("slack:C042/1712.33")
    convo.outbound("Sorry, all of you.")
    shown = support.run("list", "--unanswered")
    assert shown.out == ""
    assert shown.err.startswith("No message to list")


@pytest.mark.parametrize("options", [[], ["--turns"]], ids=["conversations", "turns"])
def test_a_row_whose_record_is_damaged_says_so(support: Recorded, options: list[str]) -> None:
    target = support.ids["bad" if options else "conversation"]
    tamper(support.path, f"UPDATE journals SET kind = 'x' WHERE lower(hex(id)) = '{target.replace('-', '')}'")
    shown = support.run("list", *options)
    assert shown.status == 1
    (marked,) = [line for line in shown.lines if "damaged," in line]
    assert target in marked
    assert f"Damaged: the record of {target}" in shown.err
    assert "turnledger verify" in shown.err
    rows = json.loads(support.run("list", *options, "--json").out)["turns" if options else "conversations"]
    assert [row["id"] for row in rows if row["damage"]] == [target]
