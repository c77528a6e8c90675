"""``vegaduta.turn-fixture/1``: one turn as a file for replay in a test (contract, section 12).

Reading keeps everything and believes nothing: whether the events hold is the business of
``turnledger.integrity``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from turnledger.clock import to_iso
from turnledger.errors import ForeignFileError
from turnledger.model.events import Abort, Commit, ToolCall
from turnledger.model.rows import EventRow
from turnledger.model.tokens import parse_summary
from turnledger.wire.file_json import file_json
from turnledger.wire.strict_json import loads

__all__ = [
    "COMMITMENT_HMAC",
    "COMMITMENT_PLAIN",
    "SCHEMA",
    "ChainClaim",
    "Fixture",
    "build_fixture",
    "event_objects",
    "expected_block",
    "file_name",
    "fixture_bytes",
    "read_fixture",
]

SCHEMA: Final = "vegaduta.turn-fixture/1"
COMMITMENT_HMAC: Final = "hmac-sha256"
COMMITMENT_PLAIN: Final = "sha256"

_NUMBER = re.compile(r"[0-9]{1,10}").fullmatch
_GENESIS = "0" * 64
_FIXED = ("schema", "exportedAt", "source", "chain", "events", "expected")
_ADDITIVE = ("commitment", "salts", "bodies")


@dataclass(frozen=True, slots=True)
class ChainClaim:
    """What the exporting side says about the chain; compared, never believed.

    ``client_verified`` is None where no browser checked.
    """

    server_intact: bool
    broken_at_seq: int = -1
    verification: str = "ok"
    client_verified: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixture:
    """A fixture as it was read: ids, events and blocks are unchecked JSON.

    ``events`` are objects with the seven hashed fields and whatever else stood beside them; ``commitment``
    is None where the file has none (plain SHA-256); ``salts`` and ``bodies`` are keyed ``<seq>/<slot>``;
    ``extra`` holds unknown keys of the top level.
    """

    exported_at: object
    source: Mapping[str, object]
    chain: Mapping[str, object]
    events: Sequence[object]
    expected: Mapping[str, object]
    commitment: object = None
    salts: Mapping[str, object] = field(default_factory=dict)
    bodies: Mapping[str, object] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)


def file_name(turn_id: UUID) -> str:
    """Name of the turn's fixture file."""
    return f"turn-{turn_id}.fixture.json"


def event_objects(rows: Iterable[EventRow], prev_hash: str = _GENESIS) -> Iterator[dict[str, object]]:
    """The events of one journal in their JSON form, in order, from the one after ``prev_hash`` on."""
    for row in rows:
        digest = row.hash.hex()
        yield {
            "seq": row.seq,
            "type": row.type,
            "payloadHash": row.payload_hash.hex(),
            "summary": row.summary,
            "prevHash": prev_hash,
            "hash": digest,
            "createdAt": to_iso(row.created_ms),
        }
        prev_hash = digest


def build_fixture(
    *,
    agent_id: UUID,
    turn_id: UUID,
    events: Sequence[Mapping[str, object]],
    exported_ms: int,
    claim: ChainClaim,
    commitment: str = COMMITMENT_HMAC,
    salts: Mapping[str, str] | None = None,
    bodies: Mapping[str, object] | None = None,
) -> Fixture:
    """The fixture of a turn whose events are in their JSON form (see ``event_objects``).

    ``salts`` maps ``<seq>/<slot>`` to base64, ``bodies`` to text, ``{"base64": …}`` or, where secrets
    were replaced, ``{"masked": <text>}``.
    """
    return Fixture(
        exported_at=to_iso(exported_ms),
        source={"agentId": str(agent_id), "turnId": str(turn_id)},
        chain={
            "serverIntact": claim.server_intact,
            "brokenAtSeq": claim.broken_at_seq,
            "verification": claim.verification,
            "clientVerified": claim.client_verified,
        },
        events=events,
        expected=expected_block(events),
        commitment=commitment,
        salts=salts or {},
        bodies=bodies or {},
    )


