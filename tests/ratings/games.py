"""Simulated games."""

import math
import random
from collections.abc import Sequence

from pwtourney.ratings import Result
from pwtourney.standings import Pool, Row
from pwtourney.standings.rate import standings


def game(first: str, second: str, points: float | None, deal: str = "c") -> Result:
    """Return one result."""
    return Result(first, second, points, deal)


def pair(a: str, b: str, first: float | None, second: float | None, deal: str) -> list[Result]:
    """Return a mirrored pair; the points are those of `a`."""
    back = None if second is None else 1 - second
    return [
        Result(a, b, first, deal, pair=deal),
        Result(b, a, back, deal, pair=deal),
    ]


def simulated(
    elos: Sequence[float], pairs: int, seed: int, seat: float = 0.0, together: float = 0.0
) -> list[Result]:
    """Draw mirrored pairs between all bots from known strengths in Elo.

    `together` is the standard deviation, in Elo, of an effect that each deal has on both of its
    games, in favour of one of the two bots.
    """
    stream = random.Random(seed)
    results = []
    for first in range(len(elos)):
        for second in range(first + 1, len(elos)):
            for number in range(pairs):
                deal = f"{first}-{second}-{number}"
                swing = stream.gauss(0, together)
                for a, b, sign in ((first, second, 1), (second, first, -1)):
                    difference = elos[a] - elos[b] + seat + sign * swing
                    chance = 1 / (1 + 10 ** (-difference / 400))
                    points = 1.0 if stream.random() < chance else 0.0
                    results.append(Result(f"bot{a}", f"bot{b}", points, deal))
    return results


def elo(share: float) -> float:
    """Return the Elo difference with this expected share: the inverse logistic curve."""
    return 400 * math.log10(share / (1 - share))


def only_pool(bots: list[str], results: list[Result]) -> Pool:
    """Return the single table of a tournament."""
    (pool,) = standings(bots, results).pools
    return pool


def by_bot(pool: Pool) -> dict[str, Row]:
    """Return the rows by bot."""
    return {line.bot: line for line in pool.rows}
