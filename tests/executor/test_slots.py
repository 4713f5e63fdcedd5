"""The loop that keeps slots busy, with slots that end in an order that the test chooses."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from itertools import chain

import pytest

from pwtourney.errors import ShortageError
from pwtourney.executor.base import SHORTAGE, InlineExecutor, LostJob, Outcome, SlotExecutor
from pwtourney.match import BotSpec, Job, PairResult, void_game
from pwtourney.sandbox.launch import Launch
from tests.executor.test_wire import jobs
from tests.match.helpers import setup


class Scripted(SlotExecutor[int]):
    """Ends so many batches at a time, the oldest first, and notes what is submitted."""

    def __init__(self, slots: int, together: Sequence[int]) -> None:
        super().__init__()
        self._count = slots
        self._together = list(together)
        self.log: list[str] = []

    def slots(self) -> int:
        """Return how many jobs are played at a time."""
        return self._count

    def submit(self, jobs: tuple[Job, ...]) -> int:
        """Note a job."""
        self.log.append(f"begin {jobs[0].pair}")
        return jobs[0].pair

    def wait(self, slots: Iterable[int]) -> Iterable[int]:
        """Return the slots that end next."""
        return list(slots)[: self._together.pop(0)]

    def collect(self, slot: int, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return a result."""
        one, two = (void_game(setup, "never played") for setup in jobs[0].games)
        return (PairResult(jobs[0].pair, (one, two)),)

    def close(self) -> None:
        """Do nothing."""


def run(executor: Scripted, count: int) -> list[str]:
    """Return what was begun and what was yielded, in order."""
    work = iter(jobs(count))
    for ended in executor.run(lambda: next(work, None)):
        pairs = [each.pair for each in ended if isinstance(each, PairResult)]
        executor.log.append(f"end {pairs}")
    return executor.log


def test_slots_that_end_together_do_not_wait_for_each_other() -> None:
    """Each is at its next job before the results are dealt with, and those come together."""
    assert run(Scripted(2, [2, 2]), 4) == [
        "begin 0",
        "begin 1",
        "begin 2",
        "begin 3",
        "end [0, 1]",
        "end [2, 3]",
    ]


def test_a_slot_that_ends_alone_is_dealt_with_first() -> None:
    """So what is played next may depend on it."""
    assert run(Scripted(2, [1, 1, 1]), 3) == [
        "begin 0",
        "begin 1",
        "end [0]",
        "begin 2",
        "end [1]",
        "end [2]",
    ]


