"""Checks that intervals and tests have their stated error rates, in many random tournaments.

``python -m benchmarks.intervals`` takes some minutes. Strengths are known. The two games of a pair
have a correlation ρ: it is negative if deals favour a seat, and positive if they favour a bot.
"""

import math
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import leagues, luck, ranking, stopping
from benchmarks import tables as game_tables
from benchmarks.draws import ELOS, SEAT, format_share, mirrored_pair, tournament
from pwtourney.ratings.bradley_terry import NATURAL, count_results, fit
from pwtourney.ratings.pairs import score_of_elo
from pwtourney.ratings.uncertainty import LEVEL, clustered_covariance, interval_factor
from pwtourney.report.text.rows import (
    table_notes,
)
from pwtourney.schedule import Format, Scheduler
from pwtourney.schedule.formats.focus import Focus
from pwtourney.schedule.formats.swiss import Swiss
from pwtourney.schedule.pairing import results
from pwtourney.standings import Anchor, RatingOptions, Standings
from pwtourney.standings.rate import standings

__all__ = [
    "anchored_coverage",
    "coverage",
    "fit_errors",
    "format_coverage",
    "late_anchor_coverage",
    "lopsided_errors",
    "saving_coverage",
]

CORRELATIONS = (-0.6, 0.0, 0.6)
LADDERS = ((13, 950, 8), (8, 600, 10), (12, 800, 30), (4, 45, 20), (3, 0, 11), (4, 45, 6))
"""The number of bots, half of the Elo from the first to the last, and pairs for every two bots."""


def coverage(
    rho: float, tables: int, seed: int = 1, pairs: int = 30, level: float = LEVEL
) -> float:
    """Return the share of the intervals at a level that cover the truth."""
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
    """Return the coverage of 95 % intervals of three bots if a fourth is the anchor."""
    rng = random.Random(seed)
    elos = (0.0, 50.0, 100.0, 150.0)
    held, seen = 0, 0
    for _ in range(tables):
        games = tournament(rng, 0.0, pairs, elos)
        anchor = RatingOptions((Anchor("0", 0.0),))
        for pool in standings(None, games, anchor, test_fit=False).pools:
            for row in pool.rows:
                if pool.anchor and row.bot != pool.anchor and row.plus_minus is not None:
                    held += abs(row.elo - elos[int(row.bot)]) <= row.plus_minus
                    seen += 1
    return held / seen


def given_coverage(error: float, tables: int, seed: int = 1) -> float:
    """Return the coverage of 95 % intervals if two of five bots have given ratings.

    They are known to this standard error, which is 0 for exact ratings.
    """
    rng = random.Random(seed)
    elos = (0.0, 50.0, 100.0, 150.0, 200.0)
    held, seen = 0, 0
    for _ in range(tables):
        games = tournament(rng, 0.0, 10, elos)
        given = tuple(Anchor(str(bot), rng.gauss(elos[bot], error), error) for bot in (0, 3))
        for row in standings(None, games, RatingOptions(given), test_fit=False).pools[0].rows:
            if row.plus_minus is not None:
                held += abs(row.elo - elos[int(row.bot)]) <= row.plus_minus
                seen += 1
    return held / seen


def late_anchor_coverage(pairs: int, tables: int, seed: int = 1) -> float:
    """Return the coverage of 95 % intervals if the anchor has few pairs, and the bots many."""
    rng = random.Random(seed)
    elos = (0.0, 50.0, 100.0, 150.0)
    held, seen = 0, 0
    for _ in range(tables):
        games = tournament(rng, 0.0, 60, elos)
        for number in range(pairs):
            bot, deal = number % len(elos), f"late {number}"
            games += mirrored_pair(rng, ("late", str(bot)), 75.0 - elos[bot], deal)
        table = standings(None, games, RatingOptions((Anchor("late", 75.0),)), test_fit=False)
        for row in (row for pool in table.pools for row in pool.rows if pool.anchor):
            if row.bot != "late" and row.plus_minus is not None:
                held += abs(row.elo - elos[int(row.bot)]) <= row.plus_minus
                seen += 1
    return held / seen


