"""Jobs in any executor of ``concurrent.futures``: a pool, a cluster, anything with `submit`.

The pool calls `play_remotely` in a process and thread of its own. There, worker processes of ours,
which are kept between calls, start the bots. Bots must die with the thread that starts them, and a
worker must stay on its cores: a thread of the pool can guarantee neither. There are as many workers
as simultaneous calls.
"""

import atexit
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from pwtourney.errors import UsageError
from pwtourney.executor.base import ATTEND_SECONDS, Outcome, SlotExecutor
from pwtourney.executor.local import CoreLock, lock_cores
from pwtourney.executor.shipping import localize_job
from pwtourney.executor.worker import WorkerProcess, wait_for_worker
from pwtourney.match import Job, PairResult

__all__ = [
    "Chunk",
    "FuturesExecutor",
    "WorkerOptions",
    "end_workers",
    "load_pool_factory",
    "play_remotely",
]

_CHUNK_SECONDS = 2.0
"""The target duration of a chunk: long compared with sending it, short compared with a run."""

_CHUNKS_A_SECOND = 50
"""The most chunks that the runner should send per second; with many slots, chunks are longer."""

_LONGEST_CHUNK = 10.0
"""The longest target duration, because an interruption loses the running chunks."""

_MOST_IN_A_CHUNK = 1000


class WorkerOptions(NamedTuple):
    """The options with which pairs are played; the same for all pairs of a run.

    Scratch folders are made below `scratch_root` if it exists on the machine that plays. Each game
    has `cores` cores to itself, 0 for any. The bots of a `shipment` are started from the files on
    the machine that plays; without a shipment, from the runner's paths.
    """

    scratch_root: str | None = None
    cores: int = 1
    shipment: str = ""


class Chunk(NamedTuple):
    """The outcomes of some jobs, in order, and the seconds they took.

    An outcome is the result, or the reason why the job was lost.
    """

    outcomes: tuple[Outcome, ...]
    seconds: float


_USUAL = WorkerOptions()


