"""Measures error rates of tests and promises that are checked repeatedly.

``python -m benchmarks.intervals`` prints these rows with all others of random tournaments.
"""

import math
import random
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.draws import correlated_pair, format_share
from pwtourney.ratings.bradley_terry import NATURAL
from pwtourney.ratings.order import FEWEST_DEALS, Gap, any_time_factor, pairs_to_separate
from pwtourney.ratings.pairs import NELO, Decision, Sprt, score_of_elo
from pwtourney.schedule.formats.sprt import BATCH

__all__ = [
    "any_time_errors",
    "kept_promises",
    "rows",
    "sprt_error",
    "sprt_games",
]


class Promises(NamedTuple):
    """The share of kept promises, the median of promised pairs, and the share of kept plain ones.

    A promise is the reported number of pairs that will separate two bots. Plain promises are those
    without the note that it is too early.
    """

    kept: float
    median: float
    plain: float


CORRELATIONS = (-0.6, 0.0, 0.6)
NORMAL = Sprt()
LOGISTIC = Sprt(elo0=0.0, elo1=20.0, normalised=False)


def sprt_error(rho: float, better: bool, runs: int, seed: int = 1, test: Sprt = NORMAL) -> float:
    """Return the error rate of a test if the truth is one of its two hypotheses."""
    elo, right = (test.elo1, "H1") if better else (test.elo0, "H0")
    return sum(decision != right for decision, _ in _run_tests(test, rho, elo, runs, seed)) / runs


def sprt_games(
    elo: float, runs: int, seed: int = 1, test: Sprt = NORMAL, rho: float = 0.0
) -> tuple[float, float]:
    """Return a test's mean number of games at a difference, and the share of inconclusive tests."""
    done = list(_run_tests(test, rho, elo, runs, seed))
    given_up = sum(decision == "inconclusive" for decision, _ in done)
    return 2 * sum(pairs for _, pairs in done) / runs, given_up / runs


def _run_tests(
    test: Sprt, rho: float, elo: float, runs: int, seed: int
) -> Iterator[tuple[Decision, int]]:
    """Yield the decision of each test, and its number of pairs."""
    rng = random.Random(seed)
    p = _share(rho, elo) if test.normalised else score_of_elo(elo)
    for _ in range(runs):
        counts = [0] * 5
        decision = None
        while decision is None:
            for _ in range(BATCH):
                counts[2 * sum(correlated_pair(rng, p, p, rho))] += 1
            decision = test.decide(counts)
        yield decision, sum(counts)


def _share(rho: float, nelo: float) -> float:
    """Return the share of points at which pairs have a normalised difference."""
    low, high = 0.5, 0.9
    for _ in range(60):
        p = (low + high) / 2
        sigma = math.sqrt(p * (1 - p) * (1 + rho) / 2)
        low, high = (p, high) if (p - 0.5) / sigma * NELO < nelo else (low, p)
    return low


def any_time_errors(level: float, runs: int, most: int, seed: int = 1) -> float:
    """Return how often an equal bot is ever called better, if every deal is checked."""
    stream = np.random.default_rng(seed)
    n = np.arange(1, most + 1)
    factors = np.array([any_time_factor(int(deals), level) for deals in n])
    wrong = 0
    for _ in range(runs):
        draws = stream.choice([-1.0, 0.0, 1.0], most, p=[0.25, 0.5, 0.25])
        mean = np.cumsum(draws) / n
        variance = np.cumsum(draws**2) / n - mean**2
        error = np.sqrt(np.maximum(variance, 1e-12) / n)
        wrong += bool((mean > factors * error)[FEWEST_DEALS - 1 :].any())
    return wrong / runs


def kept_promises(elo: float, runs: int, pairs: int = 100, seed: int = 1) -> Promises:
    """Return how often two bots are separated, in the right order, within the promised pairs.

    A promise is made after this many pairs, unless the bots are separated by then.
    """
    stream = np.random.default_rng(seed)
    p = score_of_elo(elo)
    of_pair = [(1 - p) ** 2, 2 * p * (1 - p), p**2]
    kept: list[bool] = []
    plain: list[bool] = []
    promised = []
    for _ in range(runs):
        counts = stream.multinomial(pairs, of_pair)
        difference, error = _difference(counts)
        if abs(difference) > any_time_factor(pairs, 0.975) * error:
            continue
        gap = Gap("one", "two", abs(difference), error)
        information = 1 / error**2 / pairs
        more = pairs_to_separate(gap, pairs, pairs, 0.975, information)
        assert more is not None
        promised.append(more.of_all)
        end, played = pairs + more.of_all, pairs
        # as often as a user would check; more frequent checks succeed more often
        while played < end:
            step = min(end, math.ceil(played * 1.02)) - played
            counts, played = counts + stream.multinomial(step, of_pair), played + step
            difference, error = _difference(counts)
            if abs(difference) > any_time_factor(played, 0.975) * error:
                kept.append(difference > 0)  # the first bot is the stronger one
                break
        else:
            kept.append(False)
        plain += [] if more.close else kept[-1:]
    return Promises(float(np.mean(kept)), float(np.median(promised)), float(np.mean(plain)))


def _difference(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the difference of two bots and its error, in Elo, from pairs lost, split and won."""
    points, n = np.array([0.0, 0.5, 1.0]), int(counts.sum())
    mean = float(points @ counts) / n
    variance = float((points - mean) ** 2 @ counts) / n / (n - 1)
    scale = NATURAL * mean * (1 - mean)
    return math.log(mean / (1 - mean)) / NATURAL, math.sqrt(variance) / scale


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tournaments."""
    for test, kind in ((NORMAL, "SPRT"), (LOGISTIC, "SPRT in logistic Elo")):
        for rho in CORRELATIONS:
            for better, name in ((False, "I"), (True, "II")):
                share = sprt_error(rho, better, round(2000 * scale), test=test)
                yield f"{kind}, ρ = {rho:+.1f}: type {name} errors", format_share(share), "3.5–6 %"
    for elo in (NORMAL.elo0, (NORMAL.elo0 + NORMAL.elo1) / 2, NORMAL.elo1):
        games, _ = sprt_games(elo, round(1000 * scale))
        yield f"SPRT, {elo:+.0f} normalised Elo: games on average", f"{games:,.0f}", "–"
    for rho in CORRELATIONS:
        games, given_up = sprt_games(10.0, round(1000 * scale), test=LOGISTIC, rho=rho)
        name = f"SPRT in logistic Elo, +10, ρ = {rho:+.1f}: games on average"
        yield name, f"{games:,.0f}", "–"
        yield f"{name.partition(':')[0]}: inconclusive", format_share(given_up), "≤ 5 %"
    for elo in (10, 20, 40, 80):
        promises = kept_promises(elo, round(2000 * scale))
        name = f"pairs that {elo} Elo are said to take, after 100: enough"
        yield f"{name} (median {promises.median:,.0f})", format_share(promises.kept), "≥ 50 %"
        yield f"{name}, where it is not “too early to say”", format_share(promises.plain), "–"
    share = any_time_errors(0.95, round(4000 * scale), 20_000)
    yield "95 % bound at every look, to 20,000 deals: errs", format_share(share), "≤ 5 %"
