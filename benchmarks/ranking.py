"""Measures how often ranks, likelihoods, gates and the order of a table are right.

``python -m benchmarks.intervals`` prints these rows with all others of random tournaments.
"""

import random
from collections.abc import Iterator

from benchmarks.draws import format_share, mirrored_pair, tournament
from pwtourney.ratings import Result
from pwtourney.standings.gates import parse_gate
from pwtourney.standings.rate import standings

__all__ = [
    "gate_errors",
    "lesser_gate_errors",
    "los_errors",
    "order_errors",
    "rank_coverage",
    "rows",
]


def rank_coverage(step: float, tables: int, seed: int = 1, bots: int = 6) -> float:
    """Return how often the rank interval covers the true rank; neighbours are `step` Elo apart."""
    rng = random.Random(seed)
    elos = [step * k for k in range(bots)]
    held = 0
    for _ in range(tables):
        (pool,) = standings(None, tournament(rng, 0.0, 20, elos), test_fit=False).pools
        held += sum(row.ranks.best <= bots - int(row.bot) <= row.ranks.worst for row in pool.rows)
    return held / tables / bots


def los_errors(pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often one of two equal bots is called stronger with 97.5 %.

    For each of the two this is expected in 2.5 of 100 tables.
    """
    rng = random.Random(seed)
    sure = 0
    for _ in range(tables):
        for pool in standings(None, tournament(rng, 0.0, pairs, (0.0, 0.0)), test_fit=False).pools:
            sure += any(row.los is not None and row.los >= 0.975 for row in pool.rows)
    return sure / tables


def gate_errors(pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often a new bot on few pairs passes a 95 % gate that does not hold.

    It plays four bots of equal strength, each of which has played 100 pairs with every other.
    """
    rng = random.Random(seed)
    gate = parse_gate("elo(new) > elo(0) @ 95%")
    passed = 0
    for _ in range(tables):
        games = tournament(rng, 0.0, 100, [0.0] * 4)
        for number in range(pairs):
            games += mirrored_pair(rng, ("new", str(number % 4)), 0.0, f"new {number}")
        passed += gate.check(standings(None, games, test_fit=False)).passed
    return passed / tables


def lesser_gate_errors(pairs: int, tables: int, seed: int = 1) -> float:
    """Return how often a bot 20 Elo below another passes a 95 % gate for being no weaker.

    The games of a pair go opposite ways (ρ = -0.6), so the deals of few pairs often have equal
    results.
    """
    rng = random.Random(seed)
    gate = parse_gate("elo(1) >= elo(0) @ 95%")
    passed = 0
    for _ in range(tables):
        games = tournament(rng, -0.6, pairs, (0.0, -20.0))
        passed += gate.check(standings(None, games, test_fit=False)).passed
    return passed / tables


def order_errors(tables: int, seed: int = 1, bots: int = 8, reach: float = 1000.0) -> float:
    """Return the share of tables in which a bot that only lost is above one that beat it.

    A bot that only won and is below one that it beat counts as well. Half of all pairings are
    played, one pair each, which gives a bound on one side only to many bots.
    """
    rng = random.Random(seed)
    wrong = 0
    for _ in range(tables):
        elos = [rng.uniform(-reach, reach) for _ in range(bots)]
        games: list[Result] = []
        for first in range(bots):
            for second in range(first + 1, bots):
                if rng.random() < 0.5:
                    names, deal = (str(first), str(second)), f"{first} {second}"
                    games += mirrored_pair(rng, names, elos[first] - elos[second], deal)
        wrong += _is_out_of_order(games)
    return wrong / tables


def _is_out_of_order(games: list[Result]) -> bool:
    """Return True if the table misplaces a bot without a win, or without a loss."""
    beaten = {
        (game.first, game.second) if game.points else (game.second, game.first) for game in games
    }
    pools = standings(None, games, test_fit=False).pools
    places = {row.bot: k for k, row in enumerate(row for pool in pools for row in pool.rows)}
    winners, losers = {winner for winner, _ in beaten}, {loser for _, loser in beaten}
    return any(
        places[winner] > places[loser]
        for winner, loser in beaten
        if loser not in winners or winner not in losers
    )


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tournaments."""
    for step in (0, 3, 30, 100):
        share = rank_coverage(step, round(1000 * scale))
        yield f"ranks of 6 bots, {step} Elo apart: hold the truth", format_share(share), "≥ 95 %"
    for pairs in (4, 10, 30):
        share = los_errors(pairs, round(4000 * scale))
        name = f"LOS of 97.5 % for one of two equal bots on {pairs} pairs"
        yield name, format_share(share), "≤ 5 ± 0.7 %"  # two errors of four thousand tables
    for pairs in (4, 6, 10, 30):
        share = gate_errors(pairs, round(2000 * scale))
        name = f"gate at 95 % of an equal bot on {pairs} pairs: passes wrongly"
        yield name, format_share(share), "≤ 5 ± 1 %"
    for pairs in (4, 6, 10, 30):
        share = lesser_gate_errors(pairs, round(2000 * scale))
        name = f"gate at 95 % of a bot 20 Elo below, {pairs} pairs, ρ = -0.6: passes wrongly"
        yield name, format_share(share), "≤ 5 %"
    share = order_errors(round(2000 * scale))
    yield "a bot that only lost is above one that beat it", format_share(share), "0 %"
