"""The curve of ratings ends where the leaderboard is."""

import random

import pytest

from pwtourney.ratings import Result
from pwtourney.report.collectors import History
from pwtourney.standings.rate import standings


def test_the_last_moment_is_the_leaderboard() -> None:
    """With deals that are played by several, repeated games, void ones, and two tables."""
    rng = random.Random(3)
    results = []
    for number in range(600):
        one, two = rng.sample("abc", 2) if number % 3 else rng.sample("xy", 2)
        points = rng.choice([0.0, 1.0, 1.0, None])
        deal, moves = str(number % 20), None if points is None else rng.randrange(3)
        results.append(Result(one, two, points, deal, 5, None, str(number // 2), moves))
    history = History()
    for result in results:
        history.add(result)
    found = standings(None, results)
    assert found.repeated > 50
    assert len(found.pools) == 2
    last = history.points(5)[-1]
    assert last.games == 600
    shown = {line.bot: line.elo for pool in found.pools for line in pool.lines}
    assert {bot: elo for bot, (elo, _) in last.elos.items()} == pytest.approx(shown)
