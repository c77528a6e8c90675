"""What a call gives back while its event is on its way to the ledger."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import UUID

from turnledger.capture.waiting import settled
from turnledger.model.draft import Placed

if TYPE_CHECKING:
    from turnledger.capture.pen import Pen

__all__ = ["Pending", "Receipt"]

T = TypeVar("T")


class Pending(Generic[T]):
    """Something that was sent and will be answered."""

    def __init__(self, future: Future[T]) -> None:
        self.future = future
        self.was_awaited = False
        """Whether somebody asked for the answer, and so has seen an error if it is one."""

    @property
    def is_done(self) -> bool:
        """Whether the ledger has answered."""
        return self.future.done()

    def wait(self, timeout: float | None = None) -> T:
        """Block until it is durable.

        Raises CaptureRefused or TurnLost where it could not be recorded, TimeoutError after ``timeout``
        seconds.
        """
        self.was_awaited = True
        return self.future.result(timeout)

    def __await__(self) -> Generator[Any, None, T]:
        self.was_awaited = True
        return settled(self.future).__await__()


class Receipt(Pending[Placed]):
    """One event that was sent; its place in the journal is the answer.

    Inside ``with`` it is durable already when you get this.  Inside ``async with`` it may be on its way:
    ``await`` the receipt, or leave it to the end of the block, which waits for all of them.
    """

    def __init__(self, event_id: UUID, future: Future[Placed], pen: Pen) -> None:
        super().__init__(future)
        self.event_id = event_id
        self.pen = pen
