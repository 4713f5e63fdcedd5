"""What every executor does."""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from pwtourney.match import Job, PairResult

__all__ = ["MAX_LOSSES", "Executor", "LostJob", "NextJob"]

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
