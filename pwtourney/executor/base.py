"""What every executor does: it hands out jobs, takes in what came of them, and counts losses."""

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
"""What the reason begins with when a job could not be played for want of something."""

ATTEND_SECONDS = 0.2
"""How long an executor may wait for its jobs before it attends to the rest."""

_MAX_LOSSES = 3
"""How often a job may be lost before it is given up: once, and two more times elsewhere."""

_REFUSES = "the executor breaks as soon as it is made: {}; nothing is lost: see to it and run again"

NextJob = Callable[[], Job | None]
"""Asked for the next job whenever a slot is free; None while there is none."""

Outcome = PairResult | str
"""What came of a job: its result, or the reason why it was lost."""

Slot = TypeVar("Slot")
"""The key of a running batch: a worker, a future."""


def _do_nothing() -> None:
    """Attend to nothing."""


class LostJob(NamedTuple):
    """A job that was given up through no fault of the bots, with the last reason."""

    job: Job
    reason: str


class Executor(Protocol):
    """Runs jobs and yields what came of them, those that end at the same time together.

    `attend` is called again and again while jobs are played, for what else there is to do. As long
    as it takes, no job is handed out.
    """

    attend: Callable[[], object]

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Run until there is no next job and no batch is running.

        `next_job` is asked again after results have been taken, so a schedule may depend on
        them. It may be asked before, too, when several have ended.
        """

    def close(self) -> None:
        """End everything that is still running."""


class InlineExecutor:
    """Plays pairs right here. Makes this process the subreaper of what its bots leave behind."""

    def __init__(self, scratch_root: str | None = None) -> None:
        # What a bot has started lives on when the bot is killed; it then becomes a child of ours,
        # where it is seen and ended.
        self._pool = BotPool(scratch_root)
        self.attend: Callable[[], object] = _do_nothing
        become_subreaper()

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Run each job as it comes."""
        while (job := next_job()) is not None:
            self.attend()
            yield (play_pair(job, self._pool),)

    def close(self) -> None:
        """End the bots that stayed from game to game."""
        self._pool.close()


class Batch(NamedTuple):
    """Jobs that are handed out together, and how often they were lost before.

    Those that may have broken a pool are played `alone`. `refusals` counts pools that broke before
    they took them.
    """

    jobs: tuple[Job, ...]
    losses: int = 0
    alone: bool = False
    refusals: int = 0


class SlotExecutor(ABC, Generic[Slot]):
    """The loop that hands out jobs to several slots, and counts those that are lost.

    A subclass plays them. Where that raises `BrokenExecutor`, a new pool is made; the jobs that the
    broken one was at are then played one at a time, so that one which breaks pools takes no other
    down with it.
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
        """Return how many fresh jobs a batch shall have when there are so many slots."""
        return 1

    @abstractmethod
    def submit(self, jobs: tuple[Job, ...]) -> Slot:
        """Begin to play a batch; fewer are running than there are slots."""

    @abstractmethod
    def wait(self, slots: Iterable[Slot]) -> Iterable[Slot]:
        """Wait until some of the running batches have ended; return those.

        To be given up after `ATTEND_SECONDS`, with none, so that the loop can attend to the rest.
        """

    @abstractmethod
    def collect(self, slot: Slot, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return what came of each job of a batch that has ended."""

    def renew(self) -> None:
        """Make a new pool in the place of a broken one."""

    @abstractmethod
    def close(self) -> None:
        """End everything that is still running."""

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Keep every slot at a batch for as long as there are any jobs."""
        self._hand_out(next_job)
        while self._under_way:
            ended: list[PairResult | LostJob] = []
            self._is_broken, shortage = False, ""
            self.attend()
            awake = list(self.wait(self._under_way))
            for slot in awake:
                if slot not in self._under_way:  # it was in a pool that broke just now
                    continue
                for outcome in self._take(slot):
                    if isinstance(outcome, LostJob) and outcome.reason.startswith(SHORTAGE):
                        shortage = outcome.reason
                    else:
                        ended.append(outcome)
                # Slots do not wait until all results are dealt with; a single one is dealt with
                # first, for the next job may be another one then.
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
        """Yield the outcomes of a batch that has ended, except jobs that are worth another try."""
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
            # One of the suspects breaks pools, and nobody knows which: each gets a pool to itself,
            # or innocent jobs next to it would be counted as lost once more.
            if self._suspects and self._under_way:
                return
            # A batch that is played alone is the only running one, so it is the first.
            if any(batch.alone for batch in islice(self._under_way.values(), 1)):
                return
            # Lost jobs first: a schedule may be waiting for just them before it tells any other.
            queue = self._suspects or self._again
            if queue:
                batch = queue.popleft()
            else:
                batch = Batch(tuple(islice(iter(next_job, None), self.batch_size(slots))))
            if not batch.jobs:
                return
            try:
                self._under_way[self.submit(batch.jobs)] = batch
            except BrokenExecutor as error:  # it broke while nobody waited for it
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
