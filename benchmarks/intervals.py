"""Are intervals and tests as sure as they say: known strengths, many tournaments, counted.

``python -m benchmarks.intervals`` takes some minutes. The two games of a pair are drawn with a
correlation ρ: negative where a deal favours a seat, positive where it favours a bot.
"""

import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from pwtourney.ratings import Result
from pwtourney.ratings.bradley_terry import NATURAL, count_results, fit
from pwtourney.ratings.order import FEWEST_DEALS, Gap, any_time_factor, pairs_to_separate
from pwtourney.ratings.pairs import NELO, Decision, Sprt
from pwtourney.ratings.uncertainty import LEVEL, clustered_covariance, interval_factor
from pwtourney.schedule import Format, Scheduler
from pwtourney.schedule.pairing import results
from pwtourney.schedule.round_robin import Focus
from pwtourney.schedule.sprt import BATCH
from pwtourney.schedule.swiss import Swiss
from pwtourney.standings import RatingOptions
from pwtourney.standings.gates import parse_gate
from pwtourney.standings.rate import standings

__all__ = [
    "anchored_coverage",
    "any_time_errors",
    "correlated_pair",
    "coverage",
    "fit_errors",
    "format_coverage",
    "gate_errors",
    "kept_promises",
    "rank_coverage",
    "saving_coverage",
    "sprt_error",
    "sprt_games",
]

ELOS = (-120.0, -60.0, -20.0, 30.0, 70.0, 100.0)
SEAT = 30.0
CORRELATIONS = (-0.6, 0.0, 0.6)
LADDERS = ((13, 950, 8), (8, 600, 10), (12, 800, 30), (4, 45, 20), (3, 0, 11), (4, 45, 6))
"""Bots, half of the Elo from the first to the last, and pairs of each two."""


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


def tournament(
    rng: random.Random, rho: float, pairs: int, elos: Sequence[float] = ELOS
) -> list[Result]:
    """Draw a round robin."""
    found = []
    for one in range(len(elos)):
        for two in range(one + 1, len(elos)):
            difference = elos[one] - elos[two]
            for number in range(pairs):
                deal = f"{one} {two} {number}"
                won, won_again = correlated_pair(
                    rng, chance(difference + SEAT), chance(difference - SEAT), rho
                )
                found.append(Result(str(one), str(two), float(won), deal))
                found.append(Result(str(two), str(one), float(1 - won_again), deal))
    return found


def coverage(
    rho: float, tables: int, seed: int = 1, pairs: int = 30, level: float = LEVEL
) -> float:
    """Return the share of the intervals at a level that hold the truth."""
    rng = random.Random(seed)
    truth = np.array(ELOS) - np.mean(ELOS)
    held = 0
    for _ in range(tables):
        counts = count_results([str(k) for k in range(len(ELOS))], tournament(rng, rho, pairs))
        fitted = fit(counts)
        errors = np.sqrt(np.diag(clustered_covariance(counts, fitted)))[: len(ELOS)]
        reach = interval_factor(counts.deals, level) * errors / NATURAL
        held += int((np.abs(fitted.theta / NATURAL - truth) <= reach).sum())
    return held / tables / len(ELOS)


def anchored_coverage(pairs: int, tables: int, seed: int = 1) -> float:
    """Return the share of ±95 % of three bots that hold the truth where a fourth is the anchor."""
    rng = random.Random(seed)
    elos = (0.0, 50.0, 100.0, 150.0)
    held, seen = 0, 0
    for _ in range(tables):
        games = tournament(rng, 0.0, pairs, elos)
        anchor = RatingOptions(anchor=("0", 0.0))
        for pool in standings(None, games, anchor, test_fit=False).pools:
            for line in pool.lines:
                if pool.anchor and line.bot != pool.anchor and line.plus_minus is not None:
                    held += abs(line.elo - elos[int(line.bot)]) <= line.plus_minus
                    seen += 1
    return held / seen


