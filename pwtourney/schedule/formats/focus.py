"""A focus: half of the pairs for everybody, half for the question which bot is the best."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from pwtourney.ratings.order import choose_pairs
from pwtourney.schedule.format_spec import FormatSettings, FormatSpec, register
from pwtourney.schedule.formats.round_robin import rounds
from pwtourney.schedule.pairing import Format, History, Meeting, results

__all__ = ["Focus"]


@dataclass(frozen=True)
class Focus(Format):
    """As many pairs as a round robin with `pairs` for each two bots, differently spread.

    Half of them are for everybody, half for the question who is best: every second wave is a round
    robin. The waves between hold the pairs that shrink most the variances of (best − k), each
    weighted by exp(−z²/2), where z is how many standard errors bot k is behind: bots that may still
    be the best, and their opponents, are looked at closer than those that cannot.
    """

    bots: tuple[str, ...]
    pairs: int

    # A wave is chosen while the one before it is played: workers never wait for a slow last game,
    # and what one wave adds to the ratings changes little in what is worth asking next.
    lag = 2

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return a round robin, or as many pairs chosen by what is known."""
        if index >= self.pairs:
            return ()
        everybody = list(chain.from_iterable(rounds(self.bots)))
        # Only every second wave is a round robin, so those alternate by fours.
        round_robin = [pair if index % 4 < 2 else pair[::-1] for pair in everybody]
        if index % 2 == 0 or not history:
            return round_robin
        chosen = choose_pairs(self.bots, results(history), len(everybody))
        # What is chosen has no order within a pair, so along the list the seats alternate.
        return [pair if k % 2 == 0 else pair[::-1] for k, pair in enumerate(chosen)]

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots) * (len(self.bots) - 1) // 2


def _make(settings: FormatSettings, bots: tuple[str, ...]) -> Focus:
    return Focus(bots, settings.pairs)


register(
    FormatSpec(
        name="focus",
        make=_make,
        rank=5,
        implied_by="sweep",
        chosen_by_results=True,
        depends="who plays most depends on results",
    )
)
