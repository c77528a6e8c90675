"""A conversation as a journal file, line by line as it is read: memory does not grow with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from starlette.responses import StreamingResponse

from turnledger.errors import NotAllowedError
from turnledger.model.rows import ConversationRow
from turnledger.query.exporting import Exported, conversation_journals, journal_lines
from turnledger.server.caller import Asking
from turnledger.server.portions import portions
from turnledger.server.reply import answers

__all__ = ["EXPORT_ANSWERS", "export_response"]

_LINES: Final = "application/x-ndjson"

EXPORT_ANSWERS: Final = answers(None, 404, about="Lines of turnledger.journal/1.")
EXPORT_ANSWERS[200]["content"] = {_LINES: {"schema": {"type": "string"}}}


def export_response(asking: Asking, row: ConversationRow, *, bodies: bool) -> StreamingResponse:
    """The file.  Raises NotAllowedError where bodies are wanted and the caller may not read them."""
    if bodies and not asking.sees_bodies:
        msg = "Bodies in an export need the scope view_bodies."
        raise NotAllowedError(msg, next_step="Ask for it without them.")
    name = f"conversation-{row.id}.jsonl"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(portions(_lines(asking, row, bodies=bodies)), 200, headers, _LINES)


def _lines(asking: Asking, row: ConversationRow, *, bodies: bool) -> Iterator[bytes]:
    reader, now_ms = asking.reader, asking.service.clock.epoch_ms()
    beside = Exported()
    for journal in conversation_journals(reader, row.id):
        yield from journal_lines(reader, journal, now_ms, bodies=bodies, beside=beside)
