"""Event loops for tests of asynchronous code."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeVar

__all__ = [
    "SetClock",
    "pass_time",
    "run_apart",
    "run_with_set_clock",
    "settle",
    "until",
    "without_loop",
]

_T = TypeVar("_T")
_ROUNDS = 30
"""More rounds of the loop than any chain of callbacks in our code needs."""

_SECONDS = 30.0
"""More time than another process needs on a busy machine."""


def run_apart(coming: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine in another thread, because this one may have the browser's event loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coming).result()


class SetClock(asyncio.SelectorEventLoop):
    """An event loop whose time stands still until `pass_time` moves it; I/O works as usual."""

    now = 1000.0

    def time(self) -> float:
        """Return the time of all timers, in seconds."""
        return self.now


def run_with_set_clock(coming: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine as `run_apart` does, in a loop whose time only the test moves."""

    def run() -> _T:
        with asyncio.Runner(loop_factory=SetClock) as runner:
            return runner.run(coming)

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(run).result()


async def pass_time(seconds: float) -> None:
    """Move the time of a loop with a set clock, and run everything that is then due."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SetClock)
    loop.now += seconds
    await settle()


async def settle() -> None:
    """Run everything that can run without waiting for another thread or process."""
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)


async def until(condition: Callable[[], object]) -> None:
    """Wait until a condition holds; other threads or processes make it true within 30 s."""
    began = monotonic()
    while not condition():
        assert monotonic() - began < _SECONDS, "the condition does not come true"
        await asyncio.sleep(0)


@contextmanager
def without_loop() -> Iterator[None]:
    """Let the block run an event loop in this thread, even if a browser has one here already.

    Only the main thread can handle signals.
    """
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    try:
        yield
    finally:
        asyncio._set_running_loop(loop)
