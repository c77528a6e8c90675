"""What stands above a timeline: what it is, how it went, and first of all what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from turnledger.cli.cost_words import cost_text
from turnledger.cli.line import BAD, QUIET, WARN, counted, number, status_style
from turnledger.cli.moments import Zone, duration
from turnledger.cli.safe_text import one_line
from turnledger.cli.screen import Screen
from turnledger.integrity.verdict import Verdict
from turnledger.model.costs import CostSums
from turnledger.model.rows import ConversationRow, MessageRow, TurnRow
from turnledger.model.vocabulary import FINAL_STATUSES, Assurance
from turnledger.query.findings import Finding
from turnledger.query.timeline import Entry
from turnledger.query.turn_report import Doubt, TurnReport

__all__ = [
    "conversation_header",
    "conversation_title",
    "conversation_tokens",
    "silence_words",
    "turn_header",
    "turn_tokens",
    "verdict_style",
]

_FIELD: Final = 13
_SHOWN: Final = 5


def verdict_style(verdict: Verdict) -> str:
    """Green is for what an outside checkpoint confirms; an intact chain alone is not that."""
    if verdict >= Verdict.SEALED:
        return "bold green"
    return {Verdict.INTACT: "bold", Verdict.BROKEN: BAD, Verdict.MALFORMED: BAD}.get(verdict, WARN)


def conversation_title(row: ConversationRow) -> str:
    """What people call a conversation: its outside key, connector, shape and place, as far as it has them."""
    form = f"{row.connector} {row.shape}" if row.connector else str(row.shape)
    place = f" in {row.place}" if row.place else ""
    return one_line(f"{row.key or '(no name)'} ({form}{place})", 120)


def conversation_tokens(row: ConversationRow) -> str:
    """Tokens of all its turns: input → output."""
    if row.tokens_in is None and row.tokens_out is None:
        return "not recorded"
    return "→".join("?" if count is None else number(count) for count in (row.tokens_in, row.tokens_out))


def turn_tokens(row: TurnRow) -> str:
    """Tokens of a turn: all input → all output, of the input what came from the cache."""
    read = [count for count in (row.tokens_in, row.cache_read, row.cache_write) if count is not None]
    written = [count for count in (row.tokens_out, row.reasoning) if count is not None]
    if not read and not written:
        return "not recorded" if row.model_calls else "no model call"
    text = f"{number(sum(read)) if read else '?'}→{number(sum(written)) if written else '?'}"
    return text + (f" ({number(row.cache_read)} cached)" if row.cache_read else "")


def _field(screen: Screen, name: str, *pieces: tuple[str, str]) -> None:
    screen.line((f"{name:<{_FIELD}}", QUIET), *pieces)


def _prose(screen: Screen, name: str, words: str, style: str) -> None:
    screen.prose((f"{name:<{_FIELD}}", QUIET), words, style)


def _chain(screen: Screen, findings: Sequence[Finding]) -> None:
    lowest = min(findings, key=lambda finding: finding.verdict)
    events = sum(finding.events for finding in findings)
    said = (lowest.verdict.value, verdict_style(lowest.verdict))
    if lowest.verdict is Verdict.INTACT:
        checked = sum(finding.bodies.get("checked", 0) for finding in findings)
        skipped = sum(finding.bodies.get("notChecked", 0) for finding in findings)
        bodies = f"{counted(checked, 'body', 'bodies')} checked" if not skipped else "bodies not checked here"
        _field(screen, "chain", said, (f"  {counted(events, 'event')}, {bodies}", ""))
        _prose(screen, "not covered", ", ".join(lowest.not_covered), QUIET)
        return
    where = "" if len(findings) == 1 else f", in {lowest.kind} {lowest.id}"
    _field(screen, "chain", said)
    _prose(screen, "", f"{one_line(lowest.explanation)}{where}", BAD)


def _assurance(screen: Screen, entries: Iterable[Entry]) -> None:
    counts = Counter(entry.assurance for entry in entries)
    if set(counts) <= {Assurance.WRITE_AHEAD}:
        _field(screen, "assurance", ("write_ahead: every event was durable before its step ran", ""))
        return
    words = [f"{level.word if level else 'not recorded'} {count}" for level, count in counts.most_common()]
    _field(screen, "assurance", (", ".join(words), WARN))


def turn_header(
    screen: Screen,
    zone: Zone,
    report: TurnReport,
    conversation: ConversationRow | None,
    trigger: MessageRow | None,
    finding: Finding,
    cost: CostSums | None,
) -> None:
    """The header of one turn."""
    turn = report.turn
    screen.line(
        ("turn ", "bold"),
        (str(turn.id), "bold"),
        ("  ", ""),
        (_status(report, zone), status_style(turn.status)),
    )
    _field(screen, "agent", (one_line(turn.agent_name, 80), ""))
    if conversation is not None:
        _field(screen, "conversation", (f"{conversation.id}  ", ""), (conversation_title(conversation), ""))
    if trigger is not None:
        _field(screen, "trigger", *_trigger(trigger))
    elif turn.trigger is not None and not turn.trigger.isdigit():
        _field(screen, "trigger", (one_line(turn.trigger, 40), ""))
    if turn.parent is not None:
        _field(screen, "part of", (f"turn {turn.parent}", ""))
    wall = duration(turn.ms) if turn.closed_ms is not None else "not ended"
    _field(screen, "wall time", (wall, ""), (f"  opened {zone.stamp(turn.opened_ms)}", QUIET))
    counts = ", ".join(
        (
            counted(turn.model_calls, "model call"),
            counted(turn.tool_calls, "tool call"),
            counted(turn.errors, "error"),
        )
    )
    _field(screen, "steps", (counts, ""))
    _field(screen, "tokens", (turn_tokens(turn), ""))
    if turn.model_calls:
        _field(screen, "cost", (cost_text(cost), ""))
    _chain(screen, [finding])
    _assurance(screen, report.entries)
    _problems(screen, report)


def silence_words(since_ms: int | None, time: Callable[[int], str]) -> str:
    """What follows the status of a turn whose lease ran out at ``since_ms``; nothing where it did not."""
    return "" if since_ms is None else f", no sign of life since {time(since_ms)}"


def _status(report: TurnReport, zone: Zone) -> str:
    status = f"{report.turn.status}{silence_words(report.silent_since_ms, zone.stamp)}"
    return status + (f" ({one_line(report.turn.error_class, 80)})" if report.turn.error_class else "")


def _trigger(message: MessageRow) -> list[tuple[str, str]]:
    who = "" if message.actor_name is None else f" from {one_line(message.actor_name, 60)}"
    pieces = [(f"message #{message.seq}{who}", "")]
    if message.verdict is not None:
        pieces += [(", verdict ", QUIET), (str(message.verdict), status_style(message.verdict))]
    return pieces


def _problems(screen: Screen, report: TurnReport) -> None:
    """What an operator has to know before anything else."""
    found: list[str] = []
    for step in report.steps:
        name = step.intent.tokens.get("tool") or step.intent.tokens.get("model") or "model"
        kind = "tool" if step.intent.row.type == "TOOL_CALL" else "model call"
        if step.doubt not in {None, Doubt.RUNNING}:
            found.append(f"#{step.intent.row.seq} {kind} {name}: {step.doubt}")
        elif step.outcome is not None and step.outcome.tokens.get("status") != "ok":
            status = step.outcome.tokens.get("status", "status not recorded")
            found.append(f"#{step.outcome.row.seq} {kind} {name}: {status}")
    if report.turn.status in FINAL_STATUSES:
        found += [
            f"#{tool.result_seq} the model asked for {tool.tool}, nobody ran it" for tool in report.unrun
        ]
    errors = [entry for entry in report.entries if entry.row.type == "ERROR"]
    for entry in errors or [entry for entry in report.entries if entry.row.type == "ABORT"]:
        why = entry.tokens.get("class") or entry.tokens.get("reason") or ""
        found.append(f"#{entry.row.seq} {entry.row.type.lower()} {why}")
    for words in found[:_SHOWN]:
        _prose(screen, "problem", one_line(words, 200), BAD)
    if len(found) > _SHOWN:
        _field(screen, "problem", (f"and {len(found) - _SHOWN} more", BAD))


def conversation_header(
    screen: Screen, zone: Zone, row: ConversationRow, findings: Sequence[Finding], cost: CostSums | None
) -> None:
    """The header of a conversation."""
    screen.line(("conversation ", "bold"), (str(row.id), "bold"))
    _field(screen, "name", (conversation_title(row), ""))
    _field(screen, "agent", (one_line(row.agent_name, 80), ""))
    _field(
        screen,
        "opened",
        (zone.stamp(row.opened_ms), ""),
        (f"  last activity {zone.stamp(row.last_ms)}", QUIET),
    )
    counts = ", ".join(
        (counted(row.turns, "turn"), counted(row.messages, "message"), counted(row.events, "event"))
    )
    _field(
        screen,
        "holds",
        (counts, ""),
        (f"  tokens {conversation_tokens(row)}", ""),
    )
    _field(screen, "cost", (cost_text(cost), ""))
    _chain(screen, findings)
    if row.open_turns:
        waits = f", {row.waiting_turns:,} of them waiting for an approval" if row.waiting_turns else ""
        _field(screen, "open", (f"{counted(row.open_turns, 'turn')} not ended{waits}", "cyan"))
    if row.failed_turns:
        words = f"{counted(row.failed_turns, 'turn')} failed, refused, exhausted or interrupted"
        _field(screen, "problem", (words, BAD))
