"""What a draft must look like to be let in: the grammar, checked before anything is hashed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from turnledger.errors import GrammarError
from turnledger.ids import parse_uuid
from turnledger.model.draft import Draft
from turnledger.model.registry import may_stand_in
from turnledger.model.vocabulary import Assurance, Shape
from turnledger.wire.commitment import NO_PAYLOAD
from turnledger.wire.details import decode_detail

__all__ = ["Opening", "assurance_of", "opening_of", "problem_of"]

TOKENS_BYTES = 4024
DETAIL_BYTES = 1 << 18

_TYPE = re.compile(r"[A-Z][A-Z0-9_]{0,31}")
_TOKENS = re.compile(rf"[ -~]{{0,{TOKENS_BYTES}}}")
_ASSURANCE = re.compile(r"(?:^| )assurance=([a-z])(?= |$)")
_LETTERS = {assurance.value: assurance for assurance in Assurance}


def assurance_of(tokens: str) -> Assurance | None:
    """The assurance that a summary names; None where it names none."""
    found = _ASSURANCE.search(tokens)
    return None if found is None else _LETTERS.get(found[1])


class Opening(NamedTuple):
    """What a conversation is, as the detail of its OPENED says."""

    connector: str | None
    shape: str
    place: UUID | None


def opening_of(detail: bytes) -> Opening | None:
    """Connector, shape (session where none is named) and place; None where one of them is no such thing."""
    try:
        facts = decode_detail(detail)
        connector, place = facts.get("connector"), facts.get("place")
        shape = Shape(str(facts.get("shape", Shape.SESSION.value)))
        if not isinstance(connector, str | None) or not isinstance(place, str | None):
            return None
        return Opening(connector, shape.value, None if place is None else parse_uuid(place))
    except (GrammarError, ValueError):
        return None


def problem_of(draft: Draft) -> str:
    """What keeps a draft out, as a sentence; empty where nothing does."""
    tokens, kind = draft.tokens, draft.type
    if (
        may_stand_in(kind, draft.journal.kind)
        and _TYPE.fullmatch(kind) is not None
        and _TOKENS.fullmatch(tokens) is not None
        and assurance_of(tokens) is not None
        and " detail=" not in tokens
        and len(draft.payload_hash) == len(NO_PAYLOAD)
        and len(draft.detail) <= DETAIL_BYTES
        and draft.event_id.hex.encode() in draft.detail
        and not tokens.startswith("detail=")
    ):
        return ""
    return next(problem for holds, problem in _RULES if not holds(draft))


_RULES: tuple[tuple[Callable[[Draft], bool], str], ...] = (
    (lambda draft: _TYPE.fullmatch(draft.type) is not None, "Its type is outside the grammar."),
    (
        lambda draft: may_stand_in(draft.type, draft.journal.kind),
        "Its type cannot stand in this kind of journal.",
    ),
    (
        lambda draft: _TOKENS.fullmatch(draft.tokens) is not None,
        f"Its summary is not printable ASCII of at most {TOKENS_BYTES} bytes.",
    ),
    (lambda draft: assurance_of(draft.tokens) is not None, "Its summary names no assurance."),
    (
        lambda draft: " detail=" not in f" {draft.tokens}",
        "Its summary holds detail=, which is the ledger's to add.",
    ),
    (lambda draft: len(draft.payload_hash) == len(NO_PAYLOAD), "Its payload hash is not 32 bytes."),
    (lambda draft: len(draft.detail) <= DETAIL_BYTES, f"Its detail record is over {DETAIL_BYTES} bytes."),
    (
        lambda draft: draft.event_id.hex.encode() in draft.detail,
        "Its detail record does not name the event's id.",
    ),
)
