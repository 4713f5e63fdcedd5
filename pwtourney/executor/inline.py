"""Jobs in this process, one after the other."""

from collections.abc import Iterator

from pwtourney.executor.base import LostJob, NextJob
from pwtourney.match import BotPool, PairResult, play_pair
from pwtourney.sandbox.orphans import become_subreaper

__all__ = ["InlineExecutor"]


class InlineExecutor:
    """Plays pairs right here. Makes this process the subreaper of what its bots leave behind."""

    def __init__(self, scratch_root: str | None = None) -> None:
        self._pool = BotPool(scratch_root)
        become_subreaper()

    def run(self, next_job: NextJob) -> Iterator[PairResult | LostJob]:
        """Run each job as it comes."""
        while (job := next_job()) is not None:
            yield play_pair(job, self._pool)

    def close(self) -> None:
        """End the bots that stayed from game to game."""
        self._pool.close()
