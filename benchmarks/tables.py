"""Checks of what is said below tables of games: exports, games without deals, several runs.

``python -m benchmarks.intervals`` prints these rows with all others of random tournaments.
"""

import json
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.draws import ELOS, SEAT, format_share, tournament
from pwtourney.ratings.game_columns import NO_MARGIN, UNKNOWN, Columns, Ints, gather_blocks
from pwtourney.ratings.pairs import score_of_elo
from pwtourney.ratings.runs import compare_runs
from pwtourney.report.text.rows import table_notes
from pwtourney.schedule import Scheduler
from pwtourney.schedule.formats.swiss import Swiss
from pwtourney.schedule.pairing import results
from pwtourney.standings import Resources, Standings
from pwtourney.standings.rate import standings, tables
from pwtourney.tables.game_table import rated_columns, read_games

__all__ = [
    "draw_runs",
    "export_intervals",
    "loose_coverage",
    "rows",
    "run_coverage",
    "run_notes",
]

_BOTS = 6
_RUNS = (14, 14, 14)
"""The pairs of every two bots in each of three runs."""


def export_intervals(tables_drawn: int, seed: int = 1) -> float:
    """Return the share of exported Swiss tournaments that are rated with intervals."""
    rng = random.Random(seed)
    with_intervals = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.jsonl"
        for _ in range(tables_drawn):
            elos = [rng.gauss(0, 150) for _ in range(16)]
            names = tuple(str(k) for k in range(16))
            scheduler = Scheduler(Swiss(names, rounds=5, pairs=2))
            while pairing := scheduler.next():
                p = score_of_elo(elos[int(pairing.first)] - elos[int(pairing.second)])
                scheduler.record(pairing.number, (float(rng.random() < p), float(rng.random() < p)))
            games = (rated_columns(game, "swiss") for game in results(scheduler.history))
            path.write_text("".join(f"{json.dumps(game)}\n" for game in games))
            rated = _rate(gather_blocks(None, read_games(path)))
            with_intervals += any(row.plus_minus for pool in rated.pools for row in pool.rows)
    return with_intervals / tables_drawn


def loose_coverage(rho: float, tables_drawn: int, seed: int = 1) -> tuple[float, float]:
    """Return the coverage of 95 % intervals of games without pair or deal, and a share of notes.

    The games have deals, which the table does not name. The second value is the share of tables
    that call their intervals clustered by deal.
    """
    rng = random.Random(seed)
    truth = np.array(ELOS) - np.mean(ELOS)
    held = seen = clustered = 0
    for _ in range(tables_drawn):
        games = [game._replace(deal="", pair="") for game in tournament(rng, rho, 30)]
        rated = standings(None, games, test_fit=False)
        clustered += "clustered by deal" in table_notes(rated)[0]
        for row in rated.pools[0].rows:
            held += abs(row.elo - truth[int(row.bot)]) <= (row.plus_minus or 0.0)
            seen += 1
    return held / seen, clustered / tables_drawn


def draw_runs(
    stream: np.random.Generator,
    elos: Sequence[float],
    pairs: Sequence[int],
    deviation: float = 0.0,
    rho: float = 0.0,
) -> Columns:
    """Draw a round robin in several runs, with so many `pairs` of every two bots in each.

    The strength of each bot has this standard deviation from run to run.
    """
    parts = []
    deals = 0
    for run, count in enumerate(pairs):
        strengths = np.array(elos) + deviation * stream.standard_normal(len(elos))
        for first in range(len(elos)):
            for second in range(first + 1, len(elos)):
                won, again = _draw_pairs(stream, strengths[first] - strengths[second], rho, count)
                deal = deals + np.arange(count)
                deals += count
                here = np.ones(count, np.int64)
                parts.append((here * first, here * second, 2 * won, deal, here * run))
                parts.append((here * second, here * first, 2 - 2 * again, deal, here * run))
    players, opponents, halves, deal, runs = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    return Columns.of(
        tuple(str(number) for number in range(len(elos))),
        first=players,
        second=opponents,
        halves=halves,
        deal=deal,
        margin=np.full(len(players), NO_MARGIN, np.int64),
        pair=deal,
        moves=np.full(len(players), UNKNOWN, np.int64),
        run=runs,
    )


