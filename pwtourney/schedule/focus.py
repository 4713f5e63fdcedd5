"""Half the pairs for everybody, half for the question who is best.

Every second wave is a round robin. The waves between hold the pairs that shrink most the variances
of (best − k), each weighted by exp(−z²/2), where z is how many standard errors bot k is behind:
bots that may still be the best, and their opponents, are looked at closer than those that cannot.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pwtourney.ratings.focus import most_telling
from pwtourney.schedule.format import Format
from pwtourney.schedule.pairing import History, Meeting, results
from pwtourney.schedule.round_robin import rounds

__all__ = ["Focus"]


@dataclass(frozen=True)
class Focus(Format):
    """As many pairs as a round robin with `pairs` for each two bots, differently spread."""

    bots: tuple[str, ...]
    pairs: int

    lag = 2
    """A wave is chosen while the one before it is played."""

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return a round robin, or as many pairs chosen by what is known."""
        if index >= self.pairs:
            return ()
        everybody = list(rounds(self.bots))
        turned = [pair if index % 4 < 2 else pair[::-1] for pair in everybody]
        if index % 2 == 0 or not history:
            return turned
        chosen = most_telling(self.bots, results(history), len(everybody))
        return [pair if k % 2 == 0 else pair[::-1] for k, pair in enumerate(chosen)]

    def most(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots) * (len(self.bots) - 1) // 2
