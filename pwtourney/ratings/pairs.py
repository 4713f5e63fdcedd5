"""Statistics of two bots by the points of their mirrored pairs, and the sequential test (SPRT).

A pair is one observation: its two games share a deal and are not independent. The first bot's
points in a pair are 0, ½, 1, 1½ or 2, so the results of two bots are five counts (the pentanomial
of the chess tools).

The sequential test may be evaluated after each pair. It compares two hypotheses about the strength
of one bot against another, H0 at `elo0` and H1 at `elo1`, by the generalised likelihood ratio of
the pairs. Under each hypothesis, the chances of the five classes are those that fit best among all
that have this strength (Van den Bergh, "Comments on Normalized Elo", 2021; the test is Wald's,
"Sequential Analysis", 1947). It is exact for any dependence between the games of a pair; a test on
single games is not.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from pwtourney.constants import ALPHA, BETA, BOUNDS, ELO0, ELO1
from pwtourney.ratings.uncertainty import LEVEL, ROUGH_BELOW, chance_below, interval_factor

__all__ = [
    "MOST_NELO",
    "NELO",
    "SHARES",
    "Decision",
    "PairCounts",
    "PairStatistics",
    "Sprt",
    "expected_pairs",
    "pair_statistics",
    "score_of_elo",
]

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The share of a pair's points in each class."""

NELO = 800 / math.log(10) / math.sqrt(2)
"""Normalised Elo in one standard deviation of a pair's share (Van den Bergh, "Normalized Elo")."""

PairCounts = tuple[int, int, int, int, int]
"""The numbers of pairs that gave the first bot 0, ½, 1, 1½ and 2 points."""


MOST_NELO = 400.0
"""Larger bounds are not meaningful for a new version of a bot."""

_FEW = 1e-3
"""Count of a class without pairs: with 0 no chances could have the strength of a hypothesis."""

_LEAST_CHANCE = 1e-6
_LEAST_STEP = 0.1
_ROUNDS = 60
_CAP_FACTOR = 3
_CLOSE = 1e-12
_OVERSHOOT = 0.583
"""By how much a normal random walk passes a bound on average, in standard deviations of a step."""
_STEEPEST = 40.0
"""The slope at which all chances are in one class, to the precision of floats."""

_LOGISTIC = math.sqrt(1 / 8) * 1600 / math.log(10)
"""Elo in one standard deviation of a pair's share, if its games are independent and even."""

Decision = Literal["H1", "H0", "inconclusive"]


class PairStatistics(NamedTuple):
    """The statistics of two bots' pairs, from the side of the first.

    `score` is the mean share of the points and `elo` the difference that it corresponds to.
    `elo_low` and `elo_high` are the ends of its interval. If all points went to one side, one end
    is infinite, and the other is the exact one-sided bound: the share of whole pairs won at which
    that many in a row have a chance of 5 % (at 95 %). `nelo` is the normalised difference, ±
    `nelo_plus_minus`, which is None with fewer than 30 pairs. `los` is the likelihood that the
    first bot is stronger. Values that are unknown because all pairs gave the same points are None.
    """

    pairs: int
    score: float
    elo: float
    elo_low: float
    elo_high: float
    nelo: float | None = None
    nelo_plus_minus: float | None = None
    los: float | None = None


def pair_statistics(counts: Sequence[int], level: float = LEVEL) -> PairStatistics:
    """Compute the statistics of at least one pair; raises ValueError without any."""
    pairs = sum(counts)
    if pairs == 0:
        raise ValueError("no pairs")
    mean = _moment(counts, 1)
    variance = _moment(counts, 2, mean)
    error = math.sqrt(variance / max(1, pairs - 1))
    if variance == 0:  # the normal interval would be a point, and claim certainty
        # an infinite interval would hide that seven pairs of seven were won: hence exact bounds
        bound = _elo((1 - level) ** (1 / pairs))
        return PairStatistics(
            pairs=pairs,
            score=mean,
            elo=_elo(mean),
            elo_low=bound if mean == 1 else -math.inf,
            elo_high=-bound if mean == 0 else math.inf,
        )
    reach = interval_factor(pairs, level)
    sigma = math.sqrt(variance)
    t = (mean - 0.5) / sigma
    # Half the interval of normalised Elo, by the delta method: n·Var(t̂) = 1 − t·skewness +
    # t²(kurtosis − 1)/4. For normal shares this is 1 + t²/2; skewness correlates the mean with the
    # deviation.
    skewness, kurtosis = _moment(counts, 3, mean, sigma), _moment(counts, 4, mean, sigma)
    spread = 1 - t * skewness + t * t * (kurtosis - 1) / 4
    return PairStatistics(
        pairs=pairs,
        score=mean,
        elo=_elo(mean),
        elo_low=_elo(max(0.0, mean - reach * error)),
        elo_high=_elo(min(1.0, mean + reach * error)),
        nelo=t * NELO,
        # with fewer pairs the deviation itself is not known well enough
        nelo_plus_minus=reach * math.sqrt(max(0.0, spread) / pairs) * NELO
        if pairs >= ROUGH_BELOW
        else None,
        los=chance_below((mean - 0.5) / error, pairs),
    )


