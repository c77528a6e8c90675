"""Immutable domain types: vocabularies, event types, drafts and rows.  No I/O."""
