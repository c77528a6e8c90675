"""``turnledger show``: what an operator sees at a glance, and all of it for programs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import turnledger
from tests.cli.kit import BIG, HOSTILE, REQUEST, Recorded, masked, open_ledger, reply, run, tamper
from tests.patience import eventually
from turnledger.capture.content import Attachment
from turnledger.clock import SYSTEM

GOOD_TURN = """\
turn <uuid>  completed
agent        support
conversation <uuid>  slack:C042/1712.33 (slack thread in C042)
trigger      message #1 from slack:U7, verdict engage
wall time    2.84 s  opened 2026-10-24 10:00:00+00:00
steps        2 model calls, 1 tool call, 0 errors
tokens       2,408→176 (2,048 cached)
cost         not recorded
chain        intact  14 events, 12 bodies checked
not covered  tail cut at rest, whole-journal rewrite by a privileged user, order across journals
assurance    write_ahead: every event was durable before its step ran
problem      #4 the model asked for refund, nobody ran it

── Sat 2026-10-24 UTC ──
10:00:00.010             #0   ▶ trigger "Where is it? ␛[31mRED␛]0;pwned␇ [bold]x[/bold] second \
\\u202eevil\\x9b2J\\u200b"
10:00:00.010  +0.000     #1   ◇ guard pii input allow
10:00:00.010  +0.000     #2   ▤ prompt primary 8 chars
10:00:00.010  +0.000   #3-4   ◆ model primary gpt-x → gpt-x-2026 1,204→88 tok (1,024 cached) 1.90 s \
asks lookup, refund
10:00:01.910  +0.000   #5-6   ● tool lookup ok 41 ms {"id":7} ≠ supplied {"id": "7" } → \
{"order":123456789012345678901234567890,"status":"shipped"}
10:00:01.951  +0.000     #7   ✎ memory create prefers rev 1 "pickup"
10:00:01.951  +0.000     #8   … ack "Found it."
10:00:01.951  +0.000     #9   ✔ check tone pass
10:00:01.951  +0.000    #10   ◔ budget tokens 2,584 of 10,000 used warn
10:00:01.951  +0.000 #11-12   ◆ model primary gpt-x → gpt-x-2026 1,204→88 tok (1,024 cached) 900 ms stop \
"It arrives tomorrow."
                         #4   ✖ nobody ran what the model asked for: refund (its call 2)
10:00:02.851  +0.000    #13   ✔ commit completed "It arrives tomorrow."
"""

CONVERSATION = """\
── Sat 2026-10-24 UTC ──
10:00:00             #0     · conversation opened {"key":"slack:C042/1712.33","place":"C042"}
10:00:00  +0.000   #1-2     ▶ IN slack:U7 → engage "Where is it? ␛[31mRED␛]0;pwned␇ [bold]x[/bo…
10:00:00  +0.010     #3   ┌ · turn <id> on #1
10:00:00  +0.000     #1   │ ◇ guard pii input allow
10:00:00  +0.000     #2   │ ▤ prompt primary 8 chars
10:00:00  +0.000   #3-4   │ ◆ model primary gpt-x-2026 1,204→88 tok 1.90 s asks lookup, refund
10:00:01  +0.000   #5-6   │ ● tool lookup ok 41 ms {"id":7} ≠ supplied {"id": "7… → {"order":12…
10:00:01  +0.000     #7   │ ✎ memory create prefers rev 1 "pickup"
10:00:01  +0.000     #8   │ … ack "Found it."
10:00:01  +0.000     #9   │ ✔ check tone pass
10:00:01  +0.000    #10   │ ◔ budget tokens 2,584 of 10,000 used warn
10:00:01  +0.000 #11-12   │ ◆ model primary gpt-x-2026 1,204→88 tok 900 ms stop "It arrives tom…
                     #4   │ ✖ nobody ran what the model asked for: refund (its call 2)
