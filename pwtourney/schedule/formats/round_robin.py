"""The `round-robin` format: every two bots play equally many pairs, or only neighbours do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from pwtourney.schedule.format_spec import (
    FormatKeys,
    FormatSettings,
    FormatSpec,
    RunFacts,
    register,
)
from pwtourney.schedule.pairing import ExpectedVariance, Format, History, Meeting

__all__ = ["RoundRobin", "ladder_rounds", "rounds"]


class _Keys(FormatKeys):
    reach: int | None = Field(
        None,
        ge=1,
        description="In a round robin, how many places apart in `bots` two bots may be that meet.",
    )


class _Settings(FormatSettings):
    # without it every bot meets every other one
    reach: Annotated[int, Field(ge=1)] | None = None


@dataclass(frozen=True)
class RoundRobin(Format):
    """Every two bots play `pairs` mirrored pairs; a wave is one pair of every two bots.

    With a `reach`, only bots at most this many places apart in the file play each other. Within a
    round of a wave no bot plays twice, so a table read half-way is fair. The bot with the first
    seat in the first game alternates from wave to wave.
    """

    bots: tuple[str, ...]
    pairs: int
    reach: int | None = None

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of every two bots that meet."""
        if index >= self.pairs:
            return ()
        # Each pair is played from both seats. But a bot with a persistent process has seen the deal
        # when the second game begins, so the two bots take turns in playing seat 0 first.
        meetings = chain.from_iterable(self._rounds())
        return [pair if index % 2 == 0 else pair[::-1] for pair in meetings]

    def _rounds(self) -> Iterator[list[Meeting]]:
        return rounds(self.bots) if self.reach is None else ladder_rounds(self.bots, self.reach)

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        count = len(self.bots)
        farthest = count - 1 if self.reach is None else min(self.reach, count - 1)
        # Of n bots, n − 1 pairs of bots are one place apart, n − 2 two places apart, and so on.
        return self.pairs * farthest * (2 * count - farthest - 1) // 2

    def locked_settings(self) -> dict[str, Any]:
        """Return the reach, if there is one."""
        return {} if self.reach is None else {"reach": self.reach}

    def rating_variance(self) -> ExpectedVariance:
        """Return the variance of all ratings; with a `reach`, that of the least precise rating."""
        bots = len(self.bots)
        if self.reach is None:
            # The information matrix of c pairs between every two of n bots is c/2 (n·I − 11ᵀ), so
            # the variance is 2 (n − 1)/(c n²).
            return ExpectedVariance(2 * (bots - 1) / (self.pairs * bots**2), varies=False)
        # In general it is c/2 · L, where L is the Laplacian matrix of the graph of meetings. L has
        # no inverse, because a constant can be added to all ratings. L + 11ᵀ/n has one, and its
        # inverse also contains the term 11ᵀ/n, which is subtracted below.
        steps = np.abs(np.subtract.outer(np.arange(bots), np.arange(bots)))
        meet = (steps > 0) & (steps <= min(self.reach, bots))
        information = np.diag(meet.sum(axis=1)) - meet + 1 / bots
        widest = float(np.diag(np.linalg.inv(information)).max())
        return ExpectedVariance(2 / self.pairs * (widest - 1 / bots), varies=True)


def rounds(bots: Sequence[str]) -> Iterator[list[Meeting]]:
    """Yield the rounds of the circle method, in which every two bots meet once.

    The first bot stays; the others move by one place. After each round all bots have played equally
    often; with an odd number of bots, a different bot sits out each round.
    """
    # With an odd number of bots, the bot opposite the empty place sits out.
    ring: list[str | None] = [*bots, None] if len(bots) % 2 else [*bots]
    for _ in range(len(ring) - 1):
        across = [(ring[k], ring[-1 - k]) for k in range(len(ring) // 2)]
        yield [(a, b) for a, b in across if a is not None and b is not None]
        ring[1:] = [ring[-1], *ring[1:-1]]


def ladder_rounds(bots: Sequence[str], reach: int) -> Iterator[list[Meeting]]:
    """Yield rounds in which all bots at most `reach` places apart meet once.

    Only bots near the ends sit out, because they have fewer others within reach. If the reach is at
    least half of the ladder and the number of bots is odd, one more bot sits out each round, in
    turn.
    """
    if 2 * reach < len(bots):
        yield from _rounds_by_distance(bots, reach)
        return
    # The circle method needs no more rounds than the bots in the middle have opponents. With rounds
    # by distance these bots would finish all their pairs long before the ends meet.
    rung = {bot: k for k, bot in enumerate(bots)}
    for meetings in rounds(bots):
        yield [(a, b) for a, b in meetings if abs(rung[a] - rung[b]) <= reach]


def _rounds_by_distance(bots: Sequence[str], reach: int) -> Iterator[list[Meeting]]:
    """Yield two rounds for each distance, neighbours first, so that all bots are soon connected."""
    for distance in range(1, reach + 1):
        for turn in (0, 1):
            # Cut the ladder into blocks as long as the distance. In the first round bots in even
            # blocks meet their partners in the odd blocks above, in the second round bots in odd
            # blocks do.
            yield [
                (bots[k], bots[k + distance])
                for k in range(len(bots) - distance)
                if k // distance % 2 == turn
            ]


def _make(settings: _Settings, bots: tuple[str, ...]) -> RoundRobin:
    return RoundRobin(bots, settings.pairs, settings.reach)


def _settle(keys: _Keys, _: RunFacts) -> dict[str, Any]:
    return {} if keys.reach is None else {"reach": keys.reach}


register(
    FormatSpec(
        name="round-robin",
        make=_make,
        keys=_Keys,
        settings=_Settings,
        settle=_settle,
        rank=0,
        extendable=True,
        replaceable=frozenset({"reach"}),
    )
)
