"""Rows, tables and summaries whose numbers are chosen by hand, so that each cell can be checked."""

import math
from collections import Counter
from collections.abc import Sequence

from pwtourney.notation.game import Usage
from pwtourney.ratings.order import RankInterval
from pwtourney.ratings.tally import Margin, Massey, SeatGain, Tally
from pwtourney.report.summary import Conditions, Summary
from pwtourney.schedule.tuned import PathPoint, Tuned, TunedOption
from pwtourney.standings import Pool, Quantiles, Resources, Row, Standings

__all__ = [
    "FULL",
    "OPPONENT_COLUMNS",
    "TUNED",
    "make_pool",
    "make_row",
    "make_summary",
    "make_used",
]

OPPONENT_COLUMNS = ("Against", "Games", "Points", "Score", "Elo", "0–½–1–1½–2", "nElo")
"""The headings of the table of a bot's opponents."""


def make_used() -> Resources:
    """Return resources of 8 games with 100 moves, of which 98 took 2 ms and two took 4 ms.

    The other sums do not fit these times, so that no two numbers are equal.
    """
    times = Quantiles()
    times.add(*[2000] * 98, *[4000] * 2)
    return Resources(
        games=8,
        starts=4,
        wall=777_700,
        slowest=987_654,
        cpu=333_300,
        usage=Usage(
            start=5_000_000,
            pondering=48_000,
            peak=987_648,
            received=16_384,
            written=12_288,
            stderr=5632,
        ),
        times=times,
        faults=Counter({"timeout": 3, "crash": 2}),
    )


FULL = Row(
    rank=2,
    bot="crow",
    elo=112.414,
    plus_minus=30.616,
    bound="",
    # 10 half points of 16 are 62.5 %; 7 of 8 with the first seat, and 3 of 8 with the second
    tally=Tally(
        games=(4, 4),
        halves=(7, 3),
        wins=4,
        losses=2,
        draws=2,
        voids=6,
        pairs=(1, 0, 3),
        deals=9,
    ),
    margin=Margin(8, 5.2714, 2.3416, 4.5, 7.1254, 3.3758, 0.125),
    resources=make_used(),
    ranks=RankInterval(1, 3),
    los=0.97654321,
    joint_plus_minus=45.678,
    shrunk_los=0.87654321,
    massey=Massey(6.1234, 3.4567),
    seat=SeatGain(4, 0.6512348, 0.1242348),
    deals=7,
    opponents_elo=-14.326,
)
"""A bot of which everything is known."""

TUNED = Tuned(
    bot="magpie",
    against=("wren", "crow"),
    method="bayes",
    probes=30,
    planned=60,
    games=120,
    options=(
        TunedOption("pace", "float", 1.5, 0.5, 4.0, 2.25, 2.2512345678, 0.25, 12.3456789),
        TunedOption("on", "int", 4.0, 0.0, 9.0, 7, 6.875, 1.5, None),
    ),
    path=(
        PathPoint(10, (1.5, 4.0), (0.5, 3.0)),
        PathPoint(30, (2.2512345678, 6.875), (0.25, 1.5)),
    ),
)
"""Two options of magpie after half of a tuning."""


def make_row(bot: str, elo: float = 0.0, rank: int = 1, **more: object) -> Row:
    """Return the row of a bot that won two of four games, without faults."""
    counted = Tally(games=(2, 2), halves=(2, 2), wins=2, losses=2, deals=2)
    interval = RankInterval(rank, rank)
    plain = Row(rank, bot, elo, None, "", counted, None, Resources(games=4), interval, deals=2)
    return plain._replace(**more)  # type: ignore[arg-type]


def make_pool(*rows: Row, **more: object) -> Pool:
    """Return a table of these rows, on 40 deals and with unknown covariances."""
    plain = Pool(rows, deals=40, seat_elo=12.3456, seat_plus_minus=8.7654, prior=0.0, rough=False)
    unknown = ((math.nan,) * len(rows),) * len(rows)
    return plain._replace(covariance=unknown)._replace(**more)  # type: ignore[arg-type]


def make_summary(pools: Sequence[Pool], **more: object) -> Summary:
    """Return the summary of a tournament called ``t`` with these tables."""
    bots = tuple(row.bot for pool in pools for row in pool.rows)
    whole = Summary(
        name="t",
        bots=bots,
        edition="express",
        seed=7,
        version="1.2.3",
        planned=20,
        stored=12,
        over=True,
        game_hash="a hash",
        chain_head="a head",
        standings=Standings(tuple(pools), 24, 0),
        conditions=Conditions((), {}, {bot: Counter() for bot in bots}),
    )
    return whole._replace(**more)  # type: ignore[arg-type]