10:00:02  +0.000    #13   │ ◀ OUT to #1 "It arrives tomorrow."
10:00:02  +0.000     #4   └ ✔ turn <id> completed in 2.84 s with 14 events
── 41 min 00 s idle ──
10:41:02           #6-7     ▶ IN slack:U7 → ignore by rules "thx" "no reply wanted"
10:41:02  +0.000     #8     ▶ IN "and my refund?"
10:41:02  +0.000     #9     ∅ SHED, no turn #8 queue_full age 31.0 s bound 30.0 s 12 waiting
10:41:02  +0.000    #10     ▶ IN "hello?"
10:41:02  +0.000    #11   ┌ · turn <id> on #10
10:41:02  +0.000   #1-2   │ ✖ tool refund error 5 ms {"amount":123456789… → "no such order ␛[1m"
10:41:02  +0.000     #3   │ ✖ error ValueError in tool "no such order ␛[1m"
10:41:02  +0.000     #4   │ ✖ abort failed reason error
10:41:02  +0.000    #12   └ ✖ turn <id> failed ValueError in 5 ms with 5 events
"""


def test_a_turn_is_read_at_a_glance(support: Recorded) -> None:
    shown = support.run("show", support.ids["good"], "--tz", "UTC")
    unpriced = "Model calls without a cost were not priced yet: run `turnledger reprice`.\n"
    assert (shown.status, shown.err) == (0, unpriced)
    assert masked(shown.out) == GOOD_TURN


def test_a_conversation_is_read_at_a_glance(support: Recorded) -> None:
    shown = support.run("show", support.ids["conversation"], "--tz", "UTC", env={"COLUMNS": "96"})
    assert max(map(len, shown.lines)) <= 96
    head, _, timeline = masked(shown.out).partition("\n\n")
    assert timeline == CONVERSATION
    assert "holds        2 turns, 5 messages, 32 events  tokens 2,408→176" in head
    assert "problem      1 turn failed, refused, exhausted or interrupted" in head


def test_the_beginning_of_an_id_is_enough_and_what_begins_alike_is_told(support: Recorded) -> None:
    assert support.run("show", support.ids["good"][:20]).lines[0] == f"turn {support.ids['good']}  completed"
    assert support.run("show", support.ids["good"].replace("-", "").upper()).status == 0
    refused = support.run("show", "01")
    assert refused.status == 2
    assert "01 begins 3 ids: turn" in refused.err
    assert support.run("show", "ffffffff").status == 3
    assert support.run("show", "no id").status == 2


def test_k01_no_control_character_reaches_the_terminal(support: Recorded) -> None:
    for options in ([], ["--bodies"]):
        for target in ("good", "bad", "conversation"):
            shown = support.run("show", support.ids[target], *options, env={"COLUMNS": "80"})
            kept = set(shown.out) & {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x200B)}
            assert kept == {"\n"}


def test_k01_colours_at_a_terminal_are_ours_alone(support: Recorded) -> None:
    coloured = support.run("show", support.ids["bad"], env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
    assert "\x1b[" in coloured.out
    assert "no such order ␛[1m" in coloured.out
    plain = support.run("show", support.ids["bad"], env={"NO_COLOR": "1"})
    assert "\x1b" not in plain.out


def test_d05_bodies_are_printed_whole_behind_a_bar(support: Recorded) -> None:
    shown = support.run("show", support.ids["good"], "--bodies").lines
    supplied = shown.index("      TOOL_CALL #5 supplied, text/plain; charset=utf-8, 12 B")
    assert shown[supplied + 1] == '      │ {"id": "7" }'
    assert f'      │ {{"order":{BIG},"status":"shipped"}}' in shown
    trigger = shown.index(f"      INTAKE #0 payload, text/plain; charset=utf-8, {len(HOSTILE.encode())} B")
    assert shown[trigger + 1 : trigger + 4] == [
        "      │ Where is it? ␛[31mRED␛]0;pwned␇ [bold]x[/bold]",
        "      │ second",
        "      │ \\u202eevil\\x9b2J\\u200b",
    ]


def test_bodies_are_wrapped_to_the_terminal_and_nothing_is_left_out(made: Recorded) -> None:
    text = "日本" * 100 + "x" * 333
    with made.ledger.agent("a").turn("api", content=text) as turn:
        turn.commit("ok", reply=False)
    shown = made.run("show", turn.id, "--bodies", env={"COLUMNS": "80"})
    body = [line[8:] for line in shown.lines if line.startswith("      │ ")]
    assert "".join(body).startswith(text)


def test_what_is_no_text_is_shown_in_hexadecimal(made: Recorded) -> None:
    convo = made.ledger.agent("a").conversation("k")
    convo.inbound("see", attachments=[Attachment(b"\x89PNG\r\n\x1a\n" + bytes(range(16)), "image/png")])
    shown = made.run("show", convo.id, "--bodies")
    assert "      MESSAGE #1 attachment-0, image/png, 24 B" in shown.lines
    assert (
        "      │ 00000000  89 50 4e 47 0d 0a 1a 0a 00 01 02 03 04 05 06 07  .PNG............" in shown.lines
    )
    assert '▶ IN +1 attachment "see"' in shown.out


def test_json_is_everything_with_exact_bytes(support: Recorded) -> None:
    shown = json.loads(support.run("show", support.ids["good"], "--json", "--bodies").raw)
    assert shown["kind"] == "turn"
    assert (shown["turn"]["status"], shown["turn"]["tokensIn"], shown["turn"]["cacheRead"]) == (
        "completed",
        360,
        2048,
    )
    assert (shown["chain"]["verdict"], shown["chain"]["bodies"]["checked"]) == ("intact", 12)
    assert shown["unrun"] == [{"resultSeq": 4, "ordinal": 1, "tool": "refund"}]
    assert shown["steps"][1] == {"intentSeq": 5, "outcomeSeq": 6, "doubt": None, "cost": None}
    events = shown["events"]
    assert [event["seq"] for event in events] == list(range(14))
    assert [event["prevHash"] for event in events[1:]] == [event["hash"] for event in events[:-1]]
    assert events[0]["prevHash"] == "0" * 64
    assert events[0]["bodies"]["payload"]["text"] == HOSTILE
    assert events[6]["bodies"]["payload"]["text"] == f'{{"order":{BIG},"status":"shipped"}}'
    assert events[5]["bodies"]["supplied"]["text"] == '{"id": "7" }'


def test_json_without_bodies_says_that_they_are_there(support: Recorded) -> None:
    shown = json.loads(support.run("show", support.ids["conversation"], "--json").out)
    assert [event["position"] for event in shown["events"]] == list(range(32))
    assert {finding["verdict"] for finding in shown["chain"]} == {"intact"}
    payload = shown["events"][1]["bodies"]["payload"]
    assert payload == {
        "bytes": len(HOSTILE.encode()),
        "mediaType": "text/plain; charset=utf-8",
        "state": "present",
    }
    assert "pwned" not in json.dumps(shown)


def test_d07_half_an_emoji_is_shown_as_a_mark_and_kept(made: Recorded) -> None:
    with made.ledger.agent("a").turn("api", content="ok \ud83d") as turn:
        turn.commit("fine \ude00", reply=False)
    assert made.run("show", turn.id).status == 0
    shown = json.loads(made.run("show", turn.id, "--json", "--bodies").raw)
    assert shown["events"][0]["bodies"]["payload"]["text"] == "ok \\ud83d"


def test_the_last_events_of_a_long_conversation(support: Recorded) -> None:
    shown = support.run("show", support.ids["conversation"], "--last", "5")
    assert "27 earlier events are not shown (--last 5)" in shown.out
    assert len(shown.out.partition("──\n")[2].splitlines()) == 4
    told = json.loads(support.run("show", support.ids["conversation"], "--last", "5", "--json").out)
    assert (told["earlierEvents"], len(told["events"])) == (27, 5)


def test_parallel_tools_and_turns_keep_their_order_and_their_lanes(made: Recorded) -> None:
    convo = made.ledger.agent("a").conversation("k")
    with convo.turn("api", content="one") as first:
        with first.tool_call("slow", supplied="{}") as slow, first.tool_call("fast", supplied="{}") as fast:
            fast.result("f")
            slow.result("s")
        with convo.turn("api", content="two") as second:
            second.commit("2", reply=False)
        first.commit("1", reply=False)
    lines = [line[30:] for line in made.run("show", convo.id).out.partition("──\n")[2].splitlines()]
    assert masked("\n".join(lines)) == (
        '  · conversation opened {"key":"k"}\n'
        '┌ · turn <id> on api "one"\n'
        "│ ● tool slow {}\n"
        '│ ● tool fast ok 0 ms {} → "f"\n'
        '│ ↳ of #1 tool slow ok 0 ms "s"\n'
        '│┌ · turn <id> on api "two"\n'
        '│├ ✔ commit completed "2"\n'
        "│└ ✔ turn <id> completed in 0 ms with 2 events\n"
        '│ ✔ commit completed "1"\n'
        "└ ✔ turn <id> completed in 0 ms with 6 events"
    )


def test_a_turn_left_open_is_running_then_shows_no_sign_of_life(ledger_path: Path) -> None:
    made = open_ledger(ledger_path, SYSTEM.epoch_ms())
    convo = made.ledger.agent("a").conversation("k")
    turn = convo.turn("api", content="go")
    turn.__enter__()
    step = turn.tool_call("pay", supplied='{"amount": 1}')
    step.__enter__()
    made.clock.move(5_000)
    running = made.run("show", turn.id)
    assert running.lines[0].endswith("  running")
    assert '● tool pay running {"amount":1}' in running.out
    tamper(made.path, "UPDATE journals SET until_ms = 1 WHERE kind = 'turn'")
    silent = made.run("show", turn.id, "--tz", "UTC")
    assert silent.lines[0].endswith("  running, no sign of life since 1970-01-01 00:00:00+00:00")
    assert "problem      #1 tool pay: no sign of life" in silent.out
    assert "✖ tool pay no sign of life" in silent.out
    whole = made.run("show", convo.id)
    assert "is still running, no sign of life since 19" in whole.lines[-1]
    made.ledger.close()


def test_an_interrupted_turn_says_what_is_in_doubt(made: Recorded) -> None:
    convo = made.ledger.agent("a").conversation("k")
    turn = convo.turn("api", content="go")
    turn.__enter__()
    turn.tool_call("pay", supplied="{}").__enter__()
    made.ledger.close()
    tamper(made.path, "UPDATE journals SET until_ms = 1 WHERE kind = 'turn'")
    turnledger.open(made.path).close()
    shown = made.run("show", turn.id)
    assert "  interrupted" in shown.lines[0]
    assert "problem      #1 tool pay: in doubt: may have happened" in shown.out


def test_approvals_waiting_and_denied(made: Recorded) -> None:
    with made.ledger.agent("a").turn("api", content="go") as turn:
        with turn.tool_call("pay", supplied="{}") as step:
            approval = turn.approval(step, question="Pay?")
            assert "  waiting" in made.run("show", turn.id).lines[0]
            approval.decide("denied", by="ada", reason="too much")
        turn.abort("The operator said no.", code="denied", status="refused")
    shown = made.run("show", turn.id).out
    assert '◈ approval of #1 requested "Pay?"' in shown
    assert '◈ approval of #1 denied by ada "too much"' in shown
    assert "tool pay denied" in shown
    assert '✖ abort refused reason denied "The operator said no."' in shown


def test_lower_assurance_is_never_shown_as_a_higher_one(ledger_path: Path, tmp_path: Path) -> None:
    source = tmp_path / "talk.jsonl"
    talk = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yo"}]
    source.write_text(json.dumps({"messages": talk}))
    assert run("import", source, "--ledger", ledger_path).status == 0
    turns = json.loads(run("list", "--turns", "--json", "--ledger", ledger_path).out)["turns"]
    shown = run("show", turns[0]["id"], "--ledger", ledger_path)
    assert "assurance    imported 4" in shown.out
    assert shown.lines[-1] == "i imported: taken from a file, only as good as that"
    timeline = shown.out.partition("──\n")[2].splitlines()[:-1]
    assert [line[27:31] for line in timeline] == [" i ▶", " i ◆", " i ✔"]


def test_retries_and_missing_usage_are_told(made: Recorded) -> None:
    with made.ledger.agent("a").turn("api", content="go") as turn:
        with turn.model_call(request={"model": "m", "messages": []}) as call:
            call.result({"error": {"message": "slow down", "type": "rate_limit"}}, http_status=429)
        with turn.model_call(request={"model": "m", "messages": []}, retry_of=call) as call:
            call.result({**reply("fine"), "usage": None})
        turn.commit("fine", reply=False)
    shown = made.run("show", turn.id).out
    assert '✖ model m error 0 ms "slow down"' in shown
    assert '◆ model m attempt 2 → gpt-x-2026 no usage recorded 0 ms stop "fine"' in shown
    assert "tokens       not recorded" in shown


def test_a_broken_chain_is_told_above_the_timeline(support: Recorded) -> None:
    tamper(support.path, "UPDATE events SET tokens = tokens || ' x=1' WHERE type = 'GUARD'")
    shown = support.run("show", support.ids["good"])
    assert shown.status == 0
    assert "chain        broken\n             event #1 was altered: what it says does not give" in shown.out


def test_pruned_and_damaged_bodies_are_told(support: Recorded) -> None:
    tamper(
        support.path,
        "UPDATE bodies SET salt = NULL, recipe = NULL WHERE (jid, seq) IN"
        " (SELECT jid, seq FROM events WHERE type = 'MEMORY_WRITE')",
        "UPDATE bodies SET recipe = x'00' WHERE (jid, seq) IN"
        " (SELECT jid, seq FROM events WHERE type = 'PROGRESS')",
    )
    shown = support.run("show", support.ids["good"]).out
    assert "memory create prefers rev 1 [pruned]" in shown
    assert "ack [damaged]" in shown


def test_a_time_that_no_calendar_has_is_no_reason_to_fail(support: Recorded) -> None:
    tamper(support.path, "UPDATE events SET created_ms = 9e18 WHERE type = 'GUARD'")
    assert support.run("show", support.ids["good"]).status == 0
    told = json.loads(support.run("show", support.ids["good"], "--json").out)
    assert told["events"][1]["createdAt"] is None


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_without_unicode_gets_ascii(support: Recorded, encoding: str) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "turnledger",
            "show",
            support.ids["conversation"],
            "--ledger",
            str(support.path),
        ],
        env={"PYTHONIOENCODING": encoding, "PYTHONPATH": "src", "TZ": "UTC"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"| * model primary gpt-x -> gpt-x-2026" in done.stdout
    assert b"conversation opened" in done.stdout


def test_json_of_a_detail_that_json_has_no_form_for(made: Recorded) -> None:
    call_id: Any = b"x"
    with made.ledger.agent("a").turn() as turn:
        turn.tool("t", int, call_id=call_id)
        turn.commit()
    shown = json.loads(made.run("show", turn.id, "--json").raw)
    called = next(event for event in shown["events"] if event["type"] == "TOOL_CALL")
    assert called["detail"]["callId"] == {"$turnledger": "bytes", "base64": "eA=="}


def test_a_damaged_event_is_named_where_its_conversation_is_shown(support: Recorded) -> None:
    support.ledger.close()
    first = "SELECT min(eid) FROM events WHERE type = 'VERDICT'"
    tamper(support.path, f"UPDATE events SET event_id = x'00ff' WHERE eid = ({first})")
    for more in ([], ["--json"]):
        shown = support.run("show", support.ids["conversation"], *more)
        assert shown.status == 1
        assert "Left out, because the database is damaged: column event_id of table events" in shown.err
        assert "turnledger doctor" in shown.err
        assert not more or len(json.loads(shown.out)["events"]) == 31


@pytest.mark.parametrize(("result", "shown"), [(None, "null"), (5, "5"), ("5", '"5"')])
def test_d03_a_models_result_that_is_json_stands_without_quotes(
    made: Recorded, result: object, shown: str
) -> None:
    with made.ledger.agent("a").turn("api", content="go") as turn:
        with turn.model_call(role="primary", request=REQUEST) as call:
            call.result(result)
        turn.commit("ok", reply=False)
    (line,) = [line for line in made.run("show", turn.id).lines if "model primary" in line]
    assert line.endswith(f" {shown}"), line


def test_what_arrived_of_a_reply_is_shown_though_its_recorder_was_killed(ledger_path: Path) -> None:
    made = open_ledger(ledger_path, SYSTEM.epoch_ms())
    turn = made.ledger.agent("a").turn("api", content="go")
    turn.__enter__()
    call = turn.model_call(role="primary", request=REQUEST)
    call.__enter__()
    call.chunk(
        b'data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"It is"}}]}\n\n'
    )
    eventually(lambda: 'of the reply to #2 had arrived: "It is"' in made.run("show", turn.id).out)
    made.ledger.close()
