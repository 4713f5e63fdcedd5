"""Two bots by their pairs: by hand, and against a bootstrap, an optimiser and published numbers."""

import math
import random
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.stopping import sprt_error
from pwtourney.ratings.pairs import (
    NELO,
    SHARES,
    Sprt,
    expected_pairs,
    pair_statistics,
    score_of_elo,
)
from tests.thorough import thorough_but


def test_pair_statistics_equal_a_hand_count() -> None:
    """Ten lost, fifty split, twenty won: the mean is 0.5625, and the variance is summed by hand."""
    statistics = pair_statistics([10, 0, 50, 0, 20])
    assert statistics.score == 0.5625
    variance = (10 * 0.5625**2 + 50 * 0.0625**2 + 20 * 0.4375**2) / 80
    assert statistics.nelo == pytest.approx(0.0625 / math.sqrt(2 * variance) * 800 / math.log(10))
    assert statistics.elo == pytest.approx(400 * math.log10(0.5625 / 0.4375))
    assert statistics.los == pytest.approx(0.9681, abs=1e-4)  # Φ(1.853), from a table


@pytest.mark.parametrize(
    ("counts", "level"),
    [
        ((40, 10, 150, 20, 80), 0.95),
        ((40, 10, 150, 20, 80), 0.99),
        ((3, 0, 4, 1, 1), 0.95),
        ((0, 2, 1, 0, 9), 0.9),
    ],
)
@pytest.mark.slow
def test_statistics_of_two_bots_equal_numpy_and_scipy(
    counts: tuple[int, ...], level: float
) -> None:
    """Mean, deviation, skewness, kurtosis and quantiles are computed from the list of pairs.

    The interval of normalised Elo has its own formula, which a bootstrap checks below.
    """
    from scipy import stats  # imported here because that takes a second

    shares = np.repeat(SHARES, counts)
    n, mean, sigma = len(shares), shares.mean(), shares.std()
    statistics = pair_statistics(counts, level)
    quantile = stats.norm.ppf if n >= 30 else stats.t(n - 1).ppf
    chance = stats.norm.cdf if n >= 30 else stats.t(n - 1).cdf
    reach = quantile((1 + level) / 2)
    error = shares.std(ddof=1) / n**0.5
    low, high = mean - reach * error, mean + reach * error
    assert statistics.pairs == n
    assert statistics.score == pytest.approx(mean)
    assert statistics.elo_low == pytest.approx(400 * math.log10(low / (1 - low)))
    ends = math.inf if high >= 1 else 400 * math.log10(high / (1 - high))
    assert statistics.elo_high == pytest.approx(ends)
    t = (mean - 0.5) / sigma
    assert statistics.nelo == pytest.approx(t * 800 / math.log(10) / 2**0.5)
    kurtosis = stats.kurtosis(shares, fisher=False)
    spread = 1 - t * stats.skew(shares) + t * t * (kurtosis - 1) / 4
    around = reach * (spread / n) ** 0.5 * 800 / math.log(10) / 2**0.5
    assert statistics.nelo_plus_minus == (pytest.approx(around) if n >= 30 else None)
    assert statistics.los == pytest.approx(chance((mean - 0.5) / error))


def test_perfect_score_has_no_finite_difference() -> None:
    """All pairs are won: unknown values are None, and the difference is infinite.

    A bot at the lower bound wins seven whole pairs in a row with a probability of 5 %; at a
    level of 99 % it is 1 %.
    """
    statistics = pair_statistics([0, 0, 0, 0, 7])
    assert (statistics.elo, statistics.nelo, statistics.los) == (math.inf, None, None)
    share = 0.05 ** (1 / 7)
    assert statistics.elo_low == pytest.approx(400 * math.log10(share / (1 - share)))
    assert (statistics.pairs, statistics.score, statistics.elo_high) == (7, 1.0, math.inf)
    assert statistics.nelo_plus_minus is None
    lost = pair_statistics([7, 0, 0, 0, 0])
    assert (lost.elo_low, lost.elo_high) == (-math.inf, -statistics.elo_low)
    share = 0.01 ** (1 / 7)
    strict = pair_statistics([0, 0, 0, 0, 7], 0.99).elo_low
    assert strict == pytest.approx(400 * math.log10(share / (1 - share)))
    split = pair_statistics([0, 0, 7, 0, 0])
    assert (split.elo, split.elo_low, split.elo_high) == (0.0, -math.inf, math.inf)
    with pytest.raises(ValueError, match="no pairs"):
        pair_statistics([0, 0, 0, 0, 0])


@pytest.mark.slow
def test_interval_of_normalised_elo_equals_a_bootstrap() -> None:
    """2000 resamples of the pairs have the spread of the delta method."""
    counts = [40, 10, 150, 20, 80]
    pool = [k for k, n in enumerate(counts) for _ in range(n)]
    rng = random.Random(7)
    samples = []
    for _ in range(2000):
        drawn = [0] * 5
        for k in rng.choices(pool, k=len(pool)):
            drawn[k] += 1
        nelo = pair_statistics(drawn).nelo
        assert nelo is not None
        samples.append(nelo)
    assert pair_statistics(counts).nelo_plus_minus == pytest.approx(
        1.96 * np.std(samples), rel=0.06
    )


