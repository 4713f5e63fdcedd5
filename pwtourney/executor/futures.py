"""Jobs in any executor of ``concurrent.futures``: a pool, a cluster, whatever can submit."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)

from pwtourney.executor.base import MAX_LOSSES, LostJob, NextJob
from pwtourney.executor.remote import play_remotely
from pwtourney.match import Job, PairResult

__all__ = ["FuturesExecutor"]


class FuturesExecutor:
    """Plays pairs in a pool that `make_pool` makes, so many `slots` at a time.

    A pool that breaks is made anew. Jobs that were lost with it are then played one at a time, so
    that one which breaks pools takes no other down with it.
    """

    def __init__(
        self, make_pool: Callable[[], Executor], slots: int, scratch_root: str | None = None
    ) -> None:
        self._make_pool = make_pool
        self._slots = slots
        self._scratch_root = scratch_root
        self._pool = make_pool()
        self._lost: deque[tuple[Job, int]] = deque()
        self._out: dict[Future[PairResult | str], tuple[Job, int]] = {}

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Keep every slot at a job for as long as there are any."""
        while True:
            self._hand_out(next_job)
            if not self._out:
                return
            done, _ = wait(self._out, return_when=FIRST_COMPLETED)
            broken = False
            for future in done:
                job, losses = self._out.pop(future)
                result, broke = _result(future)
                broken = broken or broke
                if isinstance(result, PairResult):
                    yield result
                elif losses + 1 < MAX_LOSSES:
                    self._lost.append((job, losses + 1))
                else:
                    yield LostJob(job, result)
            if broken:
                self._mend()

    def close(self) -> None:
        """Let the pairs under way end, and the pool with them."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _hand_out(self, next_job: NextJob) -> None:
        while len(self._out) < self._slots:
            if self._lost:
                if not self._out:
                    self._submit(*self._lost.popleft())
                return
            if any(losses for _, losses in self._out.values()):
                return
            job = next_job()
            if job is None:
                return
            self._submit(job, 0)

    def _submit(self, job: Job, losses: int) -> None:
        self._out[self._pool.submit(play_remotely, job, self._scratch_root)] = (job, losses)

    def _mend(self) -> None:
        """Make a new pool; what was under way in the old one is lost with it."""
        for job, losses in self._out.values():
            self._lost.append((job, losses))
        self._out.clear()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._make_pool()


def _result(future: "Future[PairResult | str]") -> tuple[PairResult | str, bool]:
    """Return what came of a job, or why it was lost; and whether its pool broke."""
    try:
        return future.result(), False
    except (BrokenExecutor, CancelledError) as error:
        return f"the executor broke: {error or type(error).__name__}", True
    except Exception as error:  # whatever a cluster raises when it loses a task
        return f"the executor lost it: {type(error).__name__}: {error}"[:500], False
