"""Every other event as a line: messages, decisions, and what happens around the steps of a turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from turnledger.cli.line import BAD, QUIET, WARN, Line, Room, counted, number, status_style
from turnledger.cli.moments import duration
from turnledger.cli.names import Names, short
from turnledger.query.previews import body_glance, error_glance
from turnledger.query.timeline import Entry
from turnledger.store.contract import Reader

__all__ = ["EventLines"]


class EventLines:
    """Makes lines of entries.  ``room`` says how much of a body is quoted."""

    def __init__(self, reader: Reader, names: Names, room: Room) -> None:
        self._reader = reader
        self._names = names
        self._chars = room.chars

    def line(self, entry: Entry) -> Line:
        """The line of an event that is no step."""
        tell = _TELLERS.get(entry.row.type, EventLines._unknown)
        return tell(self, entry)

    def decided(self, message: Entry, verdict: Entry) -> Line:
        """MESSAGE and the VERDICT about it: the decision stands before the words, the reason behind them."""
        line = self._decision(self._from(message), verdict)
        line.entries = (message, verdict)
        self._cite(line, message)
        return line.cite(body_glance(self._reader, verdict), self._chars // 2)

    def opening(self, opened: Entry, intake: Entry) -> Line:
        """TURN_OPENED and the INTAKE that came with it; the trigger is quoted where no message holds it."""
        line = self._turn_opened(opened)
        line.entries += (intake,)
        self._taken(line, intake)
        return line if opened.tokens.get("trigger", "").isdigit() else self._cite(line, intake)

    def answer(self, commit: Entry, message: Entry) -> Line:
        """COMMIT and the outbound MESSAGE that came with it."""
        line = self._message(message)
        line.entries = (commit, message)
        return line

    def _line(self, mark: str, entry: Entry, word: str, style: str = "bold") -> Line:
        return Line(mark, (entry,)).say(word, style)

    def _cite(self, line: Line, entry: Entry) -> Line:
        return line.cite(body_glance(self._reader, entry), self._chars)

    # --- conversation ----------------------------------------------------------------------------

    def _opened(self, entry: Entry) -> Line:
        return self._cite(self._line("note", entry, "conversation opened", QUIET), entry)

    def _message(self, entry: Entry) -> Line:
        return self._cite(self._from(entry), entry)

    def _from(self, entry: Entry) -> Line:
        """Direction and sender of a message."""
        inbound = entry.tokens.get("direction") == "inbound"
        line = self._line("in" if inbound else "out", entry, "IN" if inbound else "OUT", "bold cyan")
        line.say(self._names.of(entry.tokens.get("actor"), "actor"))
        line.say(_given(entry, "replyTo", "to #"), QUIET)
        attachments = sum(1 for body in entry.row.bodies if body.slot.startswith("attachment-"))
        return line.say(f"+{counted(attachments, 'attachment')}" if attachments else None, QUIET)

    def _verdict(self, entry: Entry) -> Line:
        line = self._line("note", entry, "verdict on", QUIET).say(f"#{entry.tokens.get('message', '?')}")
        return self._cite(self._decision(line, entry), entry)

    def _decision(self, line: Line, entry: Entry) -> Line:
        decided = entry.tokens.get("verdict", "?")
        line.say("→", QUIET).say(decided, status_style(decided))
        return line.say(_given(entry, "by", "by"), QUIET)

    def _collapsed(self, entry: Entry) -> Line:
        text = f"#{entry.tokens.get('message', '?')} folded into #{entry.tokens.get('into', '?')}"
        return self._line("none", entry, "collapsed").say(text)

    def _shed(self, entry: Entry) -> Line:
        line = self._line("none", entry, "SHED, no turn", BAD)
        line.say(_given(entry, "message", "#")).say(entry.tokens.get("reason"), BAD)
        age, stale, depth = entry.number("ageMs"), entry.number("staleMs"), entry.number("depth")
        line.say(None if age is None else f"age {duration(age)}")
        line.say(None if stale is None else f"bound {duration(stale)}")
        return line.say(None if depth is None else f"{number(depth)} waiting")

    def _turn_opened(self, entry: Entry) -> Line:
        line = self._line("note", entry, "turn").say(short(entry.tokens.get("turn", "?")))
        trigger = entry.tokens.get("trigger")
        return line.say(None if trigger is None else f"on {'#' if trigger.isdigit() else ''}{trigger}", QUIET)

    def _turn_closed(self, entry: Entry) -> Line:
        status = entry.tokens.get("status", "?")
        line = Line("done" if status == "completed" else "problem", (entry,))
        line.say("turn", "bold").say(short(entry.tokens.get("turn", "?")), QUIET).say(
            status, status_style(status)
        )
        line.say(entry.tokens.get("class"), BAD)
        ms = entry.number("ms")
        line.say(f"in {duration(ms)}" if ms is not None else None)
        return line.say(_given(entry, "events", "with ", " events"), QUIET)

    def _delivery(self, entry: Entry) -> Line:
        status = entry.tokens.get("status", "?")
        line = self._line("out" if status != "failed" else "problem", entry, "delivery of")
        line.say(f"#{entry.tokens.get('message', '?')}").say(status, status_style(status))
        attempt = entry.number("attempt") or 1
        return self._cite(line.say(f"attempt {attempt}" if attempt > 1 else None, WARN), entry)

    def _late(self, entry: Entry) -> Line:
        line = self._line("result", entry, "LATE", WARN).say(entry.tokens.get("type")).say("for turn", QUIET)
        line.say(short(entry.tokens.get("turn", "?"))).say(_given(entry, "call", "of #"), QUIET)
        return self._cite(line, entry)

    def _gap(self, entry: Entry) -> Line:
        return self._line("problem", entry, "GAP: events lost", BAD)

    def _capture_error(self, entry: Entry) -> Line:
        line = self._line("problem", entry, "could not be recorded faithfully:", BAD)
        return self._cite(line.say(entry.tokens.get("stage")).say(entry.tokens.get("class"), BAD), entry)

    def _removed(self, entry: Entry) -> Line:
        line = self._line("none", entry, entry.row.type.lower())
        return line.say(f"{entry.tokens.get('bodies', '?')} bodies").say(entry.tokens.get("reason"))

    # --- turn ------------------------------------------------------------------------------------

    def _intake(self, entry: Entry) -> Line:
        return self._cite(self._taken(self._line("in", entry, "trigger", "bold cyan"), entry), entry)

    def _taken(self, line: Line, intake: Entry) -> Line:
        line.say(_more(intake, "attachments", "attachment"), QUIET)
        folded = _more(intake, "collapsed", "message")
        line.say(None if folded is None else f"with {folded} folded in", QUIET)
        parent = intake.tokens.get("parentTurn")
        return line.say(None if parent is None else f"part of turn {short(parent)}")

    def _prompt(self, entry: Entry) -> Line:
        line = self._line("prompt", entry, "prompt").say(entry.tokens.get("role"))
        line.say(f"{number(entry.number('chars'))} chars").say(_more(entry, "tools", "tool"))
        return line

    def _guard(self, entry: Entry) -> Line:
        decision = entry.tokens.get("decision", "?")
        line = self._line("problem" if decision == "deny" else "guard", entry, "guard")
        line.say(entry.tokens.get("guard")).say(entry.tokens.get("stage"), QUIET)
        return self._cite(line.say(decision, status_style(decision)), entry)

    def _approval(self, entry: Entry) -> Line:
        decision = entry.tokens.get("decision", "?")
        line = self._line("approval", entry, "approval").say(_given(entry, "subject", "of #"))
        line.say(decision, status_style(decision))
        who = self._names.of(entry.tokens.get("by"), "actor")
        return self._cite(line.say(None if who is None else f"by {who}"), entry)

    def _memory(self, entry: Entry) -> Line:
        line = self._line("memory", entry, "memory").say(entry.tokens.get("op"))
        line.say(self._names.of(entry.tokens.get("entry"), "entry"))
        return self._cite(line.say(_given(entry, "revision", "rev ")), entry)

    def _progress(self, entry: Entry) -> Line:
        return self._cite(self._line("progress", entry, entry.tokens.get("kind", "progress")), entry)

    def _check(self, entry: Entry) -> Line:
        verdict = entry.tokens.get("verdict", "?")
        line = self._line("problem" if verdict == "fail" else "done", entry, "check").say(
            entry.tokens.get("check")
        )
        return self._cite(line.say(verdict, status_style(verdict)), entry)

    def _superseded(self, entry: Entry) -> Line:
        by = entry.tokens.get("by")
        return self._line("note", entry, "superseded", WARN).say(
            None if by is None else f"by turn {short(by)}"
        )

    def _budget(self, entry: Entry) -> Line:
        used, limit = entry.number("used"), entry.number("limit")
        outcome = entry.tokens.get("outcome", "?")
        line = self._line("budget", entry, "budget").say(entry.tokens.get("budget"))
        return line.say(f"{number(used)} of {number(limit)} used").say(outcome, status_style(outcome))

    def _error(self, entry: Entry) -> Line:
        line = self._line("problem", entry, "error", BAD).say(entry.tokens.get("class"), BAD)
        line.say(_given(entry, "stage", "in "), QUIET)
        return line.cite(error_glance(self._reader, entry), self._chars)

    def _commit(self, entry: Entry) -> Line:
        status = entry.tokens.get("status", "?")
        line = self._line("done", entry, "commit").say(status, status_style(status))
        still_open = entry.number("open") or 0
        line.say(f"{still_open} steps still open" if still_open else None, WARN)
        return self._cite(line, entry)

    def _abort(self, entry: Entry) -> Line:
        status = entry.tokens.get("status", "?")
        line = self._line("problem", entry, "abort", BAD).say(status, status_style(status))
        return self._cite(line.say(_given(entry, "reason", "reason ")), entry)

    def _unknown(self, entry: Entry) -> Line:
        summary = entry.row.summary.partition(" detail=")[0]
        return self._cite(self._line("note", entry, entry.row.type).say(summary, QUIET), entry)


def _given(entry: Entry, token: str, before: str = "", after: str = "") -> str | None:
    value = entry.tokens.get(token)
    return None if value is None else f"{before}{' ' if before[-1:].isalpha() else ''}{value}{after}"


def _more(entry: Entry, token: str, what: str) -> str | None:
    count = entry.number(token) or 0
    return counted(count, what) if count else None


_TELLERS: Final[dict[str, Callable[[EventLines, Entry], Line]]] = {
    "OPENED": EventLines._opened,  # noqa: SLF001  this module's own table
    "MESSAGE": EventLines._message,  # noqa: SLF001
    "VERDICT": EventLines._verdict,  # noqa: SLF001
    "COLLAPSED": EventLines._collapsed,  # noqa: SLF001
    "SHED": EventLines._shed,  # noqa: SLF001
    "TURN_OPENED": EventLines._turn_opened,  # noqa: SLF001
    "TURN_CLOSED": EventLines._turn_closed,  # noqa: SLF001
    "DELIVERY": EventLines._delivery,  # noqa: SLF001
    "LATE": EventLines._late,  # noqa: SLF001
    "GAP": EventLines._gap,  # noqa: SLF001
    "CAPTURE_ERROR": EventLines._capture_error,  # noqa: SLF001
    "PRUNED": EventLines._removed,  # noqa: SLF001
    "ERASED": EventLines._removed,  # noqa: SLF001
    "INTAKE": EventLines._intake,  # noqa: SLF001
    "PROMPT": EventLines._prompt,  # noqa: SLF001
    "GUARD": EventLines._guard,  # noqa: SLF001
    "APPROVAL": EventLines._approval,  # noqa: SLF001
    "MEMORY_WRITE": EventLines._memory,  # noqa: SLF001
    "PROGRESS": EventLines._progress,  # noqa: SLF001
    "VERIFY": EventLines._check,  # noqa: SLF001
    "SUPERSEDED": EventLines._superseded,  # noqa: SLF001
    "BUDGET": EventLines._budget,  # noqa: SLF001
    "ERROR": EventLines._error,  # noqa: SLF001
    "COMMIT": EventLines._commit,  # noqa: SLF001
    "ABORT": EventLines._abort,  # noqa: SLF001
}
