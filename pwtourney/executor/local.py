"""Jobs in local worker processes, one a slot, each kept to a core of its own."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from multiprocess import connection, get_context

from pwtourney.errors import ShortageError
from pwtourney.executor.base import MAX_LOSSES, LostJob, NextJob
from pwtourney.executor.worker import SHORTAGE, serve_jobs
from pwtourney.match import Job, PairResult
from pwtourney.process import Strays, become_subreaper, make_scratch, remove_scratch

__all__ = ["Cores", "LocalExecutor", "available_cores", "own_cores"]

Cores = tuple[int, ...] | None
"""The cores that a worker keeps to, None for any."""

_FAREWELL_SECONDS = 5


def available_cores() -> list[int]:
    """Return the numbers of the cores that this process may use; made up where nobody knows."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def own_cores(workers: int, each: int = 1) -> list[Cores]:
    """Return so many cores of its own for each worker; None for all where there are too few."""
    cores = available_cores()
    if workers * each > len(cores) or not hasattr(os, "sched_setaffinity"):
        return [None] * workers
    return [tuple(cores[slot * each : (slot + 1) * each]) for slot in range(workers)]


class _Worker:
    """One worker process, the pipe to it, and the job it is at."""

    def __init__(self, cores: Cores, scratch_root: str | None) -> None:
        self.cores = cores
        self.job: Job | None = None
        self.losses = 0
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process: Any = context.Process(
            target=serve_jobs, args=(theirs, cores, scratch_root), daemon=True
        )
        self.process.start()
        theirs.close()

    def give(self, job: Job, losses: int) -> bool:
        """Hand over a job; False if the worker is dead already."""
        try:
            self.pipe.send(job)
        except OSError:
            return False
        self.job, self.losses = job, losses
        return True

    def result(self) -> tuple[PairResult | None, str | None]:
        """Take what the worker sent; its death is a reason too."""
        try:
            if self.pipe.poll():
                result: tuple[PairResult | None, str | None] = self.pipe.recv()
                return result
        except (EOFError, OSError):
            pass
        self.process.join(_FAREWELL_SECONDS)
        return None, f"the worker process died (exit code {self.process.exitcode})"

    def end(self) -> None:
        """End the process: by closing its pipe if it is idle, else by asking it to leave."""
        self.pipe.close()
        if self.job is not None:
            self.process.terminate()
        self.process.join(_FAREWELL_SECONDS)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


class LocalExecutor:
    """Plays pairs in `workers` processes; a worker that is lost costs nothing but a replay.

    Each keeps to its `cores`, None for any; without them each to one of its own, where there are
    enough. While it is open, the children of this process belong to it: those that turn up beside
    its workers are taken for what a lost worker's bots left behind, and are ended.
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
        self._workers = [_Worker(kept[slot], scratch_root) for slot in range(workers)]
        self._strays = Strays()  # now, so that helpers which came with the workers are known
        self._lost: deque[tuple[Job, int]] = deque()

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Keep every worker at a job for as long as there are any."""
        while True:
            self._hand_out(next_job)
            busy = [worker for worker in self._workers if worker.job is not None]
            if not busy:
                return
            waits = [each for worker in busy for each in (worker.pipe, worker.process.sentinel)]
            ready = set(connection.wait(waits))
            for worker in busy:
                if {worker.pipe, worker.process.sentinel} & ready:
                    yield from self._collect(worker)

    def close(self) -> None:
        """End all workers, and the bots of those that were in the middle of a game."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()
        self._strays.sweep()
        if self._own_root is not None:
            remove_scratch(self._own_root)  # with what the bots of lost workers left in it

    def _hand_out(self, next_job: NextJob) -> None:
        for slot, worker in enumerate(self._workers):
            if worker.job is not None:
                continue
            fresh = None if self._lost else next_job()
            if not self._lost and fresh is None:
                return
            job, losses = self._lost.popleft() if fresh is None else (fresh, 0)
            while not worker.give(job, losses):
                worker = self._replace(slot)

    def _collect(self, worker: _Worker) -> Iterator[PairResult | LostJob]:
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

    def _replace(self, slot: int) -> _Worker:
        """Put a new worker into a slot, and end what the old one left running."""
        old = self._workers[slot]
        old.end()
        workers = {worker.process.pid for worker in self._workers}
        self._strays.sweep(spared=frozenset(workers))
        self._workers[slot] = _Worker(old.cores, self._scratch_root)
        return self._workers[slot]
