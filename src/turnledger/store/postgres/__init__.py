"""The PostgreSQL engine: version 14 and newer, through psycopg 3."""

from __future__ import annotations

from turnledger.store.postgres.database import PostgresDatabase

__all__ = ["PostgresDatabase"]
