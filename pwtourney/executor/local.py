"""Jobs in local worker processes, each pinned to cores of its own."""

import os
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import NamedTuple

from pwtourney.executor.base import ATTEND_SECONDS, Outcome, SlotExecutor
from pwtourney.executor.broadcast import Slot, clear_broadcasts, prepare_broadcasts
from pwtourney.executor.worker import WATCH_SECONDS, Cores, WorkerProcess
from pwtourney.match import Job
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.sandbox.cores import find_usable_cores
from pwtourney.sandbox.orphans import Orphans, become_subreaper

__all__ = ["CoreLock", "LocalExecutor", "hold_cores", "lock_cores"]

_ATTEMPTS = 20
_SHORT_SECONDS = 1.0
"""Pairs that take less than this are handed out ahead of time."""

_FEWEST = 2
"""The duration of a pair is used once each worker has played this many on average."""

_MEMORY = 100
"""The number of the last pairs over which the duration is averaged, about."""


class CoreLock(NamedTuple):
    """A core that this process has taken, which a locked file shows to others of this user."""

    path: str
    descriptor: int

    @classmethod
    def take(cls, core: int) -> "CoreLock | None":
        """Lock a core; return None if another process has it.

        Raises `ImportError` or `OSError` where files cannot be locked.
        """
        import fcntl

        path = os.path.join(tempfile.gettempdir(), f"pwtourney-{os.getuid()}-core-{core}.lock")
        for _ in range(_ATTEMPTS):
            # O_NOFOLLOW, because in a world-writable folder somebody could have left a link.
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(descriptor)
                if isinstance(error, BlockingIOError):
                    return None
                raise
            # Its last holder may have removed the file before we locked it. Then other processes
            # would not see our lock.
            with suppress(OSError):
                if os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                    return cls(path, descriptor)
            os.close(descriptor)
        raise OSError(f"{path}: other processes keep replacing this lock file")

    def release(self) -> None:
        """Release the core, and remove the file."""
        # Removed while we hold the lock: later, another process could hold it.
        with suppress(OSError):
            os.unlink(self.path)
        os.close(self.descriptor)


def lock_cores(most: int) -> dict[int, CoreLock]:
    """Lock up to `most` cores that no other run has; return them with their locks."""
    locked: dict[int, CoreLock] = {}
    with suppress(ImportError, OSError):  # where files cannot be locked, all share their cores
        for core in find_usable_cores().numbers:
            if len(locked) < most and (lock := CoreLock.take(core)):
                locked[core] = lock
    return locked


def hold_cores(workers: int, per_worker: int = 1) -> tuple[list[Cores], list[CoreLock]]:
    """Return `per_worker` cores for each worker, and the locks that show this to other runs.

    Cores that no other run of this user has come first, and one hyper-thread of each core comes
    before the others. If there are too few cores, no worker gets any: a worker that shares its core
    would be slower than the others, and so would its bots.
    """
    cores, count = find_usable_cores().numbers, workers * per_worker
    if not count or count > len(cores) or not hasattr(os, "sched_setaffinity"):
        return [None] * workers, []
    locks = lock_cores(count)
    others = [core for core in cores if core not in locks]
    begin = os.getpid() % max(1, len(others))  # so that runs do not all share the same cores
    order = [*locks, *others[begin:], *others[:begin]]
    kept = [tuple(order[slot * per_worker : (slot + 1) * per_worker]) for slot in range(workers)]
    return [*kept], [*locks.values()]


class _Turn:
    """A job and the worker that has it; a new worker takes the place of one that dies."""

    __slots__ = ("job", "worker")

    def __init__(self, job: Job, worker: WorkerProcess) -> None:
        self.job = job
        self.worker = worker


