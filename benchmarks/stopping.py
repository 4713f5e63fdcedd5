"""How often tests and promises err that are looked at again and again; drawn, and counted.

``python -m benchmarks.intervals`` prints it with all else that is counted so.
"""

import math
import random
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import NATURAL
from pwtourney.ratings.order import FEWEST_DEALS, Gap, any_time_factor, pairs_to_separate
from pwtourney.ratings.pairs import NELO, Decision, Sprt
from pwtourney.schedule.sprt import BATCH

__all__ = [
    "any_time_errors",
    "chance",
    "correlated_pair",
    "kept_promises",
    "sprt_error",
    "sprt_games",
]


def chance(elo: float) -> float:
    """Return the chance that a difference stands for."""
    return 1 / (1 + 10 ** (-elo / 400))


def correlated_pair(rng: random.Random, p: float, q: float, rho: float) -> tuple[int, int]:
    """Draw what one bot gets in the two games of a pair, with a correlation as far as possible."""
    both = p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q))
    both = min(max(both, 0.0, p + q - 1), p, q)
    draw = rng.random()
    if draw < both:
        return 1, 1
    if draw < p:
        return 1, 0
    return (0, 1) if draw < p + q - both else (0, 0)


def sprt_error(rho: float, better: bool, runs: int, seed: int = 1) -> float:
    """Return how often the default test errs, the truth being one of its two hypotheses."""
    nelo = Sprt().elo1 if better else Sprt().elo0
    right = "H1" if better else "H0"
    return sum(decision != right for decision, _ in _run_tests(rho, nelo, runs, seed)) / runs


def sprt_games(nelo: float, runs: int, seed: int = 1) -> float:
    """Return how many games the default test takes on average, at a normalised difference."""
    return 2 * sum(pairs for _, pairs in _run_tests(0.0, nelo, runs, seed)) / runs


def _run_tests(rho: float, nelo: float, runs: int, seed: int) -> Iterator[tuple[Decision, int]]:
    """Yield the decision of each test, and the pairs that it took."""
    rng = random.Random(seed)
    test, p = Sprt(), _share(rho, nelo)
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
    """Return how often an equal bot is ever declared better, looking after every deal."""
    stream = np.random.default_rng(seed)
    n = np.arange(1, most + 1)
    factors = np.array([any_time_factor(int(each), level) for each in n])
    wrong = 0
    for _ in range(runs):
        draws = stream.choice([-1.0, 0.0, 1.0], most, p=[0.25, 0.5, 0.25])
        mean = np.cumsum(draws) / n
        variance = np.cumsum(draws**2) / n - mean**2
        error = np.sqrt(np.maximum(variance, 1e-12) / n)
        wrong += bool((mean > factors * error)[FEWEST_DEALS - 1 :].any())
    return wrong / runs


def kept_promises(elo: float, runs: int, pairs: int = 100, seed: int = 1) -> tuple[float, float]:
    """Return how often two bots are told apart, the right way round, within the pairs promised.

    Promises are made after so many pairs, where they are not apart by then. With that comes the
    median of what was promised.
    """
    stream = np.random.default_rng(seed)
    p = chance(elo)
    of_pair = [(1 - p) ** 2, 2 * p * (1 - p), p**2]
    kept, promised = 0, []
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
        # as often as anybody would look; more often makes it likelier that it is kept
        while played < end:
            step = min(end, math.ceil(played * 1.02)) - played
            counts, played = counts + stream.multinomial(step, of_pair), played + step
            difference, error = _difference(counts)
            if abs(difference) > any_time_factor(played, 0.975) * error:
                kept += difference > 0  # the first bot is the stronger one
                break
    return kept / len(promised), float(np.median(promised))


def _difference(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the difference of two bots and its error, in Elo, by pairs lost, split and won."""
    points, n = np.array([0.0, 0.5, 1.0]), int(counts.sum())
    mean = float(points @ counts) / n
    variance = float((points - mean) ** 2 @ counts) / n / (n - 1)
    scale = NATURAL * mean * (1 - mean)
    return math.log(mean / (1 - mean)) / NATURAL, math.sqrt(variance) / scale
