"""What leaves the ledger: journals as ``turnledger.journal/1`` lines, a turn as a fixture."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from turnledger.errors import LedgerCorruptError, NotFoundError
from turnledger.integrity.verdict import Reason
from turnledger.model.rows import BodyRow, DamagedRow, EventRow, JournalRow
from turnledger.model.tokens import parse_summary
from turnledger.model.vocabulary import JournalKind
from turnledger.query.masking import Masker
from turnledger.query.previews import media_type
from turnledger.query.timeline import Entry, entries_of
from turnledger.query.verify import verify_journal
from turnledger.store.body_heads import BodyHead, body_heads
from turnledger.store.contract import BodyContent, Reader
from turnledger.wire.file_json import bytes_to_json
from turnledger.wire.fixture import ChainClaim, Fixture, build_fixture, event_objects
from turnledger.wire.journal_file import BodyState, FileBody, event_line, header_line

__all__ = ["Exported", "conversation_journals", "every_journal", "journal_lines", "turn_fixture"]

_PAGE = 200
_GENESIS = "0" * 64
_TOGETHER_BYTES = 4 << 20
_EVENT_BYTES = 2048  # about what an event takes beside its bodies


def every_journal(reader: Reader, left_out: list[DamagedRow]) -> Iterator[JournalRow]:
    """All journals of the ledger, in the order they were opened; damaged ones go into ``left_out``.

    Raises LedgerCorruptError where their list cannot be read on.
    """
    after: UUID | None = None
    limit = _PAGE
    while True:
        try:
            rows = reader.journals(None, after, limit)
        except LedgerCorruptError:
            if limit == 1:
                raise
            limit = 1  # as far as it goes
            continue
        left_out += rows.damaged
        if not rows:
            return
        yield from rows
        after = rows[-1].journal.id


def conversation_journals(reader: Reader, conversation: UUID) -> Iterator[JournalRow]:
    """The conversation's own journal and those of its turns, in the order in which it opened them.

    Raises NotFoundError, and LedgerCorruptError where a turn that it opened is not there.
    """
    yield _journal(reader, conversation)
    for row in _events(reader, conversation):
        turn = parse_summary(row.summary).get("turn") if row.type == "TURN_OPENED" else None
        if turn is None:
            continue
        journal = reader.journal(UUID(turn))
        if journal is None:
            msg = f"Conversation {conversation} opened turn {turn}, and the ledger holds no such turn."
            raise LedgerCorruptError(msg, next_step=f"Run `turnledger verify {conversation}`.")
        yield journal


def _journal(reader: Reader, journal_id: UUID) -> JournalRow:
    row = reader.journal(journal_id)
    if row is None:
        msg = f"The ledger holds no journal {journal_id}."
        raise NotFoundError(msg, next_step="See `turnledger list` for what there is.")
    return row


def _events(reader: Reader, journal_id: UUID) -> Iterator[EventRow]:
    seq = 0
    while rows := reader.events(journal_id, seq, _PAGE):
        yield from rows
        seq = rows[-1].seq + 1


class Exported:
    """Which conversations' journals are in a file so far: their turns say that they are beside them."""

    def __init__(self) -> None:
        self._conversations: set[UUID] = set()

    def note(self, row: JournalRow) -> None:
        """A journal that is in the file now, whole."""
        if row.journal.kind is JournalKind.CONVERSATION:
            self._conversations.add(row.journal.id)

    def holds_conversation_of(self, row: JournalRow) -> bool:
        """Whether it is a turn's journal whose conversation's is there."""
        return row.journal.kind is JournalKind.TURN and row.conversation in self._conversations