class LocalExecutor(SlotExecutor[_Turn]):
    """Plays pairs in `workers` processes; the pairs of a lost worker are played again.

    Each worker is pinned to `per_worker` cores of its own, 0 for any, if there are enough. If pairs
    are short, a worker gets its next one ahead of time. While the executor is open, new children of
    this process in other sessions than its own count as orphans of lost workers' bots, and are
    killed. Meanwhile the games can be watched in the folder `live`, and are paused while the
    descriptor `pauses` is readable. `now` returns seconds.
    """

    def __init__(
        self,
        workers: int,
        scratch_root: str | None = None,
        per_worker: int = 1,
        now: Callable[[], float] = time.monotonic,
        live: Path | None = None,
        pauses: int | None = None,
    ) -> None:
        super().__init__()
        self._pauses = pauses
        become_subreaper()  # bots of a killed worker become our children, and are killed here
        self._own_root = make_scratch() if scratch_root is None else None
        scratch_root = self._scratch_root = scratch_root or self._own_root
        kept, self._locks = hold_cores(workers, per_worker)
        # Filled once and not for each wait, which would take longer than everything else for a pair
        # if there are hundreds of workers.
        self._selector = DefaultSelector()
        self._live = live if live is not None and prepare_broadcasts(live) else None
        self._turns: dict[WorkerProcess, deque[_Turn]] = {}
        self._now = now
        self._next_look = now() + WATCH_SECONDS
        self._began: dict[WorkerProcess, float] = {}
        self._pairs, self._seconds = 0, 0.0
        self._workers: list[WorkerProcess] = []
        try:
            for number in range(workers):
                self._workers.append(self._add_worker(kept[number], self._name_slot(number)))
        finally:
            # created now, so that helper processes of the workers are known
            self._orphans = Orphans()
            if len(self._workers) < workers:  # interrupted, or no process could be started
                self.close()
        # Workers with no turn, and workers with one; the last in each dict gets the next job.
        self._free = (dict.fromkeys(self._workers[::-1]), dict[WorkerProcess, None]())

    def start_worker(self, cores: Cores, slot: Slot | None) -> WorkerProcess:
        """Start a worker that is pinned to some cores, and whose games can be watched in a slot."""
        return WorkerProcess(cores, self._scratch_root, slot, self._pauses)

    def _name_slot(self, number: int) -> Slot | None:
        return None if self._live is None else Slot(str(self._live), number)

    def slots(self) -> int:
        """Return how many pairs the workers have: one each, or two if pairs are short.

        A worker that has its next pair already does not wait for the runner when it has finished
        one. If pairs are short, that pair does not wait for long.
        """
        workers = len(self._workers)
        # Not before the duration of pairs is known: the first results are awaited anyway.
        known = self._pairs >= _FEWEST * workers
        return workers * (2 if known and self._seconds < _SHORT_SECONDS else 1)

    def submit(self, jobs: tuple[Job, ...]) -> _Turn:
        """Give a job to an idle worker, or else to one that has only one job."""
        (job,) = jobs
        worker, _ = (self._free[0] or self._free[1]).popitem()
        turn = _Turn(job, worker)
        if not self._turns[worker]:
            self._begin(turn)
            self._free[1][turn.worker] = None
        else:
            worker.give(job)  # if it is dead, its replacement gets its turns
        self._turns[turn.worker].append(turn)
        return turn

    def _begin(self, turn: _Turn) -> None:
        """Give a job to an idle worker, or to its replacement if it is dead."""
        # A worker that died while it was idle had no job, so none is counted as lost.
        while not turn.worker.give(turn.job):
            turn.worker = self._replace(turn.worker)
        self._began[turn.worker] = self._now()

    def wait(self, slots: Iterable[_Turn]) -> list[_Turn]:
        """Wait until some of the workers have sent something or died; return their first turns."""
        awake = dict.fromkeys(key.data for key, _ in self._selector.select(ATTEND_SECONDS))
        if self._now() >= self._next_look:  # also while others send much
            self._next_look = self._now() + WATCH_SECONDS
            for worker in [worker for worker, turns in self._turns.items() if turns]:
                worker.continue_if_stopped()
        for worker in [worker for worker in awake if not worker.jobs]:
            # It died while it was idle.
            del awake[worker]
            if self._turns[worker]:  # its next job came too late for it
                self._free[1][self._hand_over(worker)] = None
            else:  # it is replaced when there is a job for it
                self._forget(worker)
        return [self._turns[worker][0] for worker in awake]

    def collect(self, slot: _Turn, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return the outcome of a worker's first job; replace the worker if it died."""
        worker = slot.worker
        outcome = worker.take()
        turns = self._turns[worker]
        turns.popleft()
        now = self._now()
        self._pairs += 1
        self._seconds += (now - self._began[worker] - self._seconds) / min(self._pairs, _MEMORY)
        self._began[worker] = now
        if isinstance(outcome, str) and not worker.process.is_alive():
            worker = self._hand_over(worker)
        self._free[1].pop(worker, None)
        self._free[len(self._turns[worker])][worker] = None
        return (outcome,)

    def close(self) -> None:
        """End all workers, and the bots of those that were in the middle of a game."""
        # All are dismissed before any is waited for, so that they end at the same time.
        self._selector.close()
        for worker in self._workers:
            worker.dismiss()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._orphans.sweep()
        for lock in self._locks:
            lock.release()
        self._locks.clear()
        if self._live is not None:
            with suppress(OSError):
                clear_broadcasts(self._live)
        if self._own_root is not None:
            remove_scratch(self._own_root)  # with what the bots of lost workers left in it

    def _hand_over(self, worker: WorkerProcess) -> WorkerProcess:
        """Replace a dead worker, and return the one that now has its turn, if it had one."""
        turns = self._turns[worker]
        worker = self._replace(worker)
        for turn in turns:  # at most one; it was not started, so it is not lost
            turn.worker = worker
            self._begin(turn)
            worker = turn.worker
        self._turns[worker].extend(turns)
        return worker

    def _replace(self, worker: WorkerProcess) -> WorkerProcess:
        """Replace a worker by a new one, and kill the orphans of its bots."""
        self._forget(worker)
        for workers in (*self._free, self._turns, self._began):
            workers.pop(worker, None)
        worker.end()
        pids = frozenset(other.process.pid for other in self._workers)
        self._orphans.sweep(spared=pids)
        slot = self._workers.index(worker)
        self._workers[slot] = self._add_worker(worker.cores, worker.slot)
        return self._workers[slot]

    def _add_worker(self, cores: Cores, slot: Slot | None) -> WorkerProcess:
        worker = self.start_worker(cores, slot)
        self._turns[worker] = deque()
        # The sentinel reports a worker that is killed before it has anything to send.
        for source in (worker.pipe, worker.process.sentinel):
            self._selector.register(source, EVENT_READ, worker)
        return worker

    def _forget(self, worker: WorkerProcess) -> None:
        """Stop waiting for a worker; it may have been forgotten before."""
        for source in (worker.pipe, worker.process.sentinel):
            with suppress(KeyError):
                self._selector.unregister(source)
