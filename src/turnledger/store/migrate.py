"""Migrations: numbered SQL files, each applied once, in order, in a transaction of its own.

The table ``migrations`` keeps the SHA-256 of every file that was applied, so that an edited past and
a newer database are told apart and refused.  A killed migrator leaves whole migrations only; the next
one goes on from there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from turnledger.errors import LedgerCorruptError, LedgerVersionError
from turnledger.store.sql import read_folder

__all__ = ["Applied", "Migration", "MigrationTarget", "damaged_list", "load_migrations", "migrate", "pending"]

_FILE = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file ``NNNN_slug.sql``; ``digest`` is the SHA-256 of its bytes."""

    number: int
    slug: str
    text: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Applied:
    """A row of the table ``migrations``."""

    number: int
    slug: str
    digest: bytes


class MigrationTarget(Protocol):
    """A database as the runner sees it."""

    def applied(self) -> Sequence[Applied]:
        """What was applied, by number; nothing where the table ``migrations`` is missing."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Hold off every other migrator of this database, waiting for the one at work."""
        ...

    def apply(self, migration: Migration) -> None:
        """Run the statements and insert the row of ``migrations``, in one transaction."""
        ...


def load_migrations(package: str) -> list[Migration]:
    """The files in the package's ``migrations`` folder.  Their numbers count from 1 without a gap."""
    found: list[Migration] = []
    for number, (name, text) in enumerate(read_folder(package, "migrations").items(), start=1):
        match = _FILE.fullmatch(name)
        if match is None or int(match[1]) != number:
            msg = f"{name} is not migration number {number:04d}: files are named NNNN_slug.sql without a gap."
            raise LedgerVersionError(msg)
        found.append(Migration(number, match[2], text, hashlib.sha256(text.encode()).digest()))
    return found


def pending(target: MigrationTarget, migrations: Sequence[Migration]) -> list[Migration]:
    """The migrations that the database lacks; changes nothing.

    Raises LedgerVersionError where the database is newer than these migrations, or was made by
    migrations with the same numbers and other content, LedgerCorruptError where one before the last is not in
    the list of those that were applied.
    """
    known = {migration.number: migration for migration in migrations}
    applied = {row.number: row for row in target.applied()}
    newest = max(known, default=0)
    if applied and max(applied) > newest:
        msg = f"The ledger has schema version {max(applied)}; this Turnledger knows versions up to {newest}."
        raise LedgerVersionError(msg, next_step="Upgrade Turnledger to the version that wrote this ledger.")
    for number, row in sorted(applied.items()):
        if row.digest != known[number].digest:
            mine, theirs = known[number].digest.hex()[:16], row.digest.hex()[:16]
            msg = (
                f"Migration {number:04d}_{row.slug} was applied with other content (SHA-256 {theirs}…) "
                f"than this Turnledger has ({mine}…)."
            )
            raise LedgerVersionError(
                msg, next_step="Use the Turnledger that made this ledger, or a released version."
            )
    missing = [migration for number, migration in sorted(known.items()) if number not in applied]
    if missing and missing[0].number < max(applied, default=0):
        raise damaged_list(missing[0])
    return missing


def damaged_list(migration: Migration) -> LedgerCorruptError:
    """The error for a database that has been through a migration and does not say so."""
    name = f"{migration.number:04d}_{migration.slug}"
    return LedgerCorruptError(
        f"The ledger is damaged: its list of migrations lacks {name}, and its schema has been through it.",
        next_step="Stop writing to it and restore it from a backup; "
        "`turnledger verify --all` then says what holds.",
    )


def migrate(target: MigrationTarget, migrations: Sequence[Migration]) -> list[Migration]:
    """Bring the database up to date and return what was applied.

    Waits for another migrator rather than failing.  Raises LedgerVersionError as ``pending`` does.
    """
    if not pending(target, migrations):
        return []
    with target.alone():
        todo = pending(target, migrations)  # another migrator may have done it meanwhile
        for migration in todo:
            target.apply(migration)
    return todo
