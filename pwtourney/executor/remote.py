"""Pairs played for somebody else's executor, in whatever process and thread it hands us.

Bots are started by worker processes of our own beside that one, kept from call to call: they die
with the thread that starts them, and a worker keeps to its cores, neither of which can be asked of
a thread that belongs to others. There are as many workers as calls at one time.
"""

import atexit
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from typing import NamedTuple

from pwtourney.errors import UsageError
from pwtourney.executor.local import available_cores
from pwtourney.executor.shipping import localize_job
from pwtourney.executor.worker import WorkerProcess, wait_for_workers
from pwtourney.match import Job, PairResult

__all__ = ["Chunk", "WorkerOptions", "end_workers", "play_remotely"]

_lock = threading.Lock()
_idle: list["_Own"] = []


class WorkerOptions(NamedTuple):
    """How pairs are to be played: what is the same for all of a run.

    Scratch folders are made below `scratch_root` where that is there, on the machine that asked. A
    game has so many `cores` to itself, 0 for any. The bots of a `shipment` are started from where
    they lie on the machine that plays; without one, by the runner's paths.
    """

    scratch_root: str | None = None
    cores: int = 1
    shipment: str = ""


class Chunk(NamedTuple):
    """What came of some jobs, in order: the result, or why it was lost; and how long they took."""

    outcomes: tuple[PairResult | str, ...]
    seconds: float


class _Own(NamedTuple):
    """A worker, what it works for, and the locks on its cores."""

    options: WorkerOptions
    worker: WorkerProcess
    locks: tuple[int, ...]

    def end(self) -> None:
        self.worker.end()
        for lock in self.locks:
            os.close(lock)


def play_remotely(jobs: Sequence[Job], options: WorkerOptions) -> Chunk:
    """Play pairs one after the other; none is lost through a fault of its bots."""
    began = time.monotonic()
    outcomes = tuple(_play(job, options) for job in jobs)
    return Chunk(outcomes, time.monotonic() - began)


def end_workers() -> None:
    """End the workers of this process."""
    with _lock:
        while _idle:
            _idle.pop().end()


def _play(job: Job, options: WorkerOptions) -> PairResult | str:
    try:
        local = localize_job(job, options.shipment)
    except UsageError as error:
        return str(error)
    own = _take_worker(options)
    if not own.worker.give(local, 0):  # it died while it was idle
        own.end()
        own = _start_worker(options)
        if not own.worker.give(local, 0):
            own.end()
            return "a worker process died before it was given anything"
    wait_for_workers([own.worker])
    result, reason = own.worker.result()
    own.worker.job = None
    if result is None and not own.worker.process.is_alive():
        own.end()
    else:
        with _lock:
            _idle.append(own)
    return str(reason) if result is None else result


def _take_worker(options: WorkerOptions) -> _Own:
    """Return an idle worker of this run, or a new one; those of other runs are ended."""
    _end_at_exit()
    with _lock:
        others = [own for own in _idle if own.options != options]
        _idle[:] = [own for own in _idle if own.options == options]
        idle = _idle.pop() if _idle else None
    # Outside the lock, since a process takes its time to end.
    for other in others:
        other.end()
    return idle or _start_worker(options)


@cache
def _end_at_exit() -> None:
    """Register the end of the workers, once there may be any: who only imports this has none."""
    # A pool ends its processes without a word to us.
    atexit.register(end_workers)


def _start_worker(options: WorkerOptions) -> _Own:
    root = options.scratch_root
    scratch = root if root and os.path.isdir(root) else None
    locked = dict(_free_cores(options.cores))
    kept = tuple(locked) if options.cores and len(locked) == options.cores else None
    return _Own(options, WorkerProcess(kept, scratch), tuple(locked.values()))


def _free_cores(count: int) -> Iterator[tuple[int, int]]:
    """Yield so many cores that no other such worker of this machine keeps to, if there are.

    With each comes the descriptor of a file that is locked: until it is closed, or this process
    ends, the core is taken.
    """
    # Nobody counts the workers of a machine whose processes belong to a cluster: only files tell
    # them of each other. Where that is impossible they share their cores.
    with suppress(ImportError, OSError):
        import fcntl

        for core in available_cores():
            if count <= 0:
                return
            path = os.path.join(tempfile.gettempdir(), f"pwtourney-{os.getuid()}-core-{core}.lock")
            # Not followed: in a folder that all may write to somebody could have left a link.
            lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(lock)
            else:
                count -= 1
                yield core, lock
