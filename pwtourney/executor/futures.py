"""Jobs in any executor of ``concurrent.futures``: a pool, a cluster, whatever can submit."""

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
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

from pwtourney.errors import ShortageError, UsageError
from pwtourney.executor.base import MAX_LOSSES, LostJob, NextJob
from pwtourney.executor.remote import Chunk, WorkerOptions, play_remotely
from pwtourney.executor.worker import SHORTAGE
from pwtourney.match import Job, PairResult

__all__ = ["FuturesExecutor", "load_pool_factory"]

_CHUNK_SECONDS = 2.0
"""How long a chunk shall take: long beside what it costs to send it, short beside a run."""

_CHUNKS_A_SECOND = 50
"""How many chunks the runner shall have to send: with many slots, chunks are longer."""

_LONGEST_CHUNK = 10.0
"""And no longer than this: an interruption costs the chunks under way."""

_MOST_IN_A_CHUNK = 1000
_REFUSES = "the executor breaks as soon as it is made: {}; nothing is lost: see to it and run again"
_USUAL = WorkerOptions()


class _Sent(NamedTuple):
    """Jobs that were submitted together, and how often they were lost before.

    Those that may have broken a pool are played `alone`. `refusals` counts pools that broke before
    they took them.
    """

    jobs: tuple[Job, ...]
    losses: int = 0
    alone: bool = False
    refusals: int = 0


class FuturesExecutor:
    """Plays pairs in a pool that `make_pool` makes, so many `slots` at a time.

    `slots` may be asked of the pool, again and again. Pairs are submitted in chunks, sized by how
    long they have taken so far. A pool that breaks is made anew; the jobs that it was at are then
    played one at a time, so that one which breaks pools takes no other down with it.
    """

    def __init__(
        self,
        make_pool: Callable[[], Executor],
        slots: int | Callable[[Any], int],
        options: WorkerOptions = _USUAL,
    ) -> None:
        self._make_pool = make_pool
        self._slots = slots
        self._options = options
        self._pool = make_pool()
        self._suspect: deque[_Sent] = deque()
        self._again: deque[_Sent] = deque()
        self._out: dict[Future[Chunk], _Sent] = {}
        self._seconds = 0.0
        self._played = 0

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Keep every slot at a chunk for as long as there are any jobs."""
        while True:
            self._hand_out(next_job)
            if not self._out:
                return
            done, _ = wait(self._out, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                sent = self._out.pop(future)
                outcomes, broke = self._outcomes(future, sent)
                broken = broken or broke
                for job, outcome in zip(sent.jobs, outcomes, strict=True):
                    yield from self._settle(job, outcome, sent.losses, broke=broke)
            if broken:
                self._replace_pool()

    def close(self) -> None:
        """End the pool; what becomes of pairs under way is the pool's to say."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _hand_out(self, next_job: NextJob) -> None:
        slots = self._slots(self._pool) if callable(self._slots) else self._slots
        while len(self._out) < slots:
            # One of the suspects breaks pools, and nobody knows which: each gets a pool to itself,
            # or innocent jobs beside it would be counted as lost once more.
            if self._suspect:
                if not self._out:
                    self._submit(self._suspect.popleft())
                return
            if any(sent.alone for sent in self._out.values()):
                return
            sent = self._again.popleft() if self._again else None
            sent = sent or _Sent(tuple(self._draw_jobs(next_job, slots)))
            if not sent.jobs:
                return
            self._submit(sent)

    def _draw_jobs(self, next_job: NextJob, slots: int) -> Iterator[Job]:
        """Yield as many jobs as a chunk shall have, if there are that many."""
        seconds = min(max(_CHUNK_SECONDS, slots / _CHUNKS_A_SECOND), _LONGEST_CHUNK)
        # The first chunk is a single pair: nothing is known yet, and games may take minutes.
        usual = seconds * self._played / self._seconds if self._seconds else 1.0
        for _ in range(max(1, min(_MOST_IN_A_CHUNK, round(usual)))):
            job = next_job()
            if job is None:
                return
            yield job

    def _submit(self, sent: _Sent) -> None:
        try:
            future = self._pool.submit(play_remotely, sent.jobs, self._options)
        except BrokenExecutor as error:  # it broke while nobody waited for it
            if sent.refusals + 1 >= MAX_LOSSES:
                raise ShortageError(_REFUSES.format(error)) from error
            self._again.appendleft(sent._replace(refusals=sent.refusals + 1))
            self._replace_pool()
            return
        self._out[future] = sent

    def _outcomes(
        self, future: "Future[Chunk]", sent: _Sent
    ) -> tuple[Sequence[PairResult | str], bool]:
        """Return what came of some jobs, or why they were lost; and whether their pool broke."""
        try:
            chunk = future.result()
        except (BrokenExecutor, CancelledError) as error:
            why, broke = f"the executor broke: {error or type(error).__name__}", True
        except Exception as error:  # whatever a cluster raises when it loses a task
            why, broke = f"the executor lost it: {type(error).__name__}: {error}"[:500], False
        else:
            # Chunks with losses say nothing: a worker that dies at once is fast.
            played = sum(isinstance(outcome, PairResult) for outcome in chunk.outcomes)
            if played == len(sent.jobs):
                self._seconds += chunk.seconds
                self._played += played
            return chunk.outcomes, False
        return [why] * len(sent.jobs), broke

    def _settle(
        self, job: Job, outcome: PairResult | str, losses: int, *, broke: bool
    ) -> Iterator[PairResult | LostJob]:
        if isinstance(outcome, PairResult):
            yield outcome
        elif losses + 1 < MAX_LOSSES:
            queue = self._suspect if broke else self._again
            queue.append(_Sent((job,), losses + 1, alone=broke))
        elif outcome.startswith(SHORTAGE):
            raise ShortageError(f"{outcome}; nothing is lost: see to it and run again")
        else:
            yield LostJob(job, outcome)

    def _replace_pool(self) -> None:
        """Make a new pool; what was under way in the old one is lost with it."""
        # Futures of a broken pool may never end, so they are not waited for.
        for jobs, losses, *_ in self._out.values():
            self._suspect.extend(_Sent((job,), losses, alone=True) for job in jobs)
        self._out.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._make_pool()


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
        # A module that is there may import one that is not: that is told as it is.
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