def journal_lines(
    reader: Reader, row: JournalRow, exported_ms: int, *, bodies: bool, beside: Exported | None = None
) -> Iterator[bytes]:
    """The lines of one journal: header, then events; with ``bodies`` their bytes and salts as well.

    ``beside`` is what the file holds already.
    Raises LedgerCorruptError where a body is damaged.
    """
    beside = beside or Exported()
    yield header_line(row, exported_ms, with_conversation=beside.holds_conversation_of(row))
    prev_hash = _GENESIS
    for events in _portions(_events(reader, row.journal.id)):
        entries = entries_of(events)
        wanted = [(event, body) for event in events for body in event.bodies if bodies and body.present]
        asked = [(event.event_id, body.slot, body.size) for event, body in wanted]
        read = dict(zip([key[:2] for key in asked], body_heads(reader, asked), strict=True))
        for entry in entries:
            event = entry.row
            found = [_file_body(entry, body, read, bodies) for body in event.bodies]
            yield event_line(event, prev_hash, found)
            prev_hash = event.hash.hex()
    beside.note(row)


def _portions(events: Iterable[EventRow]) -> Iterator[list[EventRow]]:
    """Events whose bodies are read together, because together they are not much."""
    gathered: list[EventRow] = []
    size = 0
    for event in events:
        gathered.append(event)
        size += _EVENT_BYTES + sum(body.size for body in event.bodies)
        if size >= _TOGETHER_BYTES:
            yield gathered
            gathered, size = [], 0
    if gathered:
        yield gathered


def _file_body(
    entry: Entry,
    body: BodyRow,
    read: Mapping[tuple[UUID, str], BodyHead | None],
    wanted: bool,  # noqa: FBT001
) -> FileBody:
    kind = media_type(entry, body.slot)
    if not body.present:
        return FileBody(body.slot, body.size, kind, BodyState.PRUNED)
    if not wanted:
        return FileBody(body.slot, body.size, kind, BodyState.WITHHELD)
    content = read.get((entry.row.event_id, body.slot))
    if content is None or not content.present:
        return FileBody(body.slot, body.size, kind, BodyState.PRUNED)
    if content.data is None:
        msg = f"The body {body.slot!r} of event {entry.row.event_id} is damaged."
        raise LedgerCorruptError(
            msg, next_step="`turnledger verify --all` names what to restore from a backup."
        )
    return FileBody(body.slot, content.size, kind, BodyState.PRESENT, content.data, content.salt)


def _present(reader: Reader, event_id: UUID, slot: str) -> BodyContent | None:
    content = reader.body(event_id, slot)
    return None if content is None or isinstance(content, BodyRow) else content


def turn_fixture(
    reader: Reader, turn: UUID, exported_ms: int, *, salts: bool = False, bodies: bool = False
) -> Fixture:
    """The fixture of a turn; its chain is verified first and the finding stands in it.

    ``bodies`` adds them with their secrets masked, and the salts, without which nobody could check them.
    Raises NotFoundError.
    """
    finding = verify_journal(reader, turn, bodies=True)
    row = _journal(reader, turn)
    if row.journal.kind is not JournalKind.TURN:
        msg = f"A fixture is made of a turn, and {turn} is a {row.journal.kind}."
        raise NotFoundError(msg, next_step=f"See `turnledger list --turns` for the turns of {turn}.")
    rows = list(_events(reader, turn))
    found_salts: dict[str, str] = {}
    found_bodies: dict[str, object] = {}
    if salts or bodies:
        masker = Masker()
        for event in rows:
            for body in event.bodies:
                content = _present(reader, event.event_id, body.slot)
                if content is None:
                    continue
                key = f"{event.seq}/{body.slot}"
                found_salts[key] = base64.b64encode(content.salt).decode("ascii")
                if bodies:
                    found_bodies[key] = _fixture_body(masker, b"".join(content.read()))
    return build_fixture(
        agent_id=row.agent,
        turn_id=turn,
        events=list(event_objects(rows)),
        exported_ms=exported_ms,
        claim=ChainClaim(finding.reason is Reason.OK, finding.broken_at_seq, str(finding.reason)),
        salts=found_salts,
        bodies=found_bodies,
    )


def _fixture_body(masker: Masker, data: bytes) -> object:
    plain = bytes_to_json(data)
    if isinstance(plain, dict):
        return plain
    masked = masker.mask(plain)
    return plain if masked == plain else {"masked": masked}