def fixture_bytes(fixture: Fixture) -> bytes:
    """The file's content: the contract's key order, then the additive keys, then the unknown ones."""
    whole: dict[str, object] = {
        "schema": SCHEMA,
        "exportedAt": fixture.exported_at,
        "source": fixture.source,
        "chain": fixture.chain,
        "events": list(fixture.events),
        "expected": fixture.expected,
    }
    for key in _ADDITIVE:
        value = getattr(fixture, key)
        if value is not None and value != {}:
            whole[key] = value
    return file_json({**whole, **fixture.extra}, indent=2) + b"\n"


def read_fixture(data: bytes) -> Fixture:
    """The fixture in ``data``; raises ForeignFileError where it is none, with the reason."""
    whole = loads(data, "fixture")
    if not isinstance(whole, dict) or "schema" not in whole:
        msg = "This file is no turn fixture: it is no JSON object with a schema."
        raise ForeignFileError(msg, next_step=f"A fixture names the schema {SCHEMA}.")
    if whole["schema"] != SCHEMA:
        msg = f"This file is no turn fixture: its schema is {str(whole['schema'])[:80]!r}, not {SCHEMA!r}."
        raise ForeignFileError(msg, next_step="Give the file that `turnledger export --fixture` wrote.")
    events = whole.get("events")
    if not isinstance(events, list):
        msg = "This fixture has no list of events."
        raise ForeignFileError(msg, next_step="Export the turn again.")
    return Fixture(
        exported_at=whole.get("exportedAt"),
        source=_block(whole, "source"),
        chain=_block(whole, "chain"),
        events=events,
        expected=_block(whole, "expected"),
        commitment=whole.get("commitment"),
        salts=_block(whole, "salts") if "salts" in whole else {},
        bodies=_block(whole, "bodies") if "bodies" in whole else {},
        extra={key: value for key, value in whole.items() if key not in _FIXED and key not in _ADDITIVE},
    )


def _block(whole: Mapping[str, object], key: str) -> dict[str, object]:
    block = whole.get(key)
    if not isinstance(block, dict):
        msg = f"This fixture has no object {key!r}."
        raise ForeignFileError(msg, next_step="Export the turn again.")
    return block


def expected_block(events: Iterable[object]) -> dict[str, object]:
    """What a replay has to reproduce, computed from events in their JSON form.

    ``toolSequence`` holds ``<tool>|<payloadHash>`` for each TOOL_CALL: in the order of the journal, except
    that calls naming the model result that asked for them (tokens ``from`` and ``ordinal``) stand in the
    model's order.  ``finalAnswerHash`` is the payload hash of the last COMMIT, ``finalStatus`` the
    ``status`` of the last COMMIT or ABORT; null where there is none.
    """
    types: list[object] = []
    calls: list[tuple[int, int, str]] = []
    answer: object = None
    status: object = None
    for place, event in enumerate(events):
        fields = event if isinstance(event, Mapping) else {}
        type_name = fields.get("type")
        types.append(type_name)
        if type_name == ToolCall.TYPE:
            tokens = _tokens(fields)
            entry = f"{tokens.get('tool', '')}|{fields.get('payloadHash')}"
            calls.append((*_model_order(tokens, place), entry))
        elif type_name in (Commit.TYPE, Abort.TYPE):
            answer = fields.get("payloadHash") if type_name == Commit.TYPE else None
            status = _tokens(fields).get("status")
    calls.sort(key=lambda call: call[:2])
    return {
        "eventTypes": types,
        "toolSequence": [entry for _, _, entry in calls],
        "finalAnswerHash": answer,
        "finalStatus": status,
    }


def _tokens(fields: Mapping[str, object]) -> dict[str, str]:
    summary = fields.get("summary")
    return parse_summary(summary) if isinstance(summary, str) else {}


def _model_order(tokens: Mapping[str, str], place: int) -> tuple[int, int]:
    """Sort key of a call: the result that asked and the ordinal, or its own place where it names none."""
    asked, ordinal = tokens.get("from", ""), tokens.get("ordinal", "")
    if _NUMBER(asked) and _NUMBER(ordinal):
        return int(asked), int(ordinal)
    return place, 0