class FuturesExecutor(SlotExecutor[Future[Chunk]]):
    """Plays pairs in a pool that `make_pool` makes, `slots` chunks at a time.

    `slots` may be a function, which is called with the pool whenever the number is needed. Pairs
    are submitted in chunks, sized by how long pairs have taken so far. A pool that breaks is
    replaced.
    """

    def __init__(
        self,
        make_pool: Callable[[], Executor],
        slots: int | Callable[[Any], int],
        options: WorkerOptions = _USUAL,
    ) -> None:
        super().__init__()
        self._make_pool = make_pool
        self._slots = slots
        self._options = options
        self._pool = make_pool()
        self._seconds = 0.0
        self._played = 0

    def slots(self) -> int:
        """Return how many chunks the pool plays at a time."""
        return self._slots(self._pool) if callable(self._slots) else self._slots

    def batch_size(self, slots: int) -> int:
        """Return how many jobs a chunk should have."""
        if not self._seconds:
            return 1  # nothing is known yet, and games may take minutes
        seconds = min(max(_CHUNK_SECONDS, slots / _CHUNKS_A_SECOND), _LONGEST_CHUNK)
        return max(1, min(_MOST_IN_A_CHUNK, round(seconds * self._played / self._seconds)))

    def submit(self, jobs: tuple[Job, ...]) -> Future[Chunk]:
        """Submit a chunk to the pool."""
        return self._pool.submit(play_remotely, jobs, self._options)

    def wait(self, slots: Iterable[Future[Chunk]]) -> Iterable[Future[Chunk]]:
        """Wait until some chunks are done; return those."""
        return wait(slots, ATTEND_SECONDS, return_when=FIRST_COMPLETED).done

    def collect(self, slot: Future[Chunk], jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return the outcomes of a chunk's jobs, and update the average time per job."""
        try:
            chunk = slot.result()
        except BrokenExecutor:
            raise
        except CancelledError as error:
            raise BrokenExecutor("its jobs were cancelled") from error
        except Exception as error:  # any error that a cluster raises when it loses a task
            reason = f"the executor lost it: {type(error).__name__}: {error}"[:500]
            return [reason] * len(jobs)
        # Chunks with losses are ignored: a worker that dies at once is fast.
        if all(isinstance(outcome, PairResult) for outcome in chunk.outcomes):
            self._seconds += chunk.seconds
            self._played += len(chunk.outcomes)
        return chunk.outcomes

    def renew(self) -> None:
        """Replace the pool by a new one."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._make_pool()

    def close(self) -> None:
        """Shut down the pool, which decides what happens to running pairs."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def load_pool_factory(name: str, folder: Path) -> Callable[[], Executor]:
    """Return the function that ``module:callable`` names; it makes an executor.

    The module is also searched for in `folder`. Raises `UsageError` if it is not there. Errors of
    the module's own code pass through.
    """
    module, _, attribute = name.partition(":")
    # At the end of the path, so that a file next to the tournament hides no library.
    directory = str(folder.resolve())
    if directory not in sys.path:
        sys.path.append(directory)
    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        # An existing module may import a missing one; that error is raised unchanged.
        if error.name and f"{module}.".startswith(f"{error.name}."):
            raise UsageError(f"executor: there is no module {module!r}") from error
        raise
    make = getattr(imported, attribute, None)
    if not callable(make):
        raise UsageError(f"executor: {module} has nothing called {attribute!r} that makes one")

    def make_pool() -> Executor:
        pool = make()
        if not (hasattr(pool, "submit") and hasattr(pool, "shutdown")):
            raise UsageError(f"executor: {name} made {type(pool).__name__}, which cannot submit")
        return pool  # type: ignore[no-any-return]

    return make_pool


class _OwnWorker(NamedTuple):
    """A worker process, its options, and the locks on its cores."""

    options: WorkerOptions
    worker: WorkerProcess
    locks: tuple[CoreLock, ...]

    @classmethod
    def start(cls, options: WorkerOptions) -> "_OwnWorker":
        root = options.scratch_root
        scratch = root if root and os.path.isdir(root) else None
        # Workers on one machine do not know of each other, because a cluster owns their processes.
        # Only lock files tell them: a core is taken while its file is locked, until the file is
        # closed or this process ends. Where that is impossible, the workers share their cores.
        locked = lock_cores(options.cores)
        kept = tuple(locked) if options.cores and len(locked) == options.cores else None
        return cls(options, WorkerProcess(kept, scratch), tuple(locked.values()))

    def end(self) -> None:
        self.worker.end()
        for lock in self.locks:
            lock.release()


_lock = threading.Lock()
_idle: list[_OwnWorker] = []


def play_remotely(jobs: Sequence[Job], options: WorkerOptions) -> Chunk:
    """Play pairs one after the other; none is lost through a fault of its bots."""
    began = time.monotonic()
    outcomes = tuple(_play(job, options) for job in jobs)
    return Chunk(outcomes, time.monotonic() - began)


def end_workers() -> None:
    """End the idle workers of this process."""
    with _lock:
        while _idle:
            _idle.pop().end()


# A pool ends its processes without telling us.
atexit.register(end_workers)


def _play(job: Job, options: WorkerOptions) -> Outcome:
    """Play a pair in an idle worker with the same options, or in a new one."""
    try:
        local = localize_job(job, options.shipment)
    except UsageError as error:
        return str(error)
    with _lock:
        others = [own for own in _idle if own.options != options]
        _idle[:] = [own for own in _idle if own.options == options]
        idle = _idle.pop() if _idle else None
    # Workers of other runs; outside the lock, because ending a process takes time.
    for other in others:
        other.end()
    own = idle or _OwnWorker.start(options)
    if not own.worker.give(local):  # it died while it was idle
        own.end()
        own = _OwnWorker.start(options)
        if not own.worker.give(local):
            own.end()
            return "a worker process died before it was given anything"
    wait_for_worker(own.worker)
    outcome = own.worker.take()
    if own.worker.process.is_alive():
        with _lock:
            _idle.append(own)
    else:
        own.end()
    return outcome
