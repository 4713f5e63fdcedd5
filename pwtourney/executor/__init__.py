"""Executors, which run jobs here, in local worker processes, or in any ``concurrent.futures`` pool.

The last one is in `executor.futures` and not imported here, because each local worker imports this
package.
"""

from pwtourney.executor.base import Executor, InlineExecutor, LostJob
from pwtourney.executor.local import LocalExecutor

__all__ = ["Executor", "InlineExecutor", "LocalExecutor", "LostJob"]
