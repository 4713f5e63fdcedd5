"""Are neighbours in the table told apart, and how many more pairs would it take.

A stopping rule looks again and again, and would in the end see what it waits for in any noise. So
it uses bounds that hold at all looks together: the one-sided asymptotic confidence sequence of
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform central limit theory and asymptotic
confidence sequences", Annals of Statistics 52, 2024, appendix B), which is Robbins' normal mixture
with an estimated variance. They are about half as wide again as those for a single look.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import NamedTuple

__all__ = ["FEWEST_DEALS", "Gap", "any_time_factor", "gaps", "pairs_to_separate"]

FEWEST_DEALS = 30
"""Nothing is decided on fewer: the bounds hold for large numbers."""

_TIGHT_AT = 500
"""The bounds are closest at so many deals, and little wider at a tenth or ten times of that."""

_ONE_LOOK = NormalDist().inv_cdf(0.975)
_MOST_PAIRS = 10**7
_NOISE = 1e-9
"""Variances below this, in Elo², are what is left of rounding."""


class Gap(NamedTuple):
    """Two neighbours in the table: their difference and its standard error, in Elo.

    `error` is None where one of the two has no rating, or nothing is known of its error.
    """

    above: str
    below: str
    difference: float
    error: float | None


def gaps(
    bots: Sequence[str],
    ratings: Sequence[float | None],
    covariance: Sequence[Sequence[float]],
) -> tuple[Gap, ...]:
    """Return the gap below each bot but the last; ratings are None where there is only a bound."""
    found = []
    for above, below in pairwise(range(len(bots))):
        upper, lower = ratings[above], ratings[below]
        if upper is None or lower is None:
            found.append(Gap(bots[above], bots[below], math.nan, None))
            continue
        variance = covariance[above][above] + covariance[below][below]
        variance -= 2 * covariance[above][below]
        error = math.sqrt(variance) if variance > _NOISE else None
        found.append(Gap(bots[above], bots[below], upper - lower, error))
    return tuple(found)


def any_time_factor(deals: int, level: float) -> float:
    """Return how many standard errors are a bound that holds at every number of deals.

    One-sided: an estimate stays within it of the truth, on one side, for ever with probability
    `level`; from `FEWEST_DEALS` on.
    """
    alpha = 1 - level
    rho2 = _tightness(alpha) / _TIGHT_AT
    grown = deals * rho2 + 1
    return math.sqrt(2 * grown / (deals * rho2) * math.log1p(math.sqrt(grown) / (2 * alpha)))


def pairs_to_separate(gap: Gap, pairs: int) -> int | None:
    """Return how many more pairs a 95 % interval of the difference takes to leave out 0.

    `pairs` have been played; their spread over the pairings is taken to stay. 0 if it leaves out 0
    already; None if nobody can tell, or it would take more than ten million.
    """
    if gap.error is None or gap.difference <= 0:
        return None
    wanted = pairs * (_ONE_LOOK * gap.error / gap.difference) ** 2
    return max(0, math.ceil(wanted - pairs)) if wanted <= _MOST_PAIRS else None


def _tightness(alpha: float) -> float:
    """Return the number of ρ² t* at which the width is smallest (the same source, appendix B)."""
    lost = -2 * math.log(min(0.49, 2 * alpha))
    return lost + math.log(lost + 1)
