"""A coroutine that runs once for several waiters, and is cancelled when nobody waits any more."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["SharedAnswer"]

_T = TypeVar("_T")


class SharedAnswer(Generic[_T]):
    """The result of a coroutine, shared by all tasks that wait for it."""

    def __init__(self, seeking: Coroutine[Any, Any, _T]) -> None:
        self._task = asyncio.create_task(seeking)
        self._waiting = 0
        self.is_over = False
        """True if the coroutine has ended or was cancelled; it is then too late to join."""

    async def wait(self) -> _T:
        """Return the result, or raise the exception of the coroutine.

        A waiter that is cancelled leaves. The last waiter that leaves cancels the coroutine and
        waits until it has ended.
        """
        self._waiting += 1
        try:
            # asyncio.wait does not cancel the task if this waiter is cancelled
            await asyncio.wait((self._task,))
            return self._task.result()
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.is_over = True
                self._task.cancel()
                await asyncio.wait((self._task,))
