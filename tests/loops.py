"""Event loops for tests of asynchronous code."""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

_T = TypeVar("_T")


def run_apart(coming: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine in another thread, because this one may have the browser's event loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coming).result()


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
