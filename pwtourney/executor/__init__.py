"""Where jobs run: in this process, or in local worker processes."""

from pwtourney.executor.base import Executor, LostJob
from pwtourney.executor.inline import InlineExecutor
from pwtourney.executor.local import LocalExecutor

__all__ = ["Executor", "InlineExecutor", "LocalExecutor", "LostJob"]
