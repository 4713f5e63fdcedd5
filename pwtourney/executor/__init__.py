"""Where jobs run: here, in local worker processes, or in anybody's ``concurrent.futures``.

The last is in `executor.futures`: each local worker imports this package, and needs none of that.
"""

from pwtourney.executor.base import Executor, InlineExecutor, LostJob
from pwtourney.executor.local import LocalExecutor

__all__ = ["Executor", "InlineExecutor", "LocalExecutor", "LostJob"]
