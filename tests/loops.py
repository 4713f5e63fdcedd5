"""Event loops for tests of asynchronous code."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

_T = TypeVar("_T")


def run_apart(coming: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine in another thread, because this one may have the browser's event loop."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(asyncio.run, coming).result()
