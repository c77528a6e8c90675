"""The named statements of this engine: the shared ones, and its own in their place."""

from __future__ import annotations

from turnledger.store.postgres.link import Call
from turnledger.store.sql import load_statements

__all__ = ["STATEMENTS", "call"]

STATEMENTS = load_statements("turnledger.store", "turnledger.store.postgres")


def call(name: str, *values: object) -> Call:
    """A statement with the values of its parameters, in the order in which they first appear in its text."""
    return STATEMENTS[name], values
