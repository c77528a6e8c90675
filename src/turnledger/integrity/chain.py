"""The hash chain of a journal: how an event is hashed, and the streaming verifier."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import accumulate, repeat
from itertools import chain as chained
from operator import gt
from typing import Any, Final

from turnledger.integrity import grammar
from turnledger.integrity.verdict import Caveat, ChainReport, Reason, Verdict
from turnledger.model.registry import FINAL_TYPES, known_types

__all__ = ["GENESIS", "ChainVerifier", "event_hash", "preimage", "verify_chain", "whole_chains_hold"]

GENESIS: Final = "0" * 64

_DIGEST_BYTES: Final = 32
_BEFORE_ALL_MS: Final = -(2**63)
_GRAMMAR: Final = (
    ("seq", grammar.is_seq, Reason.SEQ_GRAMMAR),
    ("type", grammar.is_type, Reason.TYPE_GRAMMAR),
    ("payloadHash", grammar.is_hash, Reason.PAYLOAD_HASH_GRAMMAR),
    ("summary", grammar.is_summary, Reason.SUMMARY_GRAMMAR),
    ("prevHash", grammar.is_hash, Reason.PREV_HASH_GRAMMAR),
    ("hash", grammar.is_hash, Reason.HASH_GRAMMAR),
)
_BY_BYTES: Final = {name.encode(): name for name in known_types()}
_FIELDS: Final = frozenset({*(key for key, _, _ in _GRAMMAR), "createdAt"})


def preimage(
    prev_hash: str,
    journal_id: str,
    agent_id: str,
    seq: int,
    type: str,  # noqa: A002  the contract's name
    payload_hash: str,
    summary: str,
    created_ms: int,
) -> bytes:
    """The bytes that are hashed (contract, section 4): eight fields joined by ``|``, UTF-8.

    Hashes are hex, ids lower-case UUID text, ``created_ms`` floored epoch milliseconds.  The caller has
    checked the grammar: nothing here tells a shifted field boundary.
    """
    return f"{prev_hash}|{journal_id}|{agent_id}|{seq}|{type}|{payload_hash}|{summary}|{created_ms}".encode()


def event_hash(
    prev_hash: str,
    journal_id: str,
    agent_id: str,
    seq: int,
    type: str,  # noqa: A002  the contract's name
    payload_hash: str,
    summary: str,
    created_ms: int,
) -> str:
    """Lower-case hex SHA-256 of ``preimage``."""
    return sha256(
        preimage(prev_hash, journal_id, agent_id, seq, type, payload_hash, summary, created_ms)
    ).hexdigest()


class ChainVerifier:
    """Checks one journal event by event and keeps nothing but the head.

    ``known_types`` decides what is worth the warning ``unknown-type``; ``final_types`` what a complete
    journal ends with (empty for journals that never end); ``beside`` names the unhashed keys that an
    event may carry without a warning.
    """

    __slots__ = (
        "_beside",
        "_broken_at",
        "_by_bytes",
        "_caveats",
        "_events",
        "_final_types",
        "_head",
        "_known",
        "_last_ms",
        "_last_type",
        "_owner",
        "_reason",
        "_steps_back",
    )

    def __init__(
        self,
        journal_id: object,
        agent_id: object,
        *,
        known: frozenset[str] | None = None,
        final_types: frozenset[str] = FINAL_TYPES,
        beside: frozenset[str] = frozenset(),
    ) -> None:
        self._known = known_types() if known is None else known
        self._by_bytes = _BY_BYTES if known is None else {name.encode(): name for name in known}
        self._final_types = final_types
        self._beside = beside
        self._owner = f"|{journal_id}|{agent_id}|"
        self._events = 0
        self._head = GENESIS
        self._last_type = ""
        self._last_ms = _BEFORE_ALL_MS
        self._steps_back = 0
        self._caveats: set[Caveat] = set()
        self._broken_at = -1
        self._reason = Reason.OK
        if not grammar.is_uuid(journal_id):
            self._reason = Reason.SOURCE_TURN_ID
        elif not grammar.is_uuid(agent_id):
            self._reason = Reason.SOURCE_AGENT_ID

    @property
    def intact(self) -> bool:
        """Whether nothing failed so far."""
        return self._reason is Reason.OK

    @property
    def events(self) -> int:
        """How many were fed."""
        return self._events

    @property
    def head(self) -> str:
        """The hex hash of the last event that held."""
        return self._head

    @property
    def is_final(self) -> bool:
        """Whether that event is one that a complete journal ends with."""
        return self._last_type in self._final_types

    def fail(self, reason: Reason, at: int | None = None) -> None:
        """Note a fault found by another check, at the event fed last unless told; the first one stays."""
        if self._reason is Reason.OK:
            self._reason = reason
            self._broken_at = self._events - 1 if at is None else at

    def warn(self, caveat: Caveat) -> None:
        """Note something the verdict does not cover."""
        self._caveats.add(caveat)

    def feed(self, event: object) -> None:
        """Check the next event in its JSON form: an object with the seven fields of the contract."""
        place = self._events
        self._events = place + 1
        if self._reason is not Reason.OK:
            return
        if not isinstance(event, Mapping):
            self.fail(Reason.EVENT_GRAMMAR)
            return
        for key, holds, reason in _GRAMMAR:
            if not holds(event.get(key)):
                self.fail(reason)
                return
        instant = grammar.parse_instant(event.get("createdAt"))
        if instant is None:
            self.fail(Reason.CREATED_AT_GRAMMAR)
        elif event["seq"] != place:
            self.fail(Reason.SEQ)
        elif event["prevHash"] != self._head:
            self.fail(Reason.PREV_HASH)
        else:
            created_ms, finer = instant
            payload, summary, stored = event["payloadHash"], event["summary"], event["hash"]
            self._link(place, event["type"], payload, summary, stored, created_ms)
            if finer:
                self._caveats.add(Caveat.SUB_MILLISECOND)
            if len(event) != len(_FIELDS) and not event.keys() <= _FIELDS | self._beside:
                self._caveats.add(Caveat.UNHASHED_FIELDS)

    def feed_row(
        self,
        seq: object,
        type: object,  # noqa: A002  the contract's name
        payload_hash: object,
        summary: object,
        hash: object,  # noqa: A002  the contract's name
        created_ms: object,
    ) -> None:
        """Check the next row of a store.

        Digests are hex or 32 bytes; ``prevHash`` is not stored, it is the hash of the row before.
        """
        place = self._events
        self._events = place + 1
        if self._reason is not Reason.OK:
            return
        payload = payload_hash.hex() if isinstance(payload_hash, bytes) else payload_hash
        stored = hash.hex() if isinstance(hash, bytes) else hash
        if seq != place or not grammar.is_seq(seq):
            self.fail(Reason.SEQ if grammar.is_seq(seq) else Reason.SEQ_GRAMMAR)
        elif not grammar.is_type(type):
            self.fail(Reason.TYPE_GRAMMAR)
        elif not grammar.is_hash(payload):
            self.fail(Reason.PAYLOAD_HASH_GRAMMAR)
        elif not grammar.is_summary(summary):
            self.fail(Reason.SUMMARY_GRAMMAR)
        elif not isinstance(created_ms, int):
            self.fail(Reason.CREATED_AT_GRAMMAR)
        else:
            self._link(seq, type, payload, summary, stored, created_ms)

    def take_columns(self, columns: Sequence[tuple[Any, ...]]) -> bool:
        """Take the next rows of a store where all of them hold; else take none, and ``feed_row`` says why.

        The rows come as columns: seqs, types, payload hashes, tokens, details, hashes, epoch milliseconds;
        text is UTF-8 bytes.  The tokens and the detail's digest are the summary.
        """
        if self._reason is not Reason.OK:
            return False
        seqs, types, _, _, _, stored, times = columns
        # A stored hash stands in for the computed one of the row before: in the end all have to agree.
        try:
            heads = [self._head, *[digest.hex() for digest in stored]]
        except AttributeError:
            return False
        end = self._events + len(seqs)
        if _hashes(heads, repeat(self._owner), columns, self._by_bytes) != [*stored] or seqs != tuple(
            range(self._events, end)
        ):
            return False
        self._steps_back += sum(map(gt, (self._last_ms, *times), times))
        self._head, self._events, self._last_ms = heads[-1], end, times[-1]
        self._last_type = self._by_bytes[types[-1]]
        return True

    def _link(
        self, seq: int, type_name: str, payload: str, summary: str, stored: object, created_ms: int
    ) -> None:
        text = f"{self._head}{self._owner}{seq}|{type_name}|{payload}|{summary}|{created_ms}"
        if sha256(text.encode()).hexdigest() != stored:
            self.fail(Reason.HASH if grammar.is_hash(stored) else Reason.HASH_GRAMMAR)
            return
        self._head = str(stored)
        self._last_type = type_name
        if type_name not in self._known:
            self._caveats.add(Caveat.UNKNOWN_TYPE)
        if created_ms < self._last_ms:
            self._steps_back += 1
        self._last_ms = created_ms

    def report(self) -> ChainReport:
        """The finding so far; may be asked for at any time."""
        caveats = set(self._caveats)
        reason = self._reason
        final: str | None = None
        if reason is not Reason.OK:
            verdict = Verdict.MALFORMED if reason.malformed else Verdict.BROKEN
        elif self._events == 0:
            verdict, reason = Verdict.EMPTY, Reason.NO_EVENTS
        else:
            verdict = Verdict.INTACT
            final = self._last_type if self.is_final else None
            if self._final_types and final is None:
                caveats.add(Caveat.NO_FINAL_EVENT)
        return ChainReport(
            verdict=verdict,
            broken_at_seq=self._broken_at,
            reason=reason,
            warnings=tuple(sorted(caveats)),
            events=self._events,
            head=self._head,
            final_type=final,
            clock_steps_back=self._steps_back,
        )


def whole_chains_hold(
    owners: Sequence[tuple[str, str]], lengths: Sequence[int], columns: Sequence[tuple[Any, ...]]
) -> bool:
    """Whether these rows of a store are whole journals, one behind the other, and every event of them holds.

    ``owners`` are the journals' and agents' ids, ``lengths`` how many events each journal has, ``columns`` as
    in ``take_columns``.  False says nothing about which event it is, nor why.
    """
    seqs, stored = columns[0], columns[5]
    if seqs != tuple(chained.from_iterable(map(range, lengths))):
        return False
    try:
        heads = [GENESIS, *[digest.hex() for digest in stored[:-1]]]
    except AttributeError:
        return False
    for start in accumulate(lengths[:-1]):
        heads[start] = GENESIS
    texts = [f"|{journal_id}|{agent_id}|" for journal_id, agent_id in owners]
    each = chained.from_iterable(map(repeat, texts, lengths))
    return _hashes(heads, each, columns, _BY_BYTES) == [*stored]


def _hashes(
    heads: Iterable[str],
    owners: Iterable[str],
    columns: Sequence[tuple[Any, ...]],
    known: Mapping[bytes, str],
) -> list[bytes] | None:
    """What the hashes of these rows have to be; None where one is outside the grammar or of no known type."""
    seqs, types, payloads, tokens, details, _, times = columns
    try:
        if (
            not grammar.are_tokens(tokens)
            or {*map(len, payloads)} != {_DIGEST_BYTES}
            or {*map(type, times)} != {int}
        ):
            return None
        names = [known[name] for name in types]
        return [
            sha256(
                f"{head}{owner}{seq}|{name}|{payload.hex()}"
                f"|{text.decode()} detail={sha256(detail).hexdigest()}|{created_ms}".encode()
            ).digest()
            for head, owner, seq, name, payload, text, detail, created_ms in zip(
                heads, owners, seqs, names, payloads, tokens, details, times, strict=False
            )
        ]
    except (AttributeError, KeyError, TypeError):  # a column of another type than the schema's
        return None


def verify_chain(
    journal_id: object,
    agent_id: object,
    events: Iterable[object],
    *,
    known: frozenset[str] | None = None,
    final_types: frozenset[str] = FINAL_TYPES,
) -> ChainReport:
    """The report on a whole journal whose events come in their JSON form; ids as they were found."""
    verifier = ChainVerifier(journal_id, agent_id, known=known, final_types=final_types)
    for event in events:
        verifier.feed(event)
    return verifier.report()