def format_coverage(
    make: Callable[[tuple[str, ...]], Format], bots: int, spread: float, tables: int, seed: int = 1
) -> tuple[float, float]:
    """Return how often ±95 % would hold the truth where results decide who meets whom.

    Of all bots, and of the first in the table that has an interval; the strengths of the bots have
    a standard deviation of `spread` Elo.
    """
    rng = random.Random(seed)
    held, seen, first_held, firsts = 0, 0, 0, 0
    for _ in range(tables):
        elos = [rng.gauss(0, spread) for _ in range(bots)]
        names = tuple(str(k) for k in range(bots))
        scheduler = Scheduler(make(names))
        while pairing := scheduler.next():
            p = chance(elos[int(pairing.first)] - elos[int(pairing.second)])
            scheduler.record(pairing.number, (float(rng.random() < p), float(rng.random() < p)))
        (pool, *_) = standings(names, results(scheduler.history), test_fit=False).pools
        rated = [line for line in pool.lines if line.plus_minus is not None]
        middle = sum(elos[int(line.bot)] for line in rated) / max(1, len(rated))
        holds = [
            abs(line.elo - elos[int(line.bot)] + middle) <= (line.plus_minus or 0.0)
            for line in rated
        ]
        held, seen = held + sum(holds), seen + len(holds)
        first_held, firsts = first_held + sum(holds[:1]), firsts + len(holds[:1])
    return held / seen, first_held / firsts


def rank_coverage(step: float, tables: int, seed: int = 1, bots: int = 6) -> float:
    """Return how often the interval of ranks holds the true rank; neighbours are a `step` apart."""
    rng = random.Random(seed)
    elos = [step * k for k in range(bots)]
    held = 0
    for _ in range(tables):
        (pool,) = standings(None, tournament(rng, 0.0, 20, elos), test_fit=False).pools
        held += sum(
            line.ranks.best <= bots - int(line.bot) <= line.ranks.worst for line in pool.lines
        )
    return held / tables / bots


