"""Statements as the sqlite3 of every Python takes them: bare ``?``, a value that occurs twice given twice.

Python 3.12.0 to 3.12.3 takes ``?1`` for a named parameter and complains of each value that is bound to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from turnledger.store.sql import Statement

__all__ = ["Prepared", "PreparedStatements"]


class Prepared:
    """One statement: its text, and the values to run it with."""

    __slots__ = ("_names", "_spread", "text")

    def __init__(self, statement: Statement) -> None:
        self.text = statement.positional()
        self._names = statement.names()
        places = [statement.params.index(name) for name in self._names]
        self._spread = itemgetter(*places) if len(places) > len(statement.params) else None

    def named(self, params: Mapping[str, object]) -> tuple[object, ...]:
        """Values out of ``params``, which may offer more."""
        return tuple([params[name] for name in self._names])

    def row(self, values: Sequence[object]) -> Sequence[object]:
        """Values in the order of ``Statement.params``."""
        return values if self._spread is None else self._spread(values)

    def rows(self, rows: Iterable[Sequence[object]]) -> Iterable[Sequence[object]]:
        """The same for many rows."""
        return rows if self._spread is None else map(self._spread, rows)


class PreparedStatements(dict[str, Prepared]):
    """Statements by name, each of them prepared when it is first asked for."""

    def __init__(self, statements: Mapping[str, Statement]) -> None:
        super().__init__()
        self._statements = statements

    def __missing__(self, name: str) -> Prepared:
        made = self[name] = Prepared(self._statements[name])
        return made
