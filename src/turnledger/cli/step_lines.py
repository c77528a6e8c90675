"""Model calls and tool calls as lines: what was asked, what came of it, what it took in time and tokens."""

from __future__ import annotations

from collections.abc import Sequence

from turnledger.cli.line import BAD, QUIET, WARN, Line, Room, number, size, status_style
from turnledger.cli.moments import duration
from turnledger.query.previews import (
    Glance,
    GlanceState,
    Supplied,
    body_glance,
    error_glance,
    reply_glance,
    supplied_glance,
)
from turnledger.query.timeline import Entry
from turnledger.query.turn_report import Doubt, UnrunTool, requested_tools
from turnledger.store.contract import Reader

__all__ = ["intent_line", "outcome_line", "step_line", "tokens_text", "unrun_line"]

_TOOLS = 5


def step_line(reader: Reader, intent: Entry, outcome: Entry, room: Room) -> Line:
    """An intent and the outcome that follows it at once, on one line."""
    line = Line(_mark(intent, outcome), (intent, outcome))
    if intent.row.type == "MODEL_CALL":
        model = _model(intent.tokens.get("model"), outcome.tokens.get("model"), room)
        _asked(line, intent, model)
        _served(line, outcome, model, room)
        return line.cite(reply_glance(reader, outcome), room.chars)
    line.say("tool", "bold").say(intent.tokens.get("tool"), "bold")
    _ended(line, outcome)
    _arguments(reader, line, intent, room.chars * 2 // 5)
    return line.say("→", QUIET).cite(_observation(reader, outcome), room.chars * 3 // 5)


def intent_line(reader: Reader, intent: Entry, doubt: Doubt | None, room: Room) -> Line:
    """An intent whose outcome comes later, or never (``doubt``)."""
    line = Line(
        "problem" if doubt in {Doubt.IN_DOUBT, Doubt.NO_SIGN_OF_LIFE} else _mark(intent, None), (intent,)
    )
    if intent.row.type == "MODEL_CALL":
        _asked(line, intent, intent.tokens.get("model"))
    else:
        line.say("tool", "bold").say(intent.tokens.get("tool"), "bold")
    if doubt is not None:
        line.say(
            doubt.value, "cyan" if doubt is Doubt.RUNNING else WARN if doubt is Doubt.NOT_STARTED else BAD
        )
    if intent.row.type == "TOOL_CALL":
        _arguments(reader, line, intent, room.chars)
    return line


def outcome_line(reader: Reader, outcome: Entry, room: Room) -> Line:
    """An outcome that other events parted from its intent."""
    status = outcome.tokens.get("status", "")
    line = Line("result" if status == "ok" else "problem", (outcome,))
    line.say(f"of #{outcome.tokens.get('call', '?')}", QUIET)
    if outcome.row.type == "MODEL_RESULT":
        line.say("model", "bold")
        _served(line, outcome, None, room)
        return line.cite(reply_glance(reader, outcome), room.chars)
    line.say("tool", "bold").say(outcome.tokens.get("tool"), "bold")
    _ended(line, outcome)
    return line.cite(_observation(reader, outcome), room.chars)


def _observation(reader: Reader, result: Entry) -> Glance:
    return (
        body_glance(reader, result) if result.tokens.get("status") == "ok" else error_glance(reader, result)
    )


def unrun_line(asked: Entry, unrun: Sequence[UnrunTool]) -> Line:
    """Tools that a model result asked for and nobody ran."""
    line = Line("problem", (asked,), derived=True).say("nobody ran what the model asked for:", BAD)
    return line.say(", ".join(f"{tool.tool} (its call {tool.ordinal + 1})" for tool in unrun), "bold")


def _mark(intent: Entry, outcome: Entry | None) -> str:
    if outcome is not None and outcome.tokens.get("status") != "ok":
        return "problem"
    return "model" if intent.row.type == "MODEL_CALL" else "tool"


def _model(asked: str | None, served: str | None, room: Room) -> str | None:
    """The model to name first: the one asked for, or in a narrow place the served one's longer form of it."""
    return served if room.narrow and asked and served and served.startswith(asked) else asked


def _asked(line: Line, call: Entry, model: str | None) -> None:
    line.say("model", "bold").say(call.tokens.get("role")).say(model or "(unnamed)")
    attempt = call.number("attempt") or 1
    if attempt > 1:
        line.say(f"attempt {attempt}", WARN)


def _served(line: Line, result: Entry, asked: str | None, room: Room) -> None:
    served, status = result.tokens.get("model"), result.tokens.get("status", "status not recorded")
    if served is not None and served != asked:
        line.say("→" if asked else None, QUIET).say(served)
    if status != "ok":
        line.say(status, status_style(status))
    line.say(tokens_text(result, room), QUIET if status != "ok" else "")
    _took(line, result)
    finish, asks = result.tokens.get("finish"), requested_tools(result)
    line.say(
        finish if finish != "tool_calls" or not asks else None,
        "" if finish in {"stop", "tool_calls"} else WARN,
    )
    more = f" and {len(asks) - _TOOLS} more" if len(asks) > _TOOLS else ""
    line.say(f"asks {', '.join(asks[:_TOOLS])}{more}" if asks else None)


def tokens_text(result: Entry, room: Room) -> str:
    """Tokens of one exchange: all input, visible output, reasoning, where there is room the cached input."""
    counts = {key: result.number(key) for key in ("in", "out", "cacheRead", "cacheWrite", "reasoning")}
    if all(count is None for count in counts.values()):
        return "" if result.tokens.get("status") != "ok" else "no usage recorded"
    read = [counts[key] for key in ("in", "cacheRead", "cacheWrite")]
    known = [count for count in read if count is not None]
    written = counts["out"]
    text = f"{number(sum(known)) if known else '?'}→{'?' if written is None else number(written)}"
    if counts["reasoning"]:
        text += f"+{number(counts['reasoning'])} reasoning"
    cached = counts["cacheRead"] and not room.narrow
    return text + " tok" + (f" ({number(counts['cacheRead'])} cached)" if cached else "")


def _took(line: Line, result: Entry) -> None:
    ms = result.number("ms")
    line.say(duration(ms) if ms is not None else None)


def _ended(line: Line, result: Entry) -> None:
    status = result.tokens.get("status", "status not recorded")
    line.say(status, status_style(status))
    _took(line, result)


def _arguments(reader: Reader, line: Line, call: Entry, chars: int) -> None:
    """What the tool was given, and where the model supplied something else, that too."""
    given = body_glance(reader, call)
    if call.tokens.get("validated") == "0":
        line.say("not valid, as the model wrote it:", WARN).cite(given, chars)
        return
    compared, supplied = supplied_glance(reader, call)
    if compared is Supplied.DIFFERENT:
        line.cite(given, chars // 2).say("≠ supplied", WARN).cite(supplied, chars // 2)
        return
    line.cite(given if given.state is not GlanceState.NONE else supplied, chars)
    if compared is Supplied.UNKNOWN and supplied.state is GlanceState.TEXT:
        line.say(f"(not compared with the {size(_larger(given, supplied))} supplied)", QUIET)


def _larger(one: Glance, other: Glance) -> int:
    return max(one.size, other.size)
