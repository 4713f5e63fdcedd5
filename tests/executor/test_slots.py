"""The loop that keeps slots busy, with slots that end in an order that the test chooses."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import BrokenExecutor
from itertools import chain
from pathlib import Path

import pytest

from pwtourney.errors import ShortageError
from pwtourney.executor.base import SHORTAGE, InlineExecutor, LostJob, Outcome, SlotExecutor
from pwtourney.match import BotSpec, Job, PairResult, void_game
from pwtourney.sandbox.launch import Launch
from tests.executor.test_wire import jobs
from tests.match.helpers import setup, shell_bot


class Scripted(SlotExecutor[int]):
    """An executor that ends given numbers of batches, the oldest first, and logs submissions."""

    def __init__(self, slots: int, together: Sequence[int]) -> None:
        super().__init__()
        self._count = slots
        self._together = list(together)
        self.log: list[str] = []

    def slots(self) -> int:
        """Return how many jobs are played at a time."""
        return self._count

    def submit(self, jobs: tuple[Job, ...]) -> int:
        """Log the start of a job."""
        self.log.append(f"begin {jobs[0].pair}")
        return jobs[0].pair

    def wait(self, slots: Iterable[int]) -> Iterable[int]:
        """Return the slots that end next."""
        return list(slots)[: self._together.pop(0)]

    def collect(self, slot: int, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return a result."""
        first, second = (void_game(setup, "never played") for setup in jobs[0].games)
        return (PairResult(jobs[0].pair, (first, second)),)

    def close(self) -> None:
        """Do nothing."""


def run(executor: Scripted, count: int) -> list[str]:
    """Return the log of started and yielded pairs."""
    work = iter(jobs(count))
    for ended in executor.run(lambda: next(work, None)):
        pairs = [outcome.pair for outcome in ended if isinstance(outcome, PairResult)]
        executor.log.append(f"end {pairs}")
    return executor.log


def test_slots_get_new_jobs_before_results_are_yielded() -> None:
    """Slots that end together yield their results together."""
    assert run(Scripted(2, [2, 2]), 4) == [
        "begin 0",
        "begin 1",
        "begin 2",
        "begin 3",
        "end [0, 1]",
        "end [2, 3]",
    ]


def test_result_of_a_single_slot_is_yielded_before_its_next_job() -> None:
    """The next job may depend on that result."""
    assert run(Scripted(2, [1, 1, 1]), 3) == [
        "begin 0",
        "begin 1",
        "end [0]",
        "begin 2",
        "end [1]",
        "end [2]",
    ]


