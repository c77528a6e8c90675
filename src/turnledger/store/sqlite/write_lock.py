"""The lock that Turnledger's own writers take before SQLite's, so that they wait in line instead of polling.

SQLite's busy handler sleeps and tries again; a waiter in ``flock`` is woken when the holder is done.  This
lock is advisory and guards nothing: SQLite's own lock does.  It dies with its holder.
"""

from __future__ import annotations

import fcntl
import os
import threading
import weakref
from enum import Enum
from pathlib import Path
from queue import Empty, SimpleQueue

__all__ = ["WriteLock"]

_living: weakref.WeakSet[WriteLock] = weakref.WeakSet()


class WriteLock:
    """``flock`` on a file of its own.  For one thread at a time."""

    def __init__(self, path: Path, mode: int) -> None:
        """Open the file, or make it with ``mode``; raises OSError."""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, mode)
        self._waiter: _Waiter | None = None
        _living.add(self)

    def acquire(self, seconds: float) -> bool:
        """Take the lock, waiting at most so long; False where the time was up.

        Raises OSError where the file system has no such locks.
        """
        if self._waiter is None or not self._waiter.waiting:
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            else:
                return True
        if self._waiter is None:
            self._waiter = _Waiter(self._fd)
        return self._waiter.wait(seconds)

    def release(self) -> None:
        """Let the others have it."""
        fcntl.flock(self._fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Release and close; idempotent."""
        waiter, self._waiter = self._waiter, None
        if waiter is not None:
            waiter.stop()
        elif self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def leave_to_parent(self) -> None:
        """In a forked child: close the shared descriptor, else the parent's lock would outlive the parent."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._waiter = -1, None


class _Order(Enum):
    WAIT = 1
    STOP = 2


class _Waiter:
    """A thread that waits in ``flock``, because ``flock`` takes no time limit.

    There is one for each descriptor: two waiters on one descriptor would share the lock.  A wait that was
    given up goes on in the kernel; the next ``wait`` takes it over, else the lock is released when it comes.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._orders: SimpleQueue[_Order] = SimpleQueue()
        self._granted: SimpleQueue[OSError | None] = SimpleQueue()
        self._mutex = threading.Lock()
        self._wanted = False
        self.waiting = False
        threading.Thread(target=self._run, name="turnledger-lock", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        with self._mutex:
            fresh = not self.waiting
            self.waiting = self._wanted = True
        if fresh:
            self._orders.put(_Order.WAIT)
        try:
            error = self._granted.get(timeout=seconds)
        except Empty:
            with self._mutex:
                if self.waiting:
                    self._wanted = False
                    return False
            error = self._granted.get()
        if error is not None:
            raise error
        return True

    def stop(self) -> None:
        """End the thread; it closes the descriptor when nothing waits on it any more."""
        self._orders.put(_Order.STOP)

    def _run(self) -> None:
        while self._orders.get() is _Order.WAIT:
            error: OSError | None = None
            try:
                fcntl.flock(self._fd, fcntl.LOCK_EX)
            except OSError as caught:
                error = caught
            with self._mutex:
                self.waiting = False
                if self._wanted:
                    self._granted.put(error)
                elif error is None:
                    fcntl.flock(self._fd, fcntl.LOCK_UN)
        os.close(self._fd)


def _after_fork() -> None:
    for lock in list(_living):
        lock.leave_to_parent()


os.register_at_fork(after_in_child=_after_fork)
