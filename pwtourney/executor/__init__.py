"""Where jobs run: here, in local worker processes, or in anybody's ``concurrent.futures``."""

from pwtourney.executor.base import Executor, InlineExecutor, LostJob
from pwtourney.executor.futures import FuturesExecutor
from pwtourney.executor.local import LocalExecutor

__all__ = ["Executor", "FuturesExecutor", "InlineExecutor", "LocalExecutor", "LostJob"]
