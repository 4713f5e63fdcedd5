"""An answer that several wait for: it is sought once, and given up when nobody waits any more."""

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

__all__ = ["SharedAnswer"]

_T = TypeVar("_T")


class SharedAnswer(Generic[_T]):
    """What a coroutine returns, for all who wait for it."""

    def __init__(self, seeking: Coroutine[Any, Any, _T]) -> None:
        self._task = asyncio.create_task(seeking)
        self._waiting = 0
        self.is_over = False
        """Whether it has ended, or does so because nobody waits: it is too late to join."""

    async def wait(self) -> _T:
        """Return the answer, or raise what prevented it.

        Who is cancelled leaves; the last to leave cancels what seeks the answer, and waits until
        it has ended.
        """
        self._waiting += 1
        try:
            # the task itself is cancelled by nobody but the last
            await asyncio.wait((self._task,))
            return self._task.result()
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.is_over = True
                self._task.cancel()
                await asyncio.wait((self._task,))
