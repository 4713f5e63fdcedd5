"""A mirrored pair: the same deal twice, seats swapped."""

from pwtourney.match.game import play_game
from pwtourney.match.job import Job, PairResult

__all__ = ["play_pair"]


def play_pair(job: Job, scratch_root: str | None = None) -> PairResult:
    """Play both games of a job, one after the other."""
    one, two = (play_game(setup, scratch_root=scratch_root) for setup in job.games)
    return PairResult(job.pair, (one, two))
