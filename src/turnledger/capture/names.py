"""Outside names and the ids they stand for; those met lately are remembered."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import cast
from uuid import UUID

from turnledger.capture.refusals import accepted
from turnledger.capture.sink import Sink
from turnledger.capture.waiting import Work
from turnledger.errors import GrammarError
from turnledger.ids import new_id
from turnledger.model.draft import AliasKind, Batch, BatchStatus, Claim

__all__ = ["Names", "checked_name"]

REMEMBERED = 4096
NAME_BYTES = 65_536

_Key = tuple[AliasKind, UUID, str]


def checked_name(name: object, what: str) -> str:
    """``name`` if a ledger can keep it as it is.

    Raises GrammarError where it is no text, empty, over 64 KiB, or holds NUL or a lone surrogate.
    """
    if not issubclass(type(name), str):  # isinstance would ask the object for its __class__
        msg = f"The {what} is text, and this is of type {type(name).__name__}."
        raise GrammarError(msg, next_step="Pass str(…) of it.")
    name = "".join((cast("str", name),))  # without the methods of a subclass
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        size = 0
    if size == 0 or size > NAME_BYTES or "\0" in name:
        msg = f"The {what} is empty, over {NAME_BYTES} bytes, or holds NUL or a lone surrogate."
        raise GrammarError(msg, next_step="Give a name that is plain text.")
    return name


class Names:
    """Looks names up, and claims those that are new.  Safe to use from many threads."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self._known: OrderedDict[_Key, UUID] = OrderedDict()

    def known(self, kind: AliasKind, scope: UUID, name: str) -> UUID | None:
        """The id if it was met lately."""
        with self._lock:
            target = self._known.get((kind, scope, name))
            if target is not None:
                self._known.move_to_end((kind, scope, name))
        return target

    def remember(self, kind: AliasKind, scope: UUID, name: str, target: UUID) -> None:
        """Keep what the ledger said."""
        with self._lock:
            self._known[kind, scope, name] = target
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)

    def resolve(self, kind: AliasKind, scope: UUID, name: str) -> Work[UUID]:
        """The id that ``name`` stands for, a new one if it had none."""
        target, _ = yield from self.claim(kind, scope, name)
        return target

    def claim(self, kind: AliasKind, scope: UUID, name: str) -> Work[tuple[UUID, bool]]:
        """The same, and whether it is new."""
        target = self.known(kind, scope, name)
        if target is not None:
            return target, False
        batch = Batch(claim=Claim(kind, scope, name, new_id()))
        result = yield from accepted(self._sink, batch, f"The name of the {kind}")
        target = result.target
        if target is None:
            msg = f"The ledger named no {kind} for a name it took."
            raise GrammarError(msg, next_step="Run `turnledger doctor`.")
        self.remember(kind, scope, name, target)
        return target, result.status is BatchStatus.APPENDED

    def after_fork(self) -> None:
        """In a child: the lock may have been held by a thread that is not there."""
        self._lock = threading.Lock()