def lopsided_errors(elo: float, rho: float, pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often the saving of pairs of two bots is reported with a wrong interval."""
    rng = random.Random(seed)
    p, q = score_of_elo(elo + SEAT), score_of_elo(elo - SEAT)
    joint = p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q))
    together = min(max(joint, 0.0, p + q - 1), p, q) - p * q
    truth = -2 * together / (p * (1 - p) + q * (1 - q))
    wrong = 0
    for _ in range(tables):
        games = tournament(rng, rho, pairs, (elo, 0.0))
        pool = standings(None, games, test_fit=False).pools[0]
        saved = pool.saved
        if saved and any(
            note.startswith("Mirrored") for note in table_notes(Standings((pool,), 0, 0))
        ):
            wrong += abs(saved.share - truth) > (saved.plus_minus or 0.0)
    return wrong / tables


def format_coverage(
    make: Callable[[tuple[str, ...]], Format], bots: int, spread: float, tables: int, seed: int = 1
) -> tuple[float, float]:
    """Return the coverage that 95 % intervals would have if results decide the pairings.

    The first value is for all bots, the second for the first bot of the table with an interval.
    The strengths of the bots have a standard deviation of `spread` Elo.
    """
    rng = random.Random(seed)
    held, seen, first_held, firsts = 0, 0, 0, 0
    for _ in range(tables):
        elos = [rng.gauss(0, spread) for _ in range(bots)]
        names = tuple(str(k) for k in range(bots))
        scheduler = Scheduler(make(names))
        while pairing := scheduler.next():
            p = score_of_elo(elos[int(pairing.first)] - elos[int(pairing.second)])
            scheduler.record(pairing.number, (float(rng.random() < p), float(rng.random() < p)))
        (pool, *_) = standings(names, results(scheduler.history), test_fit=False).pools
        rated = [row for row in pool.rows if row.plus_minus is not None]
        middle = sum(elos[int(row.bot)] for row in rated) / max(1, len(rated))
        holds = [
            abs(row.elo - elos[int(row.bot)] + middle) <= (row.plus_minus or 0.0) for row in rated
        ]
        held, seen = held + sum(holds), seen + len(holds)
        first_held, firsts = first_held + sum(holds[:1]), firsts + len(holds[:1])
    return held / seen, first_held / firsts


def fit_errors(elos: Sequence[float], pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often a correct model is rejected, or a pairing is named as deviating."""
    rng = random.Random(seed)
    tested = doubted = 0
    for _ in range(tables):
        for pool in standings(None, tournament(rng, 0.0, pairs, elos)).pools:
            if pool.fitness is not None:
                tested += 1
                doubted += pool.fitness.p < 0.05 or bool(pool.fitness.deviations)
    return doubted / max(1, tested)


def saving_coverage(rho: float, tables: int, seed: int = 1, pairs: int = 30) -> float:
    """Return how often the interval of the saving of mirrored pairs covers the truth."""
    rng = random.Random(seed)
    held = 0
    differences = [first - second for k, first in enumerate(ELOS) for second in ELOS[k + 1 :]]
    seats = [
        (score_of_elo(difference + SEAT), score_of_elo(difference - SEAT))
        for difference in differences
    ]
    single = sum(p * (1 - p) + q * (1 - q) for p, q in seats)
    together = sum(rho * math.sqrt(p * (1 - p) * q * (1 - q)) for p, q in seats)
    for _ in range(tables):
        (pool,) = standings(None, tournament(rng, rho, pairs), test_fit=False).pools
        assert pool.saved is not None
        assert pool.saved.plus_minus is not None
        held += abs(pool.saved.share + 2 * together / single) <= pool.saved.plus_minus
    return held / tables


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tournaments."""
    yield from _interval_rows(round(1000 * scale))
    yield from _format_rows(round(1000 * scale))
    yield from _fit_rows(scale)
    yield from ranking.rows(scale)
    yield from luck.rows(scale)
    yield from stopping.rows(scale)
    yield from leagues.rows(scale)
    yield from game_tables.rows(scale)


def _interval_rows(tables: int) -> Iterator[tuple[str, str, str]]:
    """Yield the coverage of intervals: at each level, to an anchor, and of the saving of pairs."""
    for rho in CORRELATIONS:
        name = f"95 % intervals, ρ = {rho:+.1f}: hold the truth"
        yield name, format_share(coverage(rho, tables)), "93–97 %"
    for level, target in ((0.8, "78–82 %"), (0.99, "98–99.5 %")):
        name = f"{100 * level:g} % intervals, ρ = +0.0: hold the truth"
        yield name, format_share(coverage(0.0, tables, level=level)), target
    for pairs in (3, 6, 10, 30):
        name = f"±95 % to an anchor, {pairs} pairs of each two: hold the truth"
        yield name, format_share(anchored_coverage(pairs, tables)), "93–98 %"
    for error in (0, 15, 60):
        name = f"±95 % with two given ratings, standard error {error}: hold the truth"
        yield name, format_share(given_coverage(error, tables)), "93–97 %"
    for pairs in (4, 6, 10):
        name = f"±95 % of bots on 180 pairs to an anchor on {pairs}: hold the truth"
        yield name, format_share(late_anchor_coverage(pairs, tables)), "≥ 93 %"
    for elo, rho, pairs in ((500, 0.15, 40), (400, 0.0, 40), (400, 0.0, 200), (300, 0.0, 1200)):
        wrong = lopsided_errors(elo, rho, pairs, tables)
        name = (
            f"pairs' saving of two bots {elo} Elo apart, {pairs} pairs, ρ = {rho:+.2f}: told wrong"
        )
        yield name, format_share(wrong), "≤ 5 ± 1.4 %"
    for rho in (-0.3, 0.0, 0.3):
        name = f"pairs' saving ±95 %, ρ = {rho:+.1f}: holds"
        yield name, format_share(saving_coverage(rho, tables)), "93–97 %"


def _format_rows(tables: int) -> Iterator[tuple[str, str, str]]:
    """Yield the coverage that intervals have, or would have, if results decide the pairings."""
    swiss = format_coverage(partial(Swiss, rounds=5, pairs=2), 16, 150.0, tables)
    for share, whose in zip(swiss, ("all", "the first"), strict=True):
        name = f"Swiss, 16 bots, 5 rounds of 2 pairs: ±95 % of {whose} would hold"
        yield name, format_share(share), "not printed"
    for pairs, spread in ((10, 100), (40, 0)):
        focus = format_coverage(partial(Focus, pairs=pairs), 6, spread, tables)
        for share, whose in zip(focus, ("all", "the first"), strict=True):
            name = f"focus, 6 bots, {pairs} pairs, {spread} Elo apart: ±95 % of {whose} holds"
            yield name, format_share(share), "–"


def _fit_rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield how often a correct fit is rejected."""
    for bots, reach, pairs in LADDERS:
        share = fit_errors(np.linspace(-reach, reach, bots).tolist(), pairs, round(1000 * scale))
        name = f"fit doubted, {bots} bots over ±{reach} Elo, {pairs} pairs"
        yield name, format_share(share), "≤ 5 ± 1.4 %"  # two standard errors of a thousand tables


def main() -> None:
    """Measure and print a table."""
    scale = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    table = Table("drawn from known strengths", "seen", "wanted")
    for row in rows(scale):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
