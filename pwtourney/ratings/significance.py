"""How sure is sure: Student's t and χ² by their exact finite sums, intervals, many tests at once.

Written out because the runner does without scipy, and the sums are short for whole degrees of
freedom (M. Abramowitz and I. Stegun, "Handbook of mathematical functions", 1964, chapter 26).
"""

import math
from statistics import NormalDist

__all__ = [
    "ROUGH_BELOW",
    "chi_square_tail",
    "holm",
    "interval_factor",
    "t_cdf",
    "t_quantile",
]

ROUGH_BELOW = 30
"""With fewer deals than this, intervals use Student's t and are called rough."""


def interval_factor(deals: int) -> float:
    """Return how many standard errors make a two-sided 95 % interval."""
    if deals < 2:
        return math.nan
    if deals < ROUGH_BELOW:
        return t_quantile(0.975, deals - 1)
    return NormalDist().inv_cdf(0.975)


def t_quantile(level: float, freedom: int) -> float:
    """Return the quantile of Student's t for a level above ½, by bisection of the exact CDF."""
    low, high = 0.0, 1.0
    # with one degree of freedom the quantile has no usual size: t(1) is 12.7 at 97.5 %
    while t_cdf(high, freedom) < level:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, freedom) < level else (low, middle)
    return (low + high) / 2


def t_cdf(t: float, freedom: int) -> float:
    """Return P(T ≤ t) for t ≥ 0 by the finite series of Abramowitz and Stegun, 26.7.3–4."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2  # the series begins with cos for odd degrees of freedom, with 1 for even ones
    term = cosine if odd else 1.0
    total = 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    inside = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return 0.5 + inside / 2


def chi_square_tail(value: float, freedom: int) -> float:
    """Return P(χ² ≥ value), by the finite sums of Abramowitz and Stegun, 26.4.4 and 26.4.5."""
    half = value / 2
    if half <= 0:
        return 1.0
    shift = 0.5 if freedom % 2 else 0.0
    # by logarithms: with thousands of pairings the powers overflow before the factorials catch up
    logs = (
        (k + shift) * math.log(half) - half - math.lgamma(k + shift + 1)
        for k in range((freedom - 1) // 2 if freedom % 2 else freedom // 2)
    )
    total = math.fsum(math.exp(each) for each in logs)
    return min(1.0, total + (math.erfc(math.sqrt(half)) if freedom % 2 else 0.0))


def holm(chances: list[float]) -> list[float]:
    """Return p-values corrected for how many there are.

    S. Holm, "A simple sequentially rejective multiple test procedure", 1979.
    """
    order = sorted(range(len(chances)), key=lambda k: chances[k])
    corrected = [0.0] * len(chances)
    largest = 0.0
    for place, k in enumerate(order):
        # a p-value may not fall below that of a test that was stricter
        largest = max(largest, min(1.0, (len(chances) - place) * chances[k]))
        corrected[k] = largest
    return corrected
