"""What every executor does, and the simplest: jobs in this process, one after the other."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from pwtourney.match import BotPool, Job, PairResult, play_pair
from pwtourney.sandbox.orphans import become_subreaper

__all__ = ["MAX_LOSSES", "Executor", "InlineExecutor", "LostJob", "NextJob"]

MAX_LOSSES = 3
"""How often a job may be lost before it is given up: once, and two more times elsewhere."""

NextJob = Callable[[], Job | None]
"""Asked for the next job whenever a slot is free; None while there is none."""


class LostJob(NamedTuple):
    """A job that was given up through no fault of the bots, with the last reason."""

    job: Job
    reason: str


class Executor(Protocol):
    """Runs jobs and yields what came of them, in the order in which they end."""

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Run until there is no next job and nothing is under way.

        `next_job` is asked again after each result has been taken, so a schedule may depend on
        results.
        """

    def close(self) -> None:
        """End everything that is still running."""


class InlineExecutor:
    """Plays pairs right here. Makes this process the subreaper of what its bots leave behind."""

    def __init__(self, scratch_root: str | None = None) -> None:
        # What a bot has started lives on when the bot is killed; it then becomes a child of ours,
        # where it is seen and ended.
        self._pool = BotPool(scratch_root)
        become_subreaper()

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Run each job as it comes."""
        while (job := next_job()) is not None:
            yield play_pair(job, self._pool)

    def close(self) -> None:
        """End the bots that stayed from game to game."""
        self._pool.close()
