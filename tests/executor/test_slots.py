"""The loop that keeps slots busy, with slots that end in an order that the test chooses."""

from collections.abc import Iterable, Sequence

from pwtourney.executor.base import Outcome, SlotExecutor
from pwtourney.match import Job, PairResult, void_game
from tests.executor.test_wire import jobs


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