class Sprt(NamedTuple):
    """A sequential test; `alpha` and `beta` are the chances of a wrong H1 and of a wrong H0.

    If `normalised`, the bounds are in normalised Elo, which measures how easily a difference is
    seen, whatever the share of split pairs. Otherwise they are in logistic Elo, the unit of the
    ratings.
    """

    elo0: float = ELO0.default
    elo1: float = ELO1.default
    alpha: float = ALPHA.default
    beta: float = BETA.default
    normalised: bool = BOUNDS.default == "normalised"

    def problem(self) -> str | None:
        """Return what is wrong with the settings of the test; None if they are valid."""
        if not all(map(math.isfinite, self[:4])):
            return "elo0, elo1, alpha and beta must be numbers"
        if not self.elo0 < self.elo1:
            return f"elo0 must be below elo1, and {self.elo0:g} is not below {self.elo1:g}"
        if max(abs(self.elo0), abs(self.elo1)) > MOST_NELO:
            return f"elo0 and elo1 must be within ±{MOST_NELO:g}"
        if not (_LEAST_CHANCE <= self.alpha < 0.5 and _LEAST_CHANCE <= self.beta < 0.5):
            return f"alpha and beta must be at least {_LEAST_CHANCE:g} and below 0.5"
        if self.elo1 - self.elo0 < _LEAST_STEP:
            return f"elo0 and elo1 must be at least {_LEAST_STEP:g} Elo apart"
        return None

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    @property
    def cap(self) -> int:
        """The number of pairs at which the test is inconclusive: 3 times that expected midway.

        For logistic bounds it is 6 times that number.
        """
        expected = expected_pairs(self, (self.elo0 + self.elo1) / 2)
        # normalised bounds are in deviations of a pair; for logistic ones the games of a pair may
        # be correlated, and the pair then varies up to twice as much
        return math.ceil(expected) * (_CAP_FACTOR if self.normalised else 2 * _CAP_FACTOR)

    def llr(self, counts: Sequence[int]) -> float:
        """Return the log-likelihood ratio of pairs; each class without any counts as 1/1000."""
        seen = [max(float(n), _FEW) for n in counts]
        total = sum(seen)
        shares = [n / total for n in seen]
        under0, under1 = self._fit_chances(shares, self.elo0), self._fit_chances(shares, self.elo1)
        return sum(n * math.log(p1 / p0) for n, p1, p0 in zip(seen, under1, under0, strict=True))

    def decide(self, counts: Sequence[int], scheduled: int = 0) -> Decision | None:
        """Return the outcome; None while the test continues.

        If `scheduled` pairs are more than those counted, they are compared with the cap: void pairs
        must not keep the test from ending.
        """
        # with only void pairs there is nothing to compare, but the cap may be reached
        llr = self.llr(counts) if any(counts) else 0.0
        if llr >= self.upper:
            return "H1"
        if llr <= self.lower:
            return "H0"
        return "inconclusive" if max(sum(counts), scheduled) >= self.cap else None

    def describe_answer(self, decision: Decision, old: str = "") -> str:
        """Return what a decision shows of the new version, by its bound: "better than OLD".

        H1 rejects that the difference is elo0 or less, and H0 rejects that it is elo1 or more. So
        with bounds below 0 H1 does not show a better version, and with bounds above 0 H0 does not
        show a worse one.
        """
        than = f" than {old}" if old else ""
        if decision == "H1":
            if self.elo0 < 0:
                return f"not worse{than} by {self._format_bound(self.elo0)}"
            by = f" by more than {self._format_bound(self.elo0)}" if self.elo0 else ""
            return f"better{than}{by}"
        if decision == "H0":
            if self.elo1 > 0:
                return f"not shown to be better{than} by {self._format_bound(self.elo1)}"
            by = f" by more than {self._format_bound(self.elo1)}" if self.elo1 else ""
            return f"worse{than}{by}"
        return "inconclusive"

    @property
    def unit(self) -> str:
        """The name of the unit of elo0 and elo1."""
        return "nElo" if self.normalised else "Elo"

    def _format_bound(self, elo: float) -> str:
        return f"{abs(elo):g} {self.unit}"

    def _fit_chances(self, shares: Sequence[float], elo: float) -> list[float]:
        """Return the chances nearest to the observed ones that have the strength `elo`.

        Normalised Elo is not linear in the chances, so its condition is linearised at the latest
        chances, repeatedly. It starts at chances that fulfil it, because far from those the linear
        condition may have no solution.
        """
        if not self.normalised:
            expected = score_of_elo(elo)
            return _tilt(shares, [share - expected for share in SHARES])
        t = elo / NELO
        chances = _exponential_chances(t)
        for _ in range(_ROUNDS):
            mean, variance = _mean_and_variance(chances)
            sigma = math.sqrt(variance)
            # the derivative of (μ − ½) − t·σ with respect to the chance of each class
            slopes = [
                share - 0.5 - t * sigma * (1 + ((mean - share) / sigma) ** 2) / 2
                for share in SHARES
            ]
            before, chances = chances, _tilt(shares, slopes)
            if max(abs(a - b) for a, b in zip(before, chances, strict=True)) < _CLOSE:
                break
        return chances


