"""Outside names of ids, looked up once; an id that has none (erased, or never had one) stays an id."""

from __future__ import annotations

from uuid import UUID

from turnledger.store.contract import Reader

__all__ = ["Names", "short"]

_SHORT = 18  # the time to the millisecond and twelve random bits


def short(found: UUID | str) -> str:
    """The beginning of an id that is enough to name it, but for the unluckiest of cases."""
    return str(found)[:_SHORT]


class Names:
    """Names by id text as it stands in summaries."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[str, str | None] = {}

    def of(self, text: str | None, kind: str) -> str | None:
        """The name, or ``kind`` and the beginning of the id; None where ``text`` is None."""
        if text is None:
            return None
        if text not in self._known:
            self._known[text] = self._look_up(text)
        return self._known[text] or f"{kind} {short(text)}"

    def _look_up(self, text: str) -> str | None:
        try:
            target = UUID(text)
        except ValueError:
            return None
        return self._reader.names([target]).get(target)
