"""The base of all executors: handing out jobs, collecting outcomes, and counting losses."""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from pwtourney.errors import ShortageError
from pwtourney.match import BotPool, Job, PairResult, play_pair
from pwtourney.sandbox.orphans import become_subreaper

__all__ = [
    "ATTEND_SECONDS",
    "SHORTAGE",
    "Batch",
    "Executor",
    "InlineExecutor",
    "LostJob",
    "NextJob",
    "Outcome",
    "SlotExecutor",
]

SHORTAGE = "the system ran out of something: "
"""The prefix of the reason why a job could not be played for lack of a system resource."""

ATTEND_SECONDS = 0.2
"""The longest time that an executor waits for its jobs before it calls `attend` again."""

_MAX_LOSSES = 3
"""The number of losses after which a job is given up."""

_REFUSES = "the executor breaks as soon as it is made: {}; nothing is lost: see to it and run again"

NextJob = Callable[[], Job | None]
"""A function that is called for the next job whenever a slot is free; None if there is none."""

Outcome = PairResult | str
"""The outcome of a job: its result, or the reason why it was lost."""

Slot = TypeVar("Slot")
"""The key of a running batch: a worker, a future."""


def _do_nothing() -> None:
    """Do nothing; the default of `attend`."""


class LostJob(NamedTuple):
    """A job that was given up through no fault of the bots, with the last reason."""

    job: Job
    reason: str


class Executor(Protocol):
    """Runs jobs and yields their outcomes; those that end at the same time come together.

    `attend` is called repeatedly while jobs are played, for other work. No job is handed out while
    it runs.
    """

    attend: Callable[[], object]

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Run until there is no next job and no batch is running.

        `next_job` is called again after results were consumed, so a schedule may depend on them. If
        several jobs have ended, it may be called before that, too.
        """

    def close(self) -> None:
        """End everything that is still running."""


class InlineExecutor:
    """Plays pairs in this process, which it makes the subreaper of its bots' orphans."""

    def __init__(self, scratch_root: str | None = None) -> None:
        # Processes that a bot has started outlive a killed bot. They then become children of this
        # process, which finds and kills them.
        self._pool = BotPool(scratch_root)
        self.attend: Callable[[], object] = _do_nothing
        become_subreaper()

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Run the jobs one after the other."""
        while (job := next_job()) is not None:
            self.attend()
            yield (play_pair(job, self._pool),)

    def close(self) -> None:
        """End the bots that stayed from game to game."""
        self._pool.close()


class Batch(NamedTuple):
    """Jobs that are handed out together, and how often they were lost before.

    Jobs that may have broken a pool are played `alone`. `refusals` counts pools that broke before
    they accepted the batch.
    """

    jobs: tuple[Job, ...]
    losses: int = 0
    alone: bool = False
    refusals: int = 0


class SlotExecutor(ABC, Generic[Slot]):
    """The loop that hands out jobs to several slots, and counts those that are lost.

    A subclass plays them. If it raises `BrokenExecutor`, a new pool is made. The jobs that were
    running in the broken pool are then played one at a time, so that a job which breaks pools does
    not affect others.
    """

    def __init__(self) -> None:
        self.attend: Callable[[], object] = _do_nothing
        self._under_way: dict[Slot, Batch] = {}
        self._again: deque[Batch] = deque()
        self._suspects: deque[Batch] = deque()
        self._is_broken = False

    @abstractmethod
    def slots(self) -> int:
        """Return how many batches are played at a time; it may change."""

    def batch_size(self, slots: int) -> int:
        """Return how many new jobs a batch should have with this number of slots."""
        return 1

    @abstractmethod
    def submit(self, jobs: tuple[Job, ...]) -> Slot:
        """Start a batch; it is called only while fewer batches are running than there are slots."""

    @abstractmethod
    def wait(self, slots: Iterable[Slot]) -> Iterable[Slot]:
        """Wait until some of the running batches have ended; return those.

        It returns none after `ATTEND_SECONDS`, so that the loop can do other work.
        """

    @abstractmethod
    def collect(self, slot: Slot, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return the outcome of each job of a batch that has ended."""

    def renew(self) -> None:
        """Replace a broken pool by a new one."""

    @abstractmethod
    def close(self) -> None:
        """End everything that is still running."""

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Keep a batch running in every slot as long as there are jobs."""
        self._hand_out(next_job)
        while self._under_way:
            ended: list[PairResult | LostJob] = []
            self._is_broken, shortage = False, ""
            self.attend()
            awake = list(self.wait(self._under_way))
            for slot in awake:
                if slot not in self._under_way:  # its pool has just broken
                    continue
                for outcome in self._take(slot):
                    if isinstance(outcome, LostJob) and outcome.reason.startswith(SHORTAGE):
                        shortage = outcome.reason
                    else:
                        ended.append(outcome)
                # Slots do not wait until all results are handled. A single result is handled first,
                # because the next job may depend on it.
                if len(awake) > 1 and not self._is_broken and not shortage:
                    self._hand_out(next_job)
            if self._is_broken:
                self._start_over()
            if ended:
                yield ended
            if shortage:
                raise ShortageError(f"{shortage}; nothing is lost: see to it and run again")
            self._hand_out(next_job)

    def _take(self, slot: Slot) -> Iterator[PairResult | LostJob]:
        """Yield the outcomes of a batch that has ended, except jobs that are tried again."""
        batch = self._under_way.pop(slot)
        outcomes: Sequence[Outcome]
        try:
            outcomes, lost = self.collect(slot, batch.jobs), self._again
        except BrokenExecutor as error:
            reason = f"the executor broke: {str(error) or type(error).__name__}"
            outcomes, lost = [reason] * len(batch.jobs), self._suspects
            self._is_broken = True
        for job, outcome in zip(batch.jobs, outcomes, strict=True):
            if isinstance(outcome, PairResult):
                yield outcome
            elif batch.losses + 1 < _MAX_LOSSES:
                lost.append(Batch((job,), batch.losses + 1, alone=lost is self._suspects))
            else:
                yield LostJob(job, outcome)

    def _hand_out(self, next_job: NextJob) -> None:
        slots = self.slots()
        while len(self._under_way) < slots:
            # One of the suspects breaks pools, and it is unknown which. Each gets a pool to itself,
            # or innocent jobs next to it would be counted as lost again.
            if self._suspects and self._under_way:
                return
            # A batch that is played alone is the only running one, so it is the first.
            if any(batch.alone for batch in islice(self._under_way.values(), 1)):
                return
            # Lost jobs first, because a schedule may need their results before it has a next job.
            queue = self._suspects or self._again
            if queue:
                batch = queue.popleft()
            else:
                batch = Batch(tuple(islice(iter(next_job, None), self.batch_size(slots))))
            if not batch.jobs:
                return
            try:
                self._under_way[self.submit(batch.jobs)] = batch
            except BrokenExecutor as error:  # the pool broke while nothing was running
                if batch.refusals + 1 >= _MAX_LOSSES:
                    raise ShortageError(_REFUSES.format(error)) from error
                queue.appendleft(batch._replace(refusals=batch.refusals + 1))
                self._start_over()

    def _start_over(self) -> None:
        """Make a new pool; the batches of the broken one are lost."""
        # Futures of a broken pool may never end, so they are not waited for.
        for batch in self._under_way.values():
            self._suspects.extend(Batch((job,), batch.losses, alone=True) for job in batch.jobs)
        self._under_way.clear()
        self.renew()
