"""Jobs in any executor of ``concurrent.futures``: a pool, a cluster, whatever can submit.

The pool calls `play_remotely`, in whatever process and thread it has. There bots are started by
worker processes of our own next to that one, kept from call to call: they die with the thread that
starts them, and a worker keeps to its cores, neither of which can be asked of a thread that belongs
to others. There are as many workers as calls at one time.
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
"""How long a chunk shall take: long compared with sending it, short compared with a run."""

_CHUNKS_A_SECOND = 50
"""How many chunks the runner shall have to send: with many slots, chunks are longer."""

_LONGEST_CHUNK = 10.0
"""And no longer than this: an interruption costs the running chunks."""

_MOST_IN_A_CHUNK = 1000


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

    outcomes: tuple[Outcome, ...]
    seconds: float


_USUAL = WorkerOptions()


class FuturesExecutor(SlotExecutor[Future[Chunk]]):
    """Plays pairs in a pool that `make_pool` makes, so many `slots` at a time.

    `slots` may be asked of the pool, again and again. Pairs are submitted in chunks, sized by how
    long they have taken so far. A pool that breaks is replaced.
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
        """Return how many jobs a chunk shall have."""
        if not self._seconds:
            return 1  # nothing is known yet, and games may take minutes
        seconds = min(max(_CHUNK_SECONDS, slots / _CHUNKS_A_SECOND), _LONGEST_CHUNK)
        return max(1, min(_MOST_IN_A_CHUNK, round(seconds * self._played / self._seconds)))

    def submit(self, jobs: tuple[Job, ...]) -> Future[Chunk]:
        """Let the pool play a chunk."""
        return self._pool.submit(play_remotely, jobs, self._options)

    def wait(self, slots: Iterable[Future[Chunk]]) -> Iterable[Future[Chunk]]:
        """Wait until some chunks are done; return those."""
        return wait(slots, ATTEND_SECONDS, return_when=FIRST_COMPLETED).done

    def collect(self, slot: Future[Chunk], jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return what came of the jobs of a chunk, and learn from it how long they take."""
        try:
            chunk = slot.result()
        except BrokenExecutor:
            raise
        except CancelledError as error:
            raise BrokenExecutor("its jobs were cancelled") from error
        except Exception as error:  # whatever a cluster raises when it loses a task
            reason = f"the executor lost it: {type(error).__name__}: {error}"[:500]
            return [reason] * len(jobs)
        # Chunks with losses say nothing: a worker that dies at once is fast.
        if all(isinstance(outcome, PairResult) for outcome in chunk.outcomes):
            self._seconds += chunk.seconds
            self._played += len(chunk.outcomes)
        return chunk.outcomes

    def renew(self) -> None:
        """Make a new pool."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._make_pool()

    def close(self) -> None:
        """End the pool, which decides what happens to running pairs."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def load_pool_factory(name: str, folder: Path) -> Callable[[], Executor]:
    """Return what makes the executor that ``module:callable`` names.

    The module is looked for in `folder`, too. Raises `UsageError` if it is not there; what the
    module's own code raises passes through.
    """
    module, _, attribute = name.partition(":")
    # At the end of the path, so that a file next to the tournament hides no library.
    directory = str(folder.resolve())
    if directory not in sys.path:
        sys.path.append(directory)
    try:
        imported = import_module(module)
    except ModuleNotFoundError as error:
        # A module that is there may import one that is not: that is reported as it is.
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
    """A worker, what it works for, and the locks on its cores."""

    options: WorkerOptions
    worker: WorkerProcess
    locks: tuple[CoreLock, ...]

    @classmethod
    def start(cls, options: WorkerOptions) -> "_OwnWorker":
        root = options.scratch_root
        scratch = root if root and os.path.isdir(root) else None
        # Nobody counts the workers of a machine whose processes belong to a cluster: only files
        # tell them of each other. While its file is locked, until that is closed or this process
        # ends, a core is taken. Where that is impossible they share their cores.
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
    """End the workers of this process."""
    with _lock:
        while _idle:
            _idle.pop().end()


# A pool ends its processes without a word to us.
atexit.register(end_workers)


def _play(job: Job, options: WorkerOptions) -> Outcome:
    """Play a pair in an idle worker of its run, or in a new one."""
    try:
        local = localize_job(job, options.shipment)
    except UsageError as error:
        return str(error)
    with _lock:
        others = [own for own in _idle if own.options != options]
        _idle[:] = [own for own in _idle if own.options == options]
        idle = _idle.pop() if _idle else None
    # Those of other runs; outside the lock, since a process takes its time to end.
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
