"""Measures what luck does to the first of a table, to likelihoods of near-equals, and to cycles.

``python -m benchmarks.intervals`` prints these rows with all others of random tournaments.
"""

import random
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from benchmarks.draws import SEAT, format_share, mirrored_pair, tournament
from pwtourney.ratings import Result
from pwtourney.ratings.pairs import score_of_elo
from pwtourney.standings.rate import standings

__all__ = [
    "Coverage",
    "Field",
    "cycles_found",
    "joint_coverage",
    "los_calibration",
    "misfits",
    "rows",
]


class Coverage(NamedTuple):
    """How often intervals hold: of the first and of all bots, as printed and as `±all`."""

    first: float
    all: float
    joint_first: float
    joint_all: float


def joint_coverage(
    bots: int, pairs: int, tables: int, seed: int = 1, *, shared: bool = False
) -> Coverage:
    """Return how often intervals of equal bots hold: that of the first, and all together.

    All pairings play the same deals if these are `shared`.
    """
    rng = random.Random(seed)
    held = [0] * 4
    for _ in range(tables):
        games = tournament(rng, 0.0, pairs, [0.0] * bots)
        if shared:
            games = [game._replace(deal=game.deal.rpartition(" ")[2]) for game in games]
        (pool,) = standings(None, games, test_fit=False).pools
        plain = [abs(row.elo) <= (row.plus_minus or 0.0) for row in pool.rows]
        joint = [abs(row.elo) <= (row.joint_plus_minus or 0.0) for row in pool.rows]
        for k, holds in enumerate((plain[0], all(plain), joint[0], all(joint))):
            held[k] += holds
    return Coverage(*(count / tables for count in held))


def los_calibration(
    bots: int, spread: float, pairs: int, tables: int, seed: int = 1
) -> tuple[float, float]:
    """Return how many neighbours with a LOS of 85 to 93 % are in the right order.

    Also returns the mean of what the table's spread makes of their LOS.
    """
    rng = random.Random(seed)
    right, shrunk, seen = 0, 0.0, 0
    for _ in range(tables):
        elos = [rng.gauss(0, spread) for _ in range(bots)]
        (pool,) = standings(None, tournament(rng, 0.0, pairs, elos), test_fit=False).pools
        for above, below in zip(pool.rows, pool.rows[1:], strict=False):
            if above.los is not None and above.shrunk_los is not None and 0.85 <= above.los <= 0.93:
                right += elos[int(above.bot)] > elos[int(below.bot)]
                shrunk += above.shrunk_los
                seen += 1
    return right / max(1, seen), shrunk / max(1, seen)


class Field(NamedTuple):
    """Bots in order of strength, whose results do not all follow the curve of Elo.

    `crash` is the share of its games in which the best bot loses by a crash, and `blunder` the
    share of all games that the other bot wins. `seats` are what the first seat is worth to each
    bot, in Elo.
    """

    elos: tuple[float, ...] = (-500.0, -300.0, -100.0, 100.0, 300.0, 500.0)
    crash: float = 0.0
    blunder: float = 0.0
    seats: tuple[float, ...] = (SEAT,) * 6

    def chance(self, first: int, second: int) -> float:
        """Return the chance of a bot in the first seat against another."""
        p = score_of_elo(self.elos[first] - self.elos[second] + self.seats[first])
        p += self.blunder * (1 - 2 * p)
        best = len(self.elos) - 1
        if first == best:
            return p * (1 - self.crash)
        return p + (1 - p) * self.crash if second == best else p

    def play(self, rng: random.Random, pairs: int) -> list[Result]:
        """Draw a round robin."""
        bots = range(len(self.elos))
        return [
            Result(str(seats[0]), str(seats[1]), float(rng.random() < self.chance(*seats)), deal)
            for meeting in combinations(bots, 2)
            for deal in (f"{meeting} {number}" for number in range(pairs))
            for seats in (meeting, meeting[::-1])
        ]


def misfits(field: Field, pairs: int, tables: int, seed: int = 1) -> tuple[float, float]:
    """Return how often the curve is doubted, and how often a cycle is named, of transitive bots."""
    rng = random.Random(seed)
    doubted = named = 0
    for _ in range(tables):
        (pool,) = standings(None, field.play(rng, pairs)).pools
        doubted += pool.fitness is not None and pool.fitness.p < 0.05
        named += bool(pool.cycle)
    return doubted / tables, named / tables


def cycles_found(elo: float, pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often a cycle of three bots is named, each of which is `elo` above the next."""
    rng = random.Random(seed)
    count = 0
    for _ in range(tables):
        games = [
            game
            for ring in (("a", "b"), ("b", "c"), ("c", "a"))
            for number in range(pairs)
            for game in mirrored_pair(rng, ring, elo, f"{ring} {number}")
        ]
        (pool,) = standings(None, games, test_fit=False).pools
        count += pool.cycle == ("a", "b", "c")
    return count / tables


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tournaments."""
    tables = round(1000 * scale)
    for bots, pairs, shared in ((8, 30, False), (30, 5, False), (20, 10, True)):
        held = joint_coverage(bots, pairs, tables, shared=shared)
        name = f"{bots} equal bots, {pairs} pairs of each two{' on shared deals' * shared}:"
        yield f"{name} ±95 % of the first holds", format_share(held.first), "said next to it"
        yield f"{name} ±95 % of all hold together", format_share(held.all), "said next to it"
        yield f"{name} ±all of the first holds", format_share(held.joint_first), "≥ 95 %"
        yield f"{name} ±all of all hold together", format_share(held.joint_all), "≥ 93 %"
    for spread in (10.0, 50.0):
        right, shrunk = los_calibration(8, spread, 30, tables)
        name = f"LOS of 85–93 %, 8 bots with a standard deviation of {spread:g} Elo:"
        yield f"{name} right", format_share(right), "said next to it"
        yield f"{name} by the table's spread", format_share(shrunk), "± 5 % of the last"
    yield from _cycle_rows(tables)


def _cycle_rows(tables: int) -> Iterator[tuple[str, str, str]]:
    """Yield how often cycles are named where there are none, and where there is one."""
    uneven = Field(seats=(-60.0, 120.0, 0.0, 90.0, -30.0, 60.0))
    designs = (
        ("best bot crashes in 3 %, 50 pairs", Field(crash=0.03), 50),
        ("best bot crashes in 6 %, 50 pairs", Field(crash=0.06), 50),
        ("blunders in 4 %, 10 pairs", Field(blunder=0.04), 10),
        ("blunders in 4 %, 25 pairs", Field(blunder=0.04), 25),
        ("blunders in 4 %, 50 pairs", Field(blunder=0.04), 50),
        ("uneven seats, 100 pairs", uneven, 100),
        ("equal bots, 30 pairs", Field(elos=(0.0,) * 6), 30),
    )
    for name, field, pairs in designs:
        doubted, named = misfits(field, pairs, tables)
        yield f"6 bots, {name}: curve doubted", format_share(doubted), "said not to be a cycle"
        yield f"6 bots, {name}: cycle named", format_share(named), "≤ 5 ± 1.4 %"
    share = cycles_found(150.0, 60, tables)
    yield (
        "cycle of three bots, each 150 Elo above the next, 60 pairs: named",
        format_share(share),
        "≥ 90 %",
    )
