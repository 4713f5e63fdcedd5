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
from pwtourney.ratings.pairs import (
    NELO,
    Decision,
    PairCounts,
    Sprt,
    pair_statistics,
    score_of_elo,
)
from pwtourney.schedule.formats.sprt import BATCH, SprtFormat
from pwtourney.schedule.pairing import Pairing, PlayedPair
from pwtourney.tournament.monitors import HORIZON

__all__ = [
    "any_time_errors",
    "disqualified_answers",
    "kept_promises",
    "rows",
    "sprt_ends",
    "sprt_error",
    "sprt_games",
]


class Ends(NamedTuple):
    """What sequential tests at one true difference came to.

    `refused` is the share that ended with H0, and `covered` that of intervals of the difference
    that contain the truth. `pairs` is their mean length, and nine in ten were over within `most`.
    """

    refused: float
    covered: float
    pairs: float
    most: float


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
_MAX_FAULTS = 25
LOGISTIC = Sprt(elo0=0.0, elo1=20.0, normalised=False)


def sprt_error(rho: float, better: bool, runs: int, seed: int = 1, test: Sprt = NORMAL) -> float:
    """Return the error rate of a test if the truth is one of its two hypotheses."""
    elo, right = (test.elo1, "H1") if better else (test.elo0, "H0")
    tests = _run_tests(test, rho, _find_share(test, rho, elo), runs, seed)
    return sum(decision != right for decision, _ in tests) / runs


def sprt_games(
    elo: float, runs: int, seed: int = 1, test: Sprt = NORMAL, rho: float = 0.0
) -> tuple[float, float]:
    """Return a test's mean number of games at a difference, and the share of inconclusive tests."""
    done = list(_run_tests(test, rho, _find_share(test, rho, elo), runs, seed))
    given_up = sum(decision == "inconclusive" for decision, _ in done)
    return 2 * sum(sum(pairs) for _, pairs in done) / runs, given_up / runs


def sprt_ends(elo: float, rho: float, runs: int, seed: int = 1) -> Ends:
    """Return what tests with the usual bounds come to if the truth is `elo`, in logistic Elo."""
    refused = covered = 0
    lengths = []
    for decision, pairs in _run_tests(NORMAL, rho, score_of_elo(elo), runs, seed):
        statistics = pair_statistics(pairs)
        refused += decision == "H0"
        low, high = statistics.elo_low, statistics.elo_high
        covered += low is not None and high is not None and low <= elo <= high
        lengths.append(sum(pairs))
    return Ends(
        refused / runs, covered / runs, float(np.mean(lengths)), float(np.quantile(lengths, 0.9))
    )


def _run_tests(
    test: Sprt, rho: float, p: float, runs: int, seed: int
) -> Iterator[tuple[Decision, PairCounts]]:
    """Yield the decision of each test of a bot that wins games with chance `p`, and its pairs."""
    rng = random.Random(seed)
    for _ in range(runs):
        counts = [0] * 5
        decision = None
        while decision is None:
            for _ in range(BATCH):
                counts[2 * sum(correlated_pair(rng, p, p, rho))] += 1
            decision = test.decide(counts)
        lost, drawn, split, more, won = counts
        yield decision, (lost, drawn, split, more, won)


def _find_share(test: Sprt, rho: float, elo: float) -> float:
    """Return the share of points at a difference in the unit of a test."""
    return _share(rho, elo) if test.normalised else score_of_elo(elo)


def _share(rho: float, nelo: float) -> float:
    """Return the share of points at which pairs have a normalised difference."""
    low, high = 0.5, 0.9
    for _ in range(60):
        p = (low + high) / 2
        sigma = math.sqrt(p * (1 - p) * (1 + rho) / 2)
        low, high = (p, high) if (p - 0.5) / sigma * NELO < nelo else (low, p)
    return low


def disqualified_answers(runs: int, seed: int = 1) -> tuple[float, float]:
    """Return how many duels of equal bots end by void pairs, and how many of them print LOS ≥ 99 %.

    The old bot fails in 30 % of its games, and is disqualified after 25 faults and 64 more pairs.
    """
    rng = random.Random(seed)
    rule = SprtFormat(("new", "old"), Sprt(elo0=-5.0, elo1=1.0))
    ended = sure = 0
    for _ in range(runs):
        faults: list[int] = []
        history: list[PlayedPair] = []
        while meetings := rule.wave(0, history):
            for first, second in meetings:
                number = len(history)
                played = [_draw_faulty_game(rng, faults, number) for _ in range(2)]
                is_void = sum(pair < number - HORIZON for pair in faults) >= _MAX_FAULTS
                points = [won if first == "new" else 1 - won for won in played]
                history.append(
                    PlayedPair(
                        Pairing(number, first, second, number),
                        (None, None) if is_void else (points[0], points[1]),
                    )
                )
        (row,) = rule.table(history).rows
        if rule.trials(history)[0].decision == "inconclusive":
            ended += 1
            sure += row[-1] != "–" and float(row[-1].rstrip("%")) >= 99
    return ended / runs, sure / max(1, ended)


def _draw_faulty_game(rng: random.Random, faults: list[int], number: int) -> float:
    """Return the points of the new bot; a fault of the old one is noted with its pair's number."""
    if rng.random() < 0.3:
        faults.append(number)
        return 1.0
    return float(rng.random() < 0.5)


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
    yield from _end_rows(round(1000 * scale))
    ended, sure = disqualified_answers(round(1000 * scale))
    yield "duel of a bot that fails in 30 % of games: disqualified", format_share(ended), "–"
    yield "… and LOS of 99 % beside the answer", format_share(sure), "0 %"
    for elo in (10, 20, 40, 80):
        promises = kept_promises(elo, round(2000 * scale))
        name = f"pairs that {elo} Elo are said to take, after 100: enough"
        yield f"{name} (median {promises.median:,.0f})", format_share(promises.kept), "≥ 50 %"
        yield f"{name}, where it is not “too early to say”", format_share(promises.plain), "–"
    share = any_time_errors(0.95, round(4000 * scale), 20_000)
    yield "95 % bound at every look, to 20,000 deals: errs", format_share(share), "≤ 5 %"


def _end_rows(runs: int) -> Iterator[tuple[str, str, str]]:
    """Yield what a sequential test says of differences in logistic Elo, and how long it takes."""
    for elo, rho in ((0, 0.0), (5, 0.0), (10, 0.0), (20, 0.0), (20, 0.6), (20, -0.6)):
        ends = sprt_ends(elo, rho, runs)
        name = f"SPRT, +{elo} Elo, ρ = {rho:+.1f}:"
        yield f"{name} not shown to be better", format_share(ends.refused), "said next to it"
        yield f"{name} ±95 % of the difference holds", format_share(ends.covered), "said next to it"
        yield f"{name} pairs, nine in ten within", f"{ends.pairs:,.0f}, {ends.most:,.0f}", "–"
    weaker = Sprt(elo0=-150.0, elo1=-50.0, normalised=False)
    answers = [
        weaker.describe_answer(decision)
        for decision, _ in _run_tests(weaker, 0.0, score_of_elo(-76.0), runs, 1)
    ]
    share = sum(answer.startswith("better") for answer in answers) / runs
    yield "SPRT from −150 to −50, bot 76 Elo weaker: called better", format_share(share), "0 %"
