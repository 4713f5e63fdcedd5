"""A pair played for somebody else's executor, in whatever process and thread it hands us.

Bots are started by a worker process of our own beside that one, kept from pair to pair: they die
with the thread that starts them, what they leave behind is swept up, and the worker keeps to one
core, none of which can be asked of a process or a thread that belongs to others.
"""

import atexit
import os
import tempfile
import threading
from contextlib import suppress

from pwtourney.executor.local import Cores, LocalExecutor, available_cores
from pwtourney.match import Job, PairResult

__all__ = ["play_remotely"]

_lock = threading.Lock()
_executors: list[LocalExecutor] = []


def play_remotely(job: Job, scratch_root: str | None) -> PairResult | str:
    """Play a pair; return what came of it, or why it was lost through no fault of the bots.

    Scratch folders are made below `scratch_root` where that is there, on the machine that asked.
    """
    with _lock:
        if not _executors:
            _executors.append(_executor(scratch_root))
            atexit.register(_end)
        todo = [job]
        (outcome,) = _executors[0].run(lambda: todo.pop() if todo else None)
    return outcome if isinstance(outcome, PairResult) else outcome.reason


def _executor(scratch_root: str | None) -> LocalExecutor:
    there = scratch_root is not None and os.path.isdir(scratch_root)
    return LocalExecutor(1, scratch_root if there else None, cores=[_free_core()])


def _end() -> None:
    while _executors:
        _executors.pop().close()


def _free_core() -> Cores:
    """Return a core that no other such worker of this machine keeps to, None if there is none.

    It is kept by a lock on a file, which the system lets go of when this process ends.
    """
    with suppress(ImportError, OSError):
        import fcntl

        for core in available_cores():
            path = os.path.join(tempfile.gettempdir(), f"pwtourney-{os.getuid()}-core-{core}.lock")
            held = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(held)
            else:
                return (core,)
    return None
