"""Verification of a turn fixture: grammar, chain, then the bodies it carries, then its expected block."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from turnledger.errors import GrammarError
from turnledger.integrity.bodies import body_matches
from turnledger.integrity.chain import ChainVerifier
from turnledger.integrity.verdict import Caveat, ChainReport, Reason
from turnledger.wire.commitment import NO_PAYLOAD
from turnledger.wire.file_json import bytes_from_json, from_base64
from turnledger.wire.fixture import (
    COMMITMENT_HMAC,
    COMMITMENT_PLAIN,
    Fixture,
    expected_block,
    read_fixture,
)

__all__ = ["count_bodies", "verify_fixture"]

_KEY = re.compile(r"(0|[1-9][0-9]{0,9})/(payload|supplied|attachment-(?:0|[1-9][0-9]{0,5}))").fullmatch
_EXPECTED_KEYS: Final = ("eventTypes", "toolSequence", "finalAnswerHash", "finalStatus")


def verify_fixture(fixture: bytes | Fixture, *, known: frozenset[str] | None = None) -> ChainReport:
    """The report on a fixture, or on the file that holds it.

    Its ``chain`` block is a claim of the sender and plays no part.  ``known`` are the event types that
    raise no warning (default: those of the contract).  Raises ForeignFileError for bytes that are no fixture.
    """
    if isinstance(fixture, bytes):
        fixture = read_fixture(fixture)
    verifier = ChainVerifier(fixture.source.get("turnId"), fixture.source.get("agentId"), known=known)
    for event in fixture.events:
        verifier.feed(event)
    if verifier.intact:
        _check_bodies(fixture, verifier)
    if verifier.intact and not _expected_agrees(fixture):
        verifier.fail(Reason.EXPECTED, at=-1)
    if fixture.extra:
        verifier.warn(Caveat.UNHASHED_FIELDS)
    return verifier.report()


def count_bodies(fixture: Fixture) -> tuple[int, int]:
    """How many bodies of an intact fixture were checked, and how many were not, among them the absent ones.

    Only payloads are missed: a fixture does not carry what commits the other slots.
    """
    checked = sum(_proof(fixture, key) is not None for key in fixture.bodies)
    return checked, len(fixture.bodies) - checked + len(_absent(fixture))


def _absent(fixture: Fixture) -> list[int]:
    """Events whose payload was committed and is not in the file."""
    return [
        place
        for place, event in enumerate(fixture.events)
        if isinstance(event, Mapping)
        and event.get("payloadHash") != NO_PAYLOAD.hex()
        and f"{place}/payload" not in fixture.bodies
    ]


def _expected_agrees(fixture: Fixture) -> bool:
    computed = expected_block(fixture.events)
    return all(key in fixture.expected and fixture.expected[key] == computed[key] for key in _EXPECTED_KEYS)


def _check_bodies(fixture: Fixture, verifier: ChainVerifier) -> None:
    if fixture.commitment not in (None, COMMITMENT_PLAIN, COMMITMENT_HMAC):
        verifier.fail(Reason.COMMITMENT, at=-1)
        return
    for key in [*fixture.salts, *fixture.bodies]:
        match = _KEY(key)
        if match is None or int(match[1]) >= len(fixture.events):
            verifier.fail(Reason.BODIES_GRAMMAR, at=-1)
            return
    for key in sorted(fixture.bodies, key=lambda key: int(key.partition("/")[0])):
        place = int(key.partition("/")[0])
        try:
            proof = _proof(fixture, key)
            if proof is None:
                verifier.warn(Caveat.BODIES_UNCHECKED)
            elif not body_matches(*proof):
                verifier.fail(Reason.PAYLOAD, at=place)
                return
        except GrammarError:
            verifier.fail(Reason.BODIES_GRAMMAR, at=place)
            return
    if fixture.bodies and _absent(fixture):
        verifier.warn(Caveat.BODIES_UNCHECKED)


def _proof(fixture: Fixture, key: str) -> tuple[str, bytes, bytes | None] | None:
    """What its event committed, the body, and its salt; None where nothing in a fixture tells."""
    body, salt, event = (
        fixture.bodies[key],
        fixture.salts.get(key),
        fixture.events[int(key.partition("/")[0])],
    )
    masked = isinstance(body, Mapping) and set(body) == {"masked"}
    # Slots besides the payload are committed in the detail record, which a fixture does not carry.
    if masked or not key.endswith("/payload") or not isinstance(event, Mapping):
        return None
    digest, data = event["payloadHash"], bytes_from_json(body, f"Body {key}")
    if fixture.commitment != COMMITMENT_HMAC or (salt is None and not data):
        return digest, data, None
    return None if salt is None else (digest, data, from_base64(salt, f"Salt {key}"))