def gate_errors(pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often a new bot on few pairs passes a gate at 95 % that does not hold.

    It plays against four of equal strength, which have played 100 pairs each with the others.
    """
    rng = random.Random(seed)
    gate = parse_gate("elo(new) > elo(0) @ 95%")
    passed = 0
    for _ in range(tables):
        games = tournament(rng, 0.0, 100, [0.0] * 4)
        for number in range(pairs):
            won, again = correlated_pair(rng, chance(SEAT), chance(-SEAT), 0.0)
            old, deal = str(number % 4), f"new {number}"
            games.append(Result("new", old, float(won), deal))
            games.append(Result(old, "new", float(1 - again), deal))
        passed += gate.check(standings(None, games, test_fit=False)).passed
    return passed / tables


def fit_errors(elos: Sequence[float], pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often ratings that explain everything are said not to, or a pairing is named."""
    rng = random.Random(seed)
    tested = doubted = 0
    for _ in range(tables):
        for pool in standings(None, tournament(rng, 0.0, pairs, elos)).pools:
            if pool.fitness is not None:
                tested += 1
                doubted += pool.fitness.p < 0.05 or bool(pool.fitness.deviations)
    return doubted / max(1, tested)


def saving_coverage(rho: float, tables: int, seed: int = 1, pairs: int = 30) -> float:
    """Return how often the interval of what mirrored pairs save holds the truth."""
    rng = random.Random(seed)
    held = 0
    differences = [one - two for k, one in enumerate(ELOS) for two in ELOS[k + 1 :]]
    seats = [(chance(each + SEAT), chance(each - SEAT)) for each in differences]
    single = sum(p * (1 - p) + q * (1 - q) for p, q in seats)
    together = sum(rho * math.sqrt(p * (1 - p) * q * (1 - q)) for p, q in seats)
    for _ in range(tables):
        (pool,) = standings(None, tournament(rng, rho, pairs), test_fit=False).pools
        assert pool.saved is not None
        assert pool.saved.plus_minus is not None
        held += abs(pool.saved.share + 2 * together / single) <= pool.saved.plus_minus
    return held / tables


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


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies how often everything is drawn."""
    yield from _interval_rows(round(1000 * scale))
    yield from _format_rows(round(1000 * scale))
    yield from _test_rows(scale)
    for step in (0, 3, 30, 100):
        found = rank_coverage(step, round(1000 * scale))
        yield f"ranks of 6 bots, {step} Elo apart: hold the truth", _share_text(found), "≥ 95 %"
    for pairs in (4, 6, 10, 30):
        found = gate_errors(pairs, round(2000 * scale))
        name = f"gate at 95 % of an equal bot on {pairs} pairs: passes wrongly"
        yield name, _share_text(found), "≤ 5 ± 1 %"  # two errors of two thousand draws
    for elo in (10, 20, 40, 80):
        found, median = kept_promises(elo, round(2000 * scale))
        name = f"pairs that {elo} Elo are said to take, after 100: kept (median {median:,.0f})"
        yield name, _share_text(found), "≥ 50 %"
    found = any_time_errors(0.95, round(4000 * scale), 20_000)
    yield "95 % bound at every look, to 20,000 deals: errs", _share_text(found), "≤ 5 %"


def _interval_rows(tables: int) -> Iterator[tuple[str, str, str]]:
    """Yield how often intervals hold: at each level, to an anchor, of what pairs save."""
    for rho in CORRELATIONS:
        name = f"95 % intervals, ρ = {rho:+.1f}: hold the truth"
        yield name, _share_text(coverage(rho, tables)), "93–97 %"
    for level, wanted in ((0.8, "78–82 %"), (0.99, "98–99.5 %")):
        name = f"{100 * level:g} % intervals, ρ = +0.0: hold the truth"
        yield name, _share_text(coverage(0.0, tables, level=level)), wanted
    for pairs in (3, 6, 10, 30):
        name = f"±95 % to an anchor, {pairs} pairs of each two: hold the truth"
        yield name, _share_text(anchored_coverage(pairs, tables)), "93–98 %"
    for rho in (-0.3, 0.0, 0.3):
        name = f"pairs' saving ±95 %, ρ = {rho:+.1f}: holds"
        yield name, _share_text(saving_coverage(rho, tables)), "93–97 %"


def _format_rows(tables: int) -> Iterator[tuple[str, str, str]]:
    """Yield how often intervals hold, or would, where results decide who meets whom."""
    swiss = format_coverage(partial(Swiss, rounds=5, pairs=2), 16, 150.0, tables)
    for found, whose in zip(swiss, ("all", "the first"), strict=True):
        name = f"Swiss, 16 bots, 5 rounds of 2 pairs: ±95 % of {whose} would hold"
        yield name, _share_text(found), "not printed"
    for pairs, spread in ((10, 100), (40, 0)):
        focus = format_coverage(partial(Focus, pairs=pairs), 6, spread, tables)
        for found, whose in zip(focus, ("all", "the first"), strict=True):
            name = f"focus, 6 bots, {pairs} pairs, {spread} Elo apart: ±95 % of {whose} holds"
            yield name, _share_text(found), "–"


def _test_rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield how often tests err: the sequential one, with its length, and that of the fit."""
    for rho in CORRELATIONS:
        for better, name in ((False, "I"), (True, "II")):
            found = sprt_error(rho, better, round(2000 * scale))
            yield f"SPRT, ρ = {rho:+.1f}: type {name} errors", _share_text(found), "3.5–6 %"
    for nelo in (Sprt().elo0, (Sprt().elo0 + Sprt().elo1) / 2, Sprt().elo1):
        games = sprt_games(nelo, round(1000 * scale))
        yield f"SPRT, {nelo:+.0f} normalised Elo: games on average", f"{games:,.0f}", "–"
    for bots, reach, pairs in LADDERS:
        found = fit_errors(np.linspace(-reach, reach, bots).tolist(), pairs, round(1000 * scale))
        name = f"fit doubted, {bots} bots over ±{reach} Elo, {pairs} pairs"
        yield name, _share_text(found), "≤ 5 ± 1.4 %"  # two errors of a thousand draws


def _share_text(share: float) -> str:
    return f"{100 * share:.1f} %"


def main() -> None:
    """Draw, count and print."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    table = Table("drawn from known strengths", "seen", "wanted")
    for row in rows(scale):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
