"""A round robin: each two bots play as many pairs; with a `reach` only those near each other."""

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
    # without it everybody meets everybody
    reach: Annotated[int, Field(ge=1)] | None = None


@dataclass(frozen=True)
class RoundRobin(Format):
    """Each two bots play `pairs` mirrored pairs; a wave is one pair of each two.

    With a `reach` only bots that stand at most this many places apart play each other. Within a
    wave nobody plays twice in a round, so a table read half-way is fair. Who has the first seat
    first alternates from wave to wave.
    """

    bots: tuple[str, ...]
    pairs: int
    reach: int | None = None

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each two bots that meet."""
        if index >= self.pairs:
            return ()
        # Both seats are played in every pair, but a bot whose process stays has seen the deal when
        # the second game begins: who meets it from seat 0 first takes turns.
        meetings = chain.from_iterable(self._rounds())
        return [pair if index % 2 == 0 else pair[::-1] for pair in meetings]

    def _rounds(self) -> Iterator[list[Meeting]]:
        return rounds(self.bots) if self.reach is None else ladder_rounds(self.bots, self.reach)

    def max_pairs(self) -> int:
        """Return the number of pairs."""
        count = len(self.bots)
        farthest = count - 1 if self.reach is None else min(self.reach, count - 1)
        # As many as there are bots, less one, stand one place apart, less two stand two apart, …
        return self.pairs * farthest * (2 * count - farthest - 1) // 2

    def locked_settings(self) -> dict[str, Any]:
        """Return how far apart bots may stand that meet, if that is limited."""
        return {} if self.reach is None else {"reach": self.reach}

    def rating_variance(self) -> ExpectedVariance:
        """Return the variance of all ratings, or with a `reach` that of the least exact one."""
        bots = len(self.bots)
        if self.reach is None:
            # The information of c pairs for each two of n bots is c/2 (n·I − 11ᵀ), so the variance
            # is 2 (n − 1)/(c n²).
            return ExpectedVariance(2 * (bots - 1) / (self.pairs * bots**2), varies=False)
        # In general it is c/2 · L, with the Laplacian matrix L of who meets whom. L has no inverse,
        # for a constant can be added to all ratings; with 11ᵀ/n added it has, which holds 11ᵀ/n as
        # well.
        steps = np.abs(np.subtract.outer(np.arange(bots), np.arange(bots)))
        meet = (steps > 0) & (steps <= min(self.reach, bots))
        information = np.diag(meet.sum(axis=1)) - meet + 1 / bots
        widest = float(np.diag(np.linalg.inv(information)).max())
        return ExpectedVariance(2 / self.pairs * (widest - 1 / bots), varies=True)


def rounds(bots: Sequence[str]) -> Iterator[list[Meeting]]:
    """Yield the rounds of the circle method, in which each two bots meet once.

    The first bot stays, the others move on one place. After each round everybody has played as
    often as everybody else; with an odd number of bots one sits out, each in turn.
    """
    # With an odd number one bot must sit out: the one that sits across from nobody.
    ring: list[str | None] = [*bots, None] if len(bots) % 2 else [*bots]
    for _ in range(len(ring) - 1):
        across = [(ring[k], ring[-1 - k]) for k in range(len(ring) // 2)]
        yield [(a, b) for a, b in across if a is not None and b is not None]
        ring[1:] = [ring[-1], *ring[1:-1]]


def ladder_rounds(bots: Sequence[str], reach: int) -> Iterator[list[Meeting]]:
    """Yield rounds in which each two bots meet once that stand at most `reach` places apart.

    Only bots with fewer others within reach, which are those near the ends, sit out; where the
    reach is half of the ladder or more, with an odd number of bots, one more does, each in turn.
    """
    if 2 * reach < len(bots):
        yield from _rounds_by_distance(bots, reach)
        return
    # The circle method needs no more rounds than the bots in the middle have opponents. By distance
    # these would have played all of theirs long before the ends meet.
    rung = {bot: k for k, bot in enumerate(bots)}
    for meetings in rounds(bots):
        yield [(a, b) for a, b in meetings if abs(rung[a] - rung[b]) <= reach]


def _rounds_by_distance(bots: Sequence[str], reach: int) -> Iterator[list[Meeting]]:
    """Yield two rounds for each distance, neighbours first, so that all are soon connected."""
    for distance in range(1, reach + 1):
        for turn in (0, 1):
            # The ladder is cut into blocks as long as the distance. Of each bot in an even block
            # the partner is in the odd block above, and in the second round the other way round.
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