def expected_pairs(test: Sprt, elo: float, batch: int = 0) -> float:
    """Return how many pairs the test takes on average if the difference is `elo`.

    The log-likelihood ratio is modelled as a Brownian motion (Siegmund, "Sequential Analysis",
    1985, chapter 3), which is evaluated after each `batch` of pairs, and then passes a bound by
    0.583 standard deviations of a batch (chapter 10); with 0 it is always evaluated. Bounds in
    logistic Elo assume pairs whose games are independent and even.
    """
    scale = NELO if test.normalised else _LOGISTIC
    t0, t1, t = test.elo0 / scale, test.elo1 / scale, elo / scale
    drift, variance = (t1 - t0) * (t - (t0 + t1) / 2), (t1 - t0) ** 2
    excess = _OVERSHOOT * math.sqrt(variance * batch)
    low, high = test.lower - excess, test.upper + excess
    if abs(drift) < _CLOSE:  # the limit of the formula below, which would be 0/0
        return -low * high / variance
    tilt = -2 * drift / variance
    # the chance of ending at H1; expm1, because the difference of two numbers near 1 loses digits
    up = math.expm1(tilt * low) / (math.expm1(tilt * low) - math.expm1(tilt * high))
    return (high * up + low * (1 - up)) / drift


def score_of_elo(elo: float) -> float:
    """Return the share of points that corresponds to a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def _elo(share: float) -> float:
    if share <= 0:  # the logarithm would raise
        return -math.inf
    return math.inf if share >= 1 else 400 * math.log10(share / (1 - share))


def _moment(counts: Sequence[int], power: int, centre: float = 0.0, unit: float = 1.0) -> float:
    """Return the mean of ((share − centre) / unit) to a power, over all pairs."""
    powers = (((share - centre) / unit) ** power for share in SHARES)
    return sum(n * value for n, value in zip(counts, powers, strict=True)) / sum(counts)


@lru_cache(maxsize=64)
def _exponential_chances(t: float) -> list[float]:
    """Return chances in a geometric progression over the classes, so that (μ − ½)/σ is t."""

    def chances(slope: float) -> list[float]:
        weights = [math.exp(slope * (share - 0.5)) for share in SHARES]
        return [weight / sum(weights) for weight in weights]

    def lack(slope: float) -> float:
        mean, variance = _mean_and_variance(chances(slope))
        return t * math.sqrt(variance) - (mean - 0.5)

    return chances(_root(lack, -_STEEPEST, _STEEPEST))


def _mean_and_variance(chances: Sequence[float]) -> tuple[float, float]:
    """Return the mean and the variance of a pair's share."""
    mean = sum(p * share for p, share in zip(chances, SHARES, strict=True))
    return mean, sum(p * (share - mean) ** 2 for p, share in zip(chances, SHARES, strict=True))


def _tilt(shares: Sequence[float], slopes: Sequence[float]) -> list[float]:
    """Return p_i = p̂_i/(1 + x·φ_i) with the x for which Σ p_i φ_i = 0."""
    terms = [(p * slope, slope) for p, slope in zip(shares, slopes, strict=True)]

    def excess(x: float) -> float:
        return sum([weighted / (1 + x * slope) for weighted, slope in terms])

    # between these two every 1 + x·φ is above 0, and so is every chance
    x = _root(excess, -1 / max(slopes), -1 / min(slopes))
    return [p / (1 + x * slope) for p, slope in zip(shares, slopes, strict=True)]


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of a function that falls from +∞ at `low` to −∞ at `high`, by bisection."""
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):  # no float lies between them
            break
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2
