"""The `focus` format: half of the pairs are a round robin, half help to find the best bot."""

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
    """A round robin's number of pairs, of which half are chosen to find the best bot.

    There are as many pairs as in a round robin with `pairs` pairs between every two bots. Every
    second wave is a round robin. The waves between them hold the pairs that most reduce the
    variances of (best − k), each weighted by exp(−z²/2), where z is how many standard errors bot k
    is behind. So bots that may still be the best, and their opponents, play more than those that
    cannot be.
    """

    bots: tuple[str, ...]
    pairs: int

    # A wave is chosen while the wave before it is played, so workers never wait for a slow last
    # game. The results of one wave hardly change which pairs are most useful next.
    lag = 2

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return a round robin or, for odd indices, as many pairs chosen by the results so far."""
        if index >= self.pairs:
            return ()
        everybody = list(chain.from_iterable(rounds(self.bots)))
        # Only every second wave is a round robin, so its seats swap with a period of four waves.
        round_robin = [pair if index % 4 < 2 else pair[::-1] for pair in everybody]
        if index % 2 == 0 or not history:
            return round_robin
        chosen = choose_pairs(self.bots, results(history), len(everybody))
        # `choose_pairs` does not order the bots of a pair, so the seats alternate along the list.
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
