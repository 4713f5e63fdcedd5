"""Random games of bots with known strengths.

The two games of a pair have a correlation ρ: it is negative if deals favour a seat, and positive if
they favour a bot.
"""

import math
import random
from collections.abc import Sequence

from pwtourney.ratings import Result
from pwtourney.ratings.pairs import score_of_elo

__all__ = [
    "ELOS",
    "SEAT",
    "correlated_pair",
    "format_share",
    "mirrored_pair",
    "tournament",
]

ELOS = (-120.0, -60.0, -20.0, 30.0, 70.0, 100.0)
SEAT = 30.0
"""The advantage of the first seat in Elo."""


def correlated_pair(rng: random.Random, p: float, q: float, rho: float) -> tuple[int, int]:
    """Draw a bot's points in both games of a pair; an impossible correlation is clipped."""
    both = p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q))
    both = min(max(both, 0.0, p + q - 1), p, q)
    draw = rng.random()
    if draw < both:
        return 1, 1
    if draw < p:
        return 1, 0
    return (0, 1) if draw < p + q - both else (0, 0)


def mirrored_pair(
    rng: random.Random, names: tuple[str, str], elo: float, deal: str, rho: float = 0.0
) -> list[Result]:
    """Draw both games of two bots on a deal; the first bot is `elo` stronger, without the seat."""
    first, second = names
    won, again = correlated_pair(rng, score_of_elo(elo + SEAT), score_of_elo(elo - SEAT), rho)
    return [
        Result(first, second, float(won), deal),
        Result(second, first, float(1 - again), deal),
    ]


def tournament(
    rng: random.Random, rho: float, pairs: int, elos: Sequence[float] = ELOS
) -> list[Result]:
    """Draw a round robin."""
    results = []
    for first in range(len(elos)):
        for second in range(first + 1, len(elos)):
            for number in range(pairs):
                names, deal = (str(first), str(second)), f"{first} {second} {number}"
                results += mirrored_pair(rng, names, elos[first] - elos[second], deal, rho)
    return results


def format_share(share: float) -> str:
    """Return a share in per cent."""
    return f"{100 * share:.1f} %"