COUNTS = st.lists(st.integers(0, 400), min_size=5, max_size=5).filter(lambda n: sum(n) > 0)


def best_llh(counts: list[float], constraint: object) -> float:
    """Return the largest log-likelihood under a constraint, computed by scipy's SLSQP."""
    from scipy.optimize import minimize  # imported here because that takes half a second

    n = np.maximum(np.array(counts, float), 1e-3)
    best = -math.inf
    for start in (n / n.sum() * 0.5 + 0.1, np.full(5, 0.2)):
        optimum = minimize(
            lambda p: -float((n * np.log(p)).sum()) / n.sum(),
            start / start.sum(),
            bounds=[(1e-12, 1)] * 5,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": constraint},
            ],
            options={"maxiter": 2000, "ftol": 1e-15},
        )
        if optimum.success:
            best = max(best, -optimum.fun * n.sum())
    return best


def condition(elo: float, *, normalised: bool) -> Callable[[Any], float]:
    """Return a function that is 0 for probabilities with this strength."""
    shares = np.array(SHARES)

    def gap(p: Any) -> float:
        mean = p @ shares
        if not normalised:
            return float(mean - score_of_elo(elo))
        return float(mean - 0.5 - elo / NELO * np.sqrt(p @ (shares - mean) ** 2))

    return gap


@pytest.mark.parametrize(
    "counts",
    thorough_but(
        [[10, 4, 50, 9, 20]],
        [[10, 4, 50, 9, 20], [100, 30, 500, 40, 140], [3, 1, 9, 1, 2], [30, 20, 10, 20, 60]],
    ),
)
@pytest.mark.slow
def test_llr_equals_that_of_a_general_optimiser(counts: list[float]) -> None:
    """Scipy finds the best probabilities under each hypothesis without our formulas."""
    for normalised, (elo0, elo1) in product((True, False), ((0, 20), (-300, 300), (100, 390))):
        test = Sprt(elo0, elo1, normalised=normalised)
        null, alternative = (condition(elo, normalised=normalised) for elo in (elo0, elo1))
        expected = best_llh(counts, alternative) - best_llh(counts, null)
        assert test.llr([int(n) for n in counts]) == pytest.approx(expected, rel=1e-4, abs=2e-3)


def test_split_pairs_have_little_weight() -> None:
    """Twenty-five split pairs: the quadratic approximation gives −25.9, the exact ratio −0.36."""
    assert Sprt(0, 30).llr([0, 0, 25, 0, 0]) == pytest.approx(-0.36, abs=0.005)


@pytest.mark.parametrize(("elo", "games"), [(0, 1599), (20, 1599), (10, 2616)])
def test_expected_length_equals_the_published_one(elo: float, games: int) -> None:
    """For [0, 20] at 5 %: 1,599 games at either bound and 2,616 midway."""
    assert 2 * expected_pairs(Sprt(0, 20), elo) == pytest.approx(games, abs=1)


def test_bounds_are_those_of_wald() -> None:
    """ln(β/(1−α)) and ln((1−β)/α): ∓2.944 at 5 %, and −2.89 and 2.25 at 10 % and 5 %."""
    even = Sprt()
    assert even.upper == pytest.approx(2.944, abs=5e-4)
    assert even.lower == -even.upper
    odd = Sprt(alpha=0.1, beta=0.05)
    assert odd.lower == pytest.approx(math.log(0.05 / 0.9))
    assert odd.upper == pytest.approx(math.log(0.95 / 0.1))


def test_invalid_tests_are_refused() -> None:
    """Reversed bounds, bounds beyond ±400, and an error rate of 0."""
    assert "elo0 must be below elo1" in str(Sprt(5, 5).problem())
    assert "within ±400" in str(Sprt(0, 401).problem())
    assert "alpha and beta" in str(Sprt(alpha=0).problem())
    assert Sprt().problem() is None


@pytest.mark.parametrize(
    ("test", "allowed"),
    [
        (Sprt(-400, 400), True),
        (Sprt(-400.1, 0), False),
        (Sprt(0, 400.1), False),
        (Sprt(-50, 50), True),
        (Sprt(0, 0.1), True),
        (Sprt(0, 0.09), False),
        (Sprt(300, 300.05), False),
        (Sprt(alpha=1e-6, beta=0.49), True),
        (Sprt(alpha=0.49, beta=1e-6), True),
        (Sprt(alpha=0.9e-6), False),
        (Sprt(beta=0.9e-6), False),
        (Sprt(alpha=0.5), False),
        (Sprt(beta=0.5), False),
        (Sprt(beta=1.2), False),
    ],
)
def test_limits_of_bounds_and_error_rates_are_inclusive(test: Sprt, allowed: bool) -> None:
    """The limits are those in docs/formats.md and in the error."""
    assert (test.problem() is None) == allowed


