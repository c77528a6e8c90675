"""Verdicts, search hits, and what the ledger says of itself."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

import msgspec

from turnledger.server.answers.form import Answer, Cursor, LeftOut, Moment

__all__ = [
    "BodyCounts",
    "Checkpoints",
    "Finding",
    "FindingList",
    "Health",
    "Integrity",
    "Retention",
    "SearchAnswer",
    "SearchHit",
    "Snippet",
    "VerificationJob",
]


class BodyCounts(Answer):
    """Bodies that a verification met."""

    checked: int
    pruned: int
    not_checked: int


class Finding(Answer):
    """What was found about one journal."""

    target: UUID
    agent_id: Annotated[UUID | None, msgspec.Meta(description="Whose journal it is, as far as known.")]
    kind: str
    verdict: Literal["malformed", "broken", "intact", "sealed", "witnessed", "empty", "not_checked"]
    broken_at_seq: int
    reason: str
    explanation: str
    warnings: list[str]
    events: int
    bodies: BodyCounts
    not_covered: Annotated[
        list[str], msgspec.Meta(description="Attacks this level of proof does not detect.")
    ]
    head: str | None


class FindingList(Answer):
    """Findings about a conversation and its turns, or about one turn; ``verdict`` is the lowest."""

    verdict: str
    items: list[Finding]
    has_more: bool


class VerificationJob(Answer):
    """The verification of the whole ledger: at most one at a time, kept until the next one."""

    state: Literal["running", "finished", "cancelled", "failed"]
    started_at: Moment
    finished_at: Moment | None
    journals: Annotated[int, msgspec.Meta(description="Journals in the ledger when it began.")]
    checked: int
    events: int
    verdict: str | None
    faults: Annotated[list[str], msgspec.Meta(description="What is wrong with the database's own guards.")]
    unsound: Annotated[list[Finding], msgspec.Meta(description="What is not intact; at most 1,000.")]
    unsound_count: int
    error: str | None


class Checkpoints(Answer):
    """Whether heads are signed and kept elsewhere."""

    state: Literal["none"]
    explanation: str


class Integrity(Answer):
    """How far this ledger can be trusted, and what nobody has checked."""

    ledger_id: UUID
    checkpoints: Checkpoints
    verification: VerificationJob | None


class Snippet(Answer):
    """A match with a few words around it."""

    before: str
    match: str
    after: str


class SearchHit(Answer):
    """A body that holds all the words."""

    agent_id: UUID
    agent_name: str | None
    conversation_id: UUID | None
    conversation_key: Annotated[str | None, msgspec.Meta(description="Outside name; null once erased.")]
    turn_id: UUID | None
    event_id: UUID
    seq: int
    position: Annotated[int | None, msgspec.Meta(description="Place in its conversation's timeline.")]
    type: str
    slot: str
    created_at: Moment
    snippets: list[Snippet]


class SearchAnswer(Answer):
    """Newest first.  ``complete`` is false where the search stopped before the end: go on from ``next``.

    It concerns what was searched: ``requestsSearched`` says whether that was all that is kept.
    """

    items: list[SearchHit]
    has_more: bool
    next: Cursor | None
    complete: bool
    requests_searched: Annotated[
        bool, msgspec.Meta(description="False: requests to models and their prompts were left out.")
    ]
    searched_events: int
    searched_bytes: int
    searched_back_to: Moment | None
    unreadable_bodies: Annotated[int, msgspec.Meta(description="Bodies whose stored bytes are damaged.")]
    damaged: LeftOut | None


class Retention(Answer):
    """How long bodies are kept; ``windowDays`` is null where they are kept for good."""

    mode: Literal["keep", "window"]
    window_days: int | None


class Health(Answer):
    """The server answers."""

    status: Literal["ok"]