def _draw_pairs(
    stream: np.random.Generator, elo: float, rho: float, count: int
) -> tuple[Ints, Ints]:
    """Draw the points of the first bot in both games of pairs; see `correlated_pair`."""
    p, q = score_of_elo(elo + SEAT), score_of_elo(elo - SEAT)
    both = p * q + rho * math.sqrt(p * (1 - p) * q * (1 - q))
    both = min(max(both, 0.0, p + q - 1), p, q)
    draw = stream.random(count)
    won = (draw < p).astype(np.int64)
    again = ((draw < both) | ((draw >= p) & (draw < p + q - both))).astype(np.int64)
    return won, again


def run_coverage(deviation: float, tables_drawn: int, seed: int = 1) -> float:
    """Return the coverage of 95 % intervals if strengths vary between three runs."""
    stream = np.random.default_rng(seed)
    truth = np.array(ELOS) - np.mean(ELOS)
    held = 0
    for _ in range(tables_drawn):
        for row in _rate(draw_runs(stream, ELOS, _RUNS, deviation)).pools[0].rows:
            held += abs(row.elo - truth[int(row.bot)]) <= (row.plus_minus or 0.0)
    return held / tables_drawn / _BOTS


def run_notes(
    elos: Sequence[float],
    pairs: Sequence[int],
    tables_drawn: int,
    deviation: float = 0.0,
    rho: float = 0.0,
    seed: int = 1,
) -> float:
    """Return the share of tables that say that bots played differently in different runs."""
    stream = np.random.default_rng(seed)
    said = 0
    for _ in range(tables_drawn):
        test = compare_runs(draw_runs(stream, elos, pairs, deviation, rho))
        said += test is not None and test.p < 0.05
    return said / tables_drawn


def _rate(columns: Columns) -> Standings:
    return tables(columns, defaultdict(Resources), test_fit=False)


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tournaments."""
    count = round(1000 * scale)
    share = export_intervals(count)
    yield "Swiss, 16 bots: exports rated with intervals", format_share(share), "0 %"
    for rho in (-0.6, 0.6):
        name = f"95 % intervals without pair or deal, ρ = {rho:+.1f}"
        coverage, clustered = loose_coverage(rho, count)
        yield f"{name}: hold the truth", format_share(coverage), "–"
        yield f"{name}: called clustered by deal", format_share(clustered), "0 %"
    for deviation in (30.0, 60.0):
        name = f"6 bots, 3 runs of 14 pairs, strength varies by {deviation:g} Elo"
        yield f"{name}: ±95 % holds", format_share(run_coverage(deviation, count)), "–"
        share = run_notes(ELOS, _RUNS, count, deviation)
        yield f"{name}: noted", format_share(share), "≥ 30 %" if deviation < 60 else "≥ 80 %"
    for bots, reach, pairs, rho in (
        (6, 100, (14, 14, 14), -0.6),
        (6, 100, (14, 14, 14), 0.6),
        (2, 0, (45, 45), 0.0),
        (2, 200, (180, 180), 0.0),
        (12, 950, (20, 20), 0.0),
        (13, 0, (4, 4), 0.0),
        (6, 100, (8,) * 10, 0.0),
    ):
        elos = np.linspace(-reach, reach, bots).tolist()
        share = run_notes(elos, pairs, 2 * count, rho=rho)
        name = f"{bots} bots over ±{reach} Elo, ρ = {rho:+.1f}"
        name += f", {len(pairs)} runs of {pairs[0]} pairs: noted wrongly"
        yield name, format_share(share), "≤ 5 ± 1 %"  # two errors of two thousand tables