class Failing(SlotExecutor[int]):
    """Ends all batches at once, in pools of which some break; notes what each was given.

    `outcomes` are what comes of a pair each time it is played: None for a result, an error that is
    raised, or a reason.
    """

    def __init__(
        self, slots: int, outcomes: dict[int, list[str | Exception | None]], size: int = 1
    ) -> None:
        super().__init__()
        self._count, self._size = slots, size
        self._outcomes = outcomes
        self._begun = 0
        self.refusing: list[str] = []
        self.pools: list[list[list[int]]] = [[]]
        self.together = slots
        self.attended = 0
        self.attend = self._note

    def _note(self) -> None:
        self.attended += 1

    def slots(self) -> int:
        """Return how many batches are played at a time."""
        return self._count

    def batch_size(self, slots: int) -> int:
        """Return how many jobs a batch has, which depends on the slots."""
        return self._size * slots

    def submit(self, jobs: tuple[Job, ...]) -> int:
        """Note the pairs of a batch."""
        if self.refusing:
            raise BrokenExecutor(self.refusing.pop())
        self.pools[-1].append([job.pair for job in jobs])
        self._begun += 1
        return self._begun

    def wait(self, slots: Iterable[int]) -> Iterable[int]:
        """End the oldest running batches."""
        return list(slots)[: self.together]

    def collect(self, slot: int, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return what comes of the jobs, or break."""
        came: list[Outcome] = []
        for job in jobs:
            outcome = (self._outcomes.get(job.pair) or [None]).pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            one, two = (void_game(setup, "never played") for setup in job.games)
            came.append(outcome or PairResult(job.pair, (one, two)))
        return came

    def renew(self) -> None:
        """Begin another pool."""
        self.pools.append([])

    def close(self) -> None:
        """Do nothing."""


def fail(executor: Failing, count: int) -> dict[int, str | None]:
    """Run jobs; return the reason why each pair was given up, None if it was played."""
    work = iter(jobs(count))
    came: dict[int, str | None] = {}
    for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
        pair = outcome.job.pair if isinstance(outcome, LostJob) else outcome.pair
        assert pair not in came
        came[pair] = outcome.reason if isinstance(outcome, LostJob) else None
    return came


def test_a_job_is_given_up_when_it_is_lost_a_third_time() -> None:
    """With the last reason; what is lost comes before what is new, and is played by itself."""
    executor = Failing(1, {0: ["a", "b", None], 1: ["a", "b", "c"]}, size=2)
    assert fail(executor, 4) == {0: None, 1: "c", 2: None, 3: None}
    assert executor.pools == [[[0, 1], [0], [1], [0], [1], [2, 3]]]
    assert executor.attended == 6


def test_jobs_of_a_pool_that_breaks_are_played_one_at_a_time() -> None:
    """Those next to it may be innocent, and are not counted as lost; others wait meanwhile."""
    executor = Failing(2, {0: [BrokenExecutor(), BrokenExecutor(), None]})
    assert fail(executor, 6) == dict.fromkeys(range(6))
    # two slots, and so two jobs in a batch; 2 and 3 ended in time
    assert executor.pools == [[[0, 1], [2, 3]], [[0]], [[1], [0], [4, 5]]]


def test_running_pairs_of_a_broken_pool_are_played_again() -> None:
    """It may never end, so it is not waited for, and is not counted as lost."""
    executor = Failing(2, {0: [BrokenExecutor()], 2: ["a", "b", None]})
    executor.together = 1
    assert fail(executor, 4) == dict.fromkeys(range(4))
    assert executor.pools == [[[0, 1], [2, 3]], [[0], [1], [2], [3], [2], [2]]]


def test_a_job_that_breaks_three_pools_is_given_up() -> None:
    """The reason names what the executor said, or at least the kind of its error."""
    executor = Failing(1, {0: [BrokenExecutor("x"), BrokenExecutor("y"), BrokenExecutor()]})
    assert fail(executor, 2) == {0: "the executor broke: BrokenExecutor", 1: None}
    assert executor.pools == [[[0]], [[0]], [[0]], [[1]]]


def test_two_pools_may_refuse_a_job() -> None:
    """The third one takes it; after three the run ends."""
    executor = Failing(1, {})
    executor.refusing = ["a", "b"]
    assert fail(executor, 1) == {0: None}
    assert executor.pools == [[], [], [[0]]]
    executor = Failing(1, {})
    executor.refusing = ["c", "b", "a"]
    with pytest.raises(ShortageError) as caught:
        fail(executor, 1)
    assert str(caught.value) == (
        "the executor breaks as soon as it is made: c; nothing is lost: see to it and run again"
    )


def test_what_came_before_a_shortage_is_kept() -> None:
    """The run ends with what is missing, but not before the other results were taken."""
    reason = f"{SHORTAGE}no space left"
    executor = Failing(3, {1: [reason] * 3})
    work = iter(jobs(9))
    came = []
    with pytest.raises(ShortageError) as caught:
        for outcome in chain.from_iterable(executor.run(lambda: next(work, None))):
            assert isinstance(outcome, PairResult)
            came.append(outcome.pair)
    assert str(caught.value) == f"{reason}; nothing is lost: see to it and run again"
    assert came == [0, *range(2, 9)]


def test_pairs_that_are_played_here_come_one_after_the_other() -> None:
    """Before each of them there is time for the rest."""
    nobody = BotSpec("nobody", Launch(("/nowhere/bird",)))
    games = (setup(nobody, nobody), setup(nobody, nobody))
    work = iter([Job(pair, games) for pair in range(3)])
    executor = InlineExecutor()
    executor.attend()
    log: list[object] = []
    executor.attend = _noting(log)
    for ended in executor.run(lambda: next(work, None)):
        log += [outcome.pair for outcome in ended if isinstance(outcome, PairResult)]
    executor.close()
    assert log == ["attend", 0, "attend", 1, "attend", 2]


def _noting(log: list[object]) -> Callable[[], None]:
    """Return what notes that it was called."""
    return lambda: log.append("attend")