@pytest.mark.parametrize(("elo0", "elo1"), [(0.0, 20.0), (10.0, 30.0), (-40.0, 10.0)])
@pytest.mark.parametrize("normalised", [True, False])
def test_expected_length_follows_walds_formula(elo0: float, elo1: float, normalised: bool) -> None:
    """Under either hypothesis: (probabilities of both ends times their bounds) / mean step.

    A step is that of shares with the deviation of independent even games, √(1/8), for logistic
    bounds, and with a deviation of one for normalised bounds (A. Wald, 1947).
    """
    test = Sprt(elo0, elo1, 0.04, 0.07, normalised)
    slope = 1600 / math.log(10)  # slope of logistic Elo by the share, at one half
    unit = 800 / math.log(10) / 2**0.5 if normalised else slope / 8**0.5
    step = ((elo1 - elo0) / unit) ** 2 / 2
    lower, upper = math.log(0.07 / 0.96), math.log(0.93 / 0.04)
    assert expected_pairs(test, elo0) == pytest.approx((0.04 * upper + 0.96 * lower) / -step)
    assert expected_pairs(test, elo1) == pytest.approx((0.93 * upper + 0.07 * lower) / step)
    assert expected_pairs(test, (elo0 + elo1) / 2) == pytest.approx(-lower * upper / (2 * step))


def test_elo_difference_gives_the_logistic_share() -> None:
    """The logistic curve: 76 % at 200 Elo, one in eleven at −400."""
    assert score_of_elo(200) == pytest.approx(0.7597, abs=5e-5)
    assert score_of_elo(-400) == pytest.approx(1 / 11)
    assert score_of_elo(0) == 0.5


@pytest.mark.parametrize(
    ("bounds", "better", "worse"),
    [
        ((0, 20), "better than old", "not shown to be better than old by 20 nElo"),
        (
            (5, 20),
            "better than old by more than 5 nElo",
            "not shown to be better than old by 20 nElo",
        ),
        ((-5, 5), "not worse than old by 5 nElo", "not shown to be better than old by 5 nElo"),
        ((-15, 0), "not worse than old by 15 nElo", "worse than old"),
        ((-150, -50), "not worse than old by 150 nElo", "worse than old by more than 50 nElo"),
    ],
)
def test_answer_claims_what_its_bound_excludes(
    bounds: tuple[float, float], better: str, worse: str
) -> None:
    """H1 excludes elo0 and less: "better" needs elo0 of 0 or more. H0 excludes elo1 and more."""
    test = Sprt(*bounds)
    assert test.describe_answer("H1", "old") == better
    assert test.describe_answer("H0", "old") == worse
    assert test.describe_answer("H1") == better.replace(" than old", "")


def test_sprt_without_results_waits_for_its_cap() -> None:
    """Void pairs have no information, however close the bounds; they count for the length."""
    bold = Sprt(-200, 200, 0.4, 0.4)
    nothing = (0, 0, 0, 0, 0)
    assert bold.decide(nothing) is None
    assert bold.decide(nothing, bold.cap - 1) is None
    assert bold.decide(nothing, bold.cap) == "inconclusive"
    split = (0, 0, bold.cap, 0, 0)
    assert bold.decide((0, 0, bold.cap - 1, 0, 0)) is None
    assert bold.decide(split) == "inconclusive"


def test_undecided_sprt_ends_inconclusive_at_its_cap() -> None:
    """Midway between the bounds, the sign of the ratio decides nothing."""
    test = Sprt(0, 20)
    undecided = [800, 0, 2280, 0, 908]
    assert sum(undecided) > test.cap == 3927
    assert abs(test.llr(undecided)) < 2.9
    assert test.decide(undecided) == "inconclusive"
    assert test.decide([n // 10 for n in undecided]) is None


@given(COUNTS)
@pytest.mark.slow
def test_llr_changes_its_sign_if_the_bots_are_swapped(
    counts: list[int],
) -> None:
    """The bots are swapped and the signs of the bounds are reversed."""
    forth, back = Sprt(-5, 15), Sprt(-15, 5)
    assert forth.llr(counts) == pytest.approx(-back.llr(counts[::-1]), abs=1e-6)


def test_clear_difference_is_decided() -> None:
    """Nine of ten pairs won is H1, nine of ten lost H0."""
    assert Sprt().decide([2, 0, 8, 0, 90]) == "H1"
    assert Sprt().decide([90, 0, 8, 0, 2]) == "H0"


@pytest.mark.thorough
@pytest.mark.slow(4)
def test_sprt_error_rate_is_at_most_alpha() -> None:
    """A short run of the benchmark: of 150 runs at most 5 % plus three standard errors, 10 %.

    A test on single games has an error rate of 13 %, which the benchmark's 2,000 runs would
    find.
    """
    assert sprt_error(0.6, better=False, runs=150, seed=2) <= 0.05 + 3 * math.sqrt(
        0.05 * 0.95 / 150
    )