class Failing(SlotExecutor[int]):
    """An executor that ends all batches at once, in pools that may break, and records the batches.

    `outcomes` has, for each pair, what happens each time it is played: None for a result, an
    exception that is raised, or the reason of a loss.
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
        self.forgets = False
        self.log: list[str] = []
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
        """Record the pairs of a batch."""
        if self.refusing:
            raise BrokenExecutor(self.refusing.pop())
        self.pools[-1].append([job.pair for job in jobs])
        self.log.append(f"begin {self.pools[-1][-1]}")
        self._begun += 1
        return self._begun

    def wait(self, slots: Iterable[int]) -> Iterable[int]:
        """End the oldest running batches."""
        return list(slots)[: self.together]

    def collect(self, slot: int, jobs: Sequence[Job]) -> Sequence[Outcome]:
        """Return the outcomes of the jobs, or break."""
        came: list[Outcome] = []
        self.log.append(f"end {[job.pair for job in jobs]}")
        for job in jobs[self.forgets :]:
            outcome = (self._outcomes.get(job.pair) or [None]).pop(0)
            if isinstance(outcome, Exception):
                raise outcome
            first, second = (void_game(setup, "never played") for setup in job.games)
            came.append(outcome or PairResult(job.pair, (first, second)))
        return came

    def renew(self) -> None:
        """Start another pool."""
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


def test_job_is_given_up_at_its_third_loss() -> None:
    """The last reason is kept; lost jobs come before new ones, and are played alone."""
    executor = Failing(1, {0: ["a", "b", None], 1: ["a", "b", "c"]}, size=2)
    assert fail(executor, 4) == {0: None, 1: "c", 2: None, 3: None}
    assert executor.pools == [[[0, 1], [0], [1], [0], [1], [2, 3]]]
    assert executor.attended == 6


def test_jobs_of_a_broken_pool_are_played_one_at_a_time() -> None:
    """Jobs of the same batch may be innocent and do not count as lost; other jobs wait."""
    executor = Failing(2, {0: [BrokenExecutor(), BrokenExecutor(), None]})
    assert fail(executor, 6) == dict.fromkeys(range(6))
    # two slots, and so two jobs in a batch; 2 and 3 ended in time
    assert executor.pools == [[[0, 1], [2, 3]], [[0]], [[1], [0], [4, 5]]]


def test_running_pairs_of_a_broken_pool_are_played_again() -> None:
    """A broken pool may never end, so it is not waited for; they do not count as lost."""
    executor = Failing(2, {0: [BrokenExecutor()], 2: ["a", "b", None]})
    executor.together = 1
    assert fail(executor, 4) == dict.fromkeys(range(4))
    assert executor.pools == [[[0, 1], [2, 3]], [[0], [1], [2], [3], [2], [2]]]


def test_last_suspect_of_a_broken_pool_is_played_alone() -> None:
    """No other batch begins before it has ended, although two slots are free."""
    executor = Failing(2, {0: [BrokenExecutor()]})
    executor.together = 1
    assert fail(executor, 8) == dict.fromkeys(range(8))
    assert executor.log == [
        "begin [0, 1]",
        "begin [2, 3]",
        "end [0, 1]",
        "begin [0]",
        "end [0]",
        "begin [1]",
        "end [1]",
        "begin [2]",
        "end [2]",
        "begin [3]",
        "end [3]",
        "begin [4, 5]",
        "begin [6, 7]",
        "end [4, 5]",
        "end [6, 7]",
    ]


def test_losses_before_a_broken_pool_count() -> None:
    """Pair 2 is lost, then runs in a pool that breaks, and is given up at its third own loss."""
    executor = Failing(2, {0: ["x", BrokenExecutor(), None], 2: ["a", "b", "c"]})
    executor.together = 1
    assert fail(executor, 4) == {0: None, 1: None, 2: "c", 3: None}
    assert executor.pools == [[[0, 1], [2, 3], [0], [2]], [[0], [2], [2]]]


def test_batches_that_ended_in_a_pool_that_then_refuses_one_are_played_again() -> None:
    """The pool breaks when the first of two results was taken, and is not asked for the second."""
    executor = Failing(2, {}, size=1)

    def refuse() -> None:
        executor.attend = executor._note
        executor.refusing = ["gone"]

    executor.attend = refuse
    assert fail(executor, 6) == dict.fromkeys(range(6))
    assert executor.pools == [[[0, 1], [2, 3]], [[2], [3], [4, 5]]]


def test_too_few_outcomes_of_a_batch_are_an_error() -> None:
    """No job vanishes silently."""
    executor = Failing(1, {}, size=2)
    executor.forgets = True
    with pytest.raises(ValueError, match="shorter"):
        fail(executor, 2)


def test_job_that_breaks_three_pools_is_given_up() -> None:
    """The reason has the executor's message, or at least the type of its exception."""
    executor = Failing(1, {0: [BrokenExecutor("x"), BrokenExecutor("y"), BrokenExecutor()]})
    assert fail(executor, 2) == {0: "the executor broke: BrokenExecutor", 1: None}
    assert executor.pools == [[[0]], [[0]], [[0]], [[1]]]


def test_run_ends_if_three_pools_refuse_a_job() -> None:
    """Two may refuse it, if the third one takes it."""
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


def test_results_before_a_shortage_are_kept() -> None:
    """The run ends with the shortage, but only after the other results were taken."""
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


def test_inline_executor_makes_scratch_folders_in_the_named_place(tmp_path: Path) -> None:
    """The bot writes the name of its folder."""
    (tmp_path / "where").touch()
    (tmp_path / "where").chmod(0o666)
    (tmp_path / "scratch").mkdir()
    wren = shell_bot("wren", hello=f"pwd > {tmp_path}/where; exit 3")
    nobody = BotSpec("nobody", Launch(("/nowhere/bird",)))
    work = iter([Job(0, (setup(wren, nobody), setup(nobody, wren)))])
    executor = InlineExecutor(str(tmp_path / "scratch"))
    assert len(list(executor.run(lambda: next(work, None)))) == 1
    executor.close()
    assert Path((tmp_path / "where").read_text().strip()).parent == tmp_path / "scratch"


def test_inline_executor_calls_attend_before_each_pair() -> None:
    """The pairs are played one after the other in this process."""
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
    """Return a function that logs its calls."""
    return lambda: log.append("attend")
