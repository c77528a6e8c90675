"""How a turn ends: COMMIT with the answer, or ABORT with the reason; nothing is left open in between."""

from __future__ import annotations

from typing import TYPE_CHECKING

from turnledger.capture.composer import Composed, attachment_slots, compose
from turnledger.capture.content import Attachment, Content
from turnledger.capture.failure import Failure, failure_of, stop_code
from turnledger.capture.message import message_event
from turnledger.errors import TurnLost
from turnledger.model.draft import Closing, Draft
from turnledger.model.events import Abort, Commit, Error
from turnledger.model.tokens import cut_value
from turnledger.model.vocabulary import Direction, TurnStatus

if TYPE_CHECKING:
    from turnledger.capture.turn_journal import TurnJournal
    from turnledger.capture.turn_pen import TurnPen
    from turnledger.capture.waiting import Work
    from turnledger.model.draft import Placed

__all__ = ["abort", "commit", "finish"]

UNCOMMITTED = "uncommitted"
REFUSED = "ledger_refused"


def commit(
    pen: TurnPen,
    event: Composed,
    answer: Content | None,
    attachments: tuple[Attachment, ...],
    actor: str | None,
) -> Work[tuple[Placed, ...]]:
    """COMMIT, and the outbound MESSAGE where there is an answer to send, in one batch; gives their places."""
    yield from pen.drained()
    journal = yield from pen.journal_for("The COMMIT")
    message: tuple[Draft, ...] = ()
    if answer is not None:
        who = None if actor is None else (yield from pen.actor_id(actor))
        body = message_event(Direction.OUTBOUND, answer, actor=who, turn=pen.id, reply_to=pen.trigger)
        composed = compose(body, answer, slots=attachment_slots(attachments), facts=_origin(pen))
        message = (journal.conversation.draft(composed),)
    if isinstance(event.event, Commit):
        status = event.event.status
        open_steps = sum(not step.is_arriving for step in pen.open_steps())
        tokens = Commit(status=status, chars=event.event.chars, open=open_steps)
        event = event.closing_with(tokens, Closing(status, ms=_ms(pen)))
    # What arrived of a reply stands beside the journal, and has its place in it at the latest now.
    arriving = [step.given_up() for step in pen.open_steps() if step.is_arriving]
    placed = yield from journal.close("The COMMIT", *arriving, event, beside=message)
    _let_go(pen, journal)
    return placed[len(arriving) :]


def _origin(pen: TurnPen) -> dict[str, object]:
    call = pen.last_call
    facts: dict[str, object] = {"ms": _ms(pen)}
    if call is not None:
        facts |= {"model": call.served_model, "finish": call.finish, "promptDigest": call.prompt_digest}
    return facts


def abort(
    pen: TurnPen, *before: Composed, ended: Composed, status: TurnStatus, code: str
) -> Work[tuple[Placed, ...]]:
    """ABORT because the agent says so; ``ended`` is the event, sent with what holds when it is."""
    yield from pen.drained()
    journal = pen.opened()
    if journal.problem is not None and not isinstance(journal.problem, TurnLost):
        status, code = TurnStatus.REFUSED, REFUSED
    else:
        journal.check("The ABORT")
    last = ended.closing_with(Abort(status=status, reason=code), Closing(status, ms=_ms(pen)))
    placed = yield from journal.close("The ABORT", *_unfinished(pen), *before, last)
    _let_go(pen, journal)
    return placed


def finish(pen: TurnPen, error: BaseException | None) -> Work[None]:
    """End the turn when its block is left, unless it has ended already or waits for an approval."""
    failure = None if error is None else failure_of(error)
    yield from pen.drained()
    journal = pen.opened()
    if journal.is_inherited:
        return
    awaited = pen.awaited()
    if error is None and awaited is not None and not journal.ended and journal.problem is None:
        if not journal.is_parked:
            yield from journal.append("The request for approval", awaited.reminder())
        journal.ended = True  # for this handle: whoever resumes the turn goes on with it
    elif not journal.ended and not isinstance(journal.problem, TurnLost):
        last = _last_words(pen, journal, error, failure)
        yield from journal.close("The end of the turn", *_unfinished(pen), *last)
    _let_go(pen, journal)


def _last_words(
    pen: TurnPen, journal: TurnJournal, error: BaseException | None, failure: Failure | None
) -> list[Composed]:
    kind = None if failure is None else cut_value(failure.error_class)[0]
    stopped = None if error is None else stop_code(error)
    events: list[Composed] = []
    if journal.problem is not None:
        status, code, kind = TurnStatus.REFUSED, REFUSED, type(journal.problem).__name__
    elif error is None or failure is None or kind is None:
        status, code = TurnStatus.FAILED, UNCOMMITTED
    elif stopped is not None:
        status, code = TurnStatus.CANCELLED, stopped
    else:
        status, code = TurnStatus.FAILED, "error"
        step = pen.failed_step(error)
        facts = {**failure.facts(), "step": None if step is None else step.seq}
        stage = "turn" if step is None else step.STAGE
        events.append(compose(Error(stage=stage, error_class=kind), failure.payload, facts=facts))
    closing = Closing(status, kind, _ms(pen))
    return [*events, compose(Abort(status=status, reason=code), closing=closing)]


def _unfinished(pen: TurnPen) -> list[Composed]:
    return [step.given_up() for step in pen.open_steps()]


def _ms(pen: TurnPen) -> int | None:
    return None if pen.began_us is None else (pen.core.clock.monotonic_us() - pen.began_us) // 1000


def _let_go(pen: TurnPen, journal: TurnJournal) -> None:
    pen.core.heartbeat.drop(journal)
    pen.forget()
