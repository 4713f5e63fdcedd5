"""Jobs in local worker processes, one a slot, each kept to a core of its own."""

import os
from collections import deque
from collections.abc import Iterator, Sequence

from pwtourney.errors import ShortageError
from pwtourney.executor.base import MAX_LOSSES, LostJob, NextJob
from pwtourney.executor.worker import SHORTAGE, Cores, WorkerProcess, wait_for_workers
from pwtourney.match import Job, PairResult
from pwtourney.process import make_scratch, remove_scratch
from pwtourney.sandbox.orphans import Orphans, become_subreaper

__all__ = ["LocalExecutor", "available_cores", "own_cores"]


def available_cores() -> list[int]:
    """Return the numbers of the cores that this process may use; made up where nobody knows."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def own_cores(workers: int, per_worker: int = 1) -> list[Cores]:
    """Return so many cores of its own for each worker; None for all where there are too few."""
    cores = available_cores()
    # All or none: a worker that shares its core is slower than the others, and so are its bots.
    if workers * per_worker > len(cores) or not hasattr(os, "sched_setaffinity"):
        return [None] * workers
    return [tuple(cores[slot * per_worker : (slot + 1) * per_worker]) for slot in range(workers)]


class LocalExecutor:
    """Plays pairs in `workers` processes; a worker that is lost costs nothing but a replay.

    Each keeps to its `cores`, None for any; without them each to one of its own, where there are
    enough. While it is open, children of this process that turn up in other sessions than its own
    are taken for what a lost worker's bots left behind, and are ended.
    """

    def __init__(
        self,
        workers: int,
        scratch_root: str | None = None,
        cores: Sequence[Cores] | None = None,
    ) -> None:
        become_subreaper()  # the bots of a worker that was killed come to us, and are ended here
        self._own_root = make_scratch() if scratch_root is None else None
        scratch_root = self._scratch_root = scratch_root or self._own_root
        kept = own_cores(workers) if cores is None else cores
        self._workers = [WorkerProcess(kept[slot], scratch_root) for slot in range(workers)]
        self._orphans = Orphans()  # now, so that helpers which came with the workers are known
        self._lost: deque[tuple[Job, int]] = deque()

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Keep every worker at a job for as long as there are any."""
        while True:
            self._hand_out(next_job)
            busy = [worker for worker in self._workers if worker.job is not None]
            if not busy:
                return
            for worker in wait_for_workers(busy):
                yield from self._collect(worker)

    def close(self) -> None:
        """End all workers, and the bots of those that were in the middle of a game."""
        # All are asked before any is waited for, so that they end at the same time.
        for worker in self._workers:
            worker.dismiss()
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._orphans.sweep()
        if self._own_root is not None:
            remove_scratch(self._own_root)  # with what the bots of lost workers left in it

    def _hand_out(self, next_job: NextJob) -> None:
        for slot, worker in enumerate(self._workers):
            if worker.job is not None:
                continue
            # Lost jobs first: a schedule may be waiting for just them before it tells any other.
            fresh = None if self._lost else next_job()
            if not self._lost and fresh is None:
                return
            job, losses = self._lost.popleft() if fresh is None else (fresh, 0)
            # A worker that died while it was idle took no job with it, so none is counted as lost.
            while not worker.give(job, losses):
                worker = self._replace(slot)

    def _collect(self, worker: WorkerProcess) -> Iterator[PairResult | LostJob]:
        job, losses = worker.job, worker.losses
        assert job is not None, "only workers at a job are waited for"
        result, reason = worker.result()
        worker.job = None
        if result is not None:
            yield result
            return
        if not worker.process.is_alive():
            self._replace(self._workers.index(worker))
        if losses + 1 < MAX_LOSSES:
            self._lost.append((job, losses + 1))
        elif str(reason).startswith(SHORTAGE):
            raise ShortageError(f"{reason}; nothing is lost: see to it and run again")
        else:
            yield LostJob(job, str(reason))

    def _replace(self, slot: int) -> WorkerProcess:
        """Put a new worker into a slot, and end what the old one left running."""
        old = self._workers[slot]
        old.end()
        workers = {worker.process.pid for worker in self._workers}
        self._orphans.sweep(spared=frozenset(workers))
        self._workers[slot] = WorkerProcess(old.cores, self._scratch_root)
        return self._workers[slot]
