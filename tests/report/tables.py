"""Tables of ratings by hand: tests of drawings choose the numbers themselves."""

from collections.abc import Sequence

from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.order import RankInterval
from pwtourney.ratings.tally import Tally
from pwtourney.report.summary import Conditions, Summary
from pwtourney.schedule.season import trace_season
from pwtourney.standings import Pool, Resources, Row, Standings
from tests.schedule.test_season import league

__all__ = ["SEASON", "make_pool", "make_row", "make_standings", "make_summary", "meet"]

SEASON = trace_season(league(["ant", "bee", "cat"], ["ant#2", "bee"]))
"""A league in which ant#2 has replaced ant, and cat has left."""


def make_row(
    rank: int,
    bot: str,
    elo: float,
    plus_minus: float | None = None,
    bound: str = "",
    *,
    games: int = 0,
    deals: int = 2,
) -> Row:
    """Return the row of a bot that has played this many games in each seat."""
    ranks = RankInterval(rank, rank)
    tally = Tally(games=(games, games), deals=deals)
    return Row(rank, bot, elo, plus_minus, bound, tally, None, Resources(), ranks, deals=deals)


def make_pool(
    *rows: Row,
    meetings: Sequence[HeadToHead] = (),
    covariance: tuple[tuple[float, ...], ...] = (),
    level: float = 0.95,
) -> Pool:
    """Return a table with these rows; without a covariance all errors are 0."""
    return Pool(
        rows,
        deals=2,
        seat_elo=None,
        seat_plus_minus=None,
        prior=0.0,
        rough=True,
        covariance=covariance or ((0.0,) * len(rows),) * len(rows),
        meetings=tuple(meetings),
        level=level,
    )


def make_standings(*pools: Pool) -> Standings:
    """Return the standings with these tables."""
    return Standings(pools, games=6, voids=0)


def meet(first: str, second: str, games: int, points: float) -> HeadToHead:
    """Return the games of two bots, with the points of the first."""
    return HeadToHead(first, second, games, points, deals=2, error=0.25, p=None)


def make_summary(*pools: Pool, level: float = 0.95) -> Summary:
    """Return the summary of a complete tournament with these tables."""
    return Summary(
        name="league",
        bots=tuple(row.bot for pool in pools for row in pool.rows),
        edition="express",
        seed=7,
        version="1.2.3",
        planned=4,
        stored=3,
        over=True,
        game_hash="0123",
        chain_head="4567",
        standings=make_standings(*pools),
        conditions=Conditions(persistent=(), pondering={}),
        level=level,
    )
