"""Head-to-head counts of every two bots that met, and a test of whether one of them is better."""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import NATURAL, Floats
from pwtourney.ratings.dense import number_values, sort_by_few
from pwtourney.ratings.game_columns import NO_MARGIN, Columns, Ints
from pwtourney.ratings.pairs import PairCounts
from pwtourney.ratings.tally import count_pairs
from pwtourney.ratings.uncertainty import LEVEL, Values, chance_below, holm, interval_factor, t_cdf

__all__ = ["HeadToHead", "meetings"]

_LEAST_SPREAD = 0.25
"""The smallest squared surplus, that of half a game: games with one winner are not certainty."""

_NO_SPREAD = 1e-12
_MOST_COINS = 1000
"""With more deals than this the t test alone suffices: the sum is then close to normal.

Corrected for a thousand pairings, levels are so small that with 60 deals it is not close enough.
"""


class HeadToHead(NamedTuple):
    """All games of two bots that count, from the side of the first.

    `error` is the standard error of the first bot's share of the points, clustered by deal, at
    least that of half a game. `p` is the chance that bots of equal strength would differ as much:
    two-sided, clustered by deal, and corrected (Holm) for the number of pairings. It is None with a
    single deal. `pairs` counts the first bot's whole mirrored pairs by their points: 0, ½, 1, 1½
    and 2. `margin` is the mean margin of games played to their end, None without any, and
    `margin_plus_minus` half of its interval.
    """

    first: str
    second: str
    games: int
    points: float
    deals: int
    error: float
    p: float | None
    margin: float | None = None
    margin_plus_minus: float | None = None
    pairs: PairCounts = (0, 0, 0, 0, 0)

    def seen_from(self, bot: str) -> "HeadToHead":
        """Return the same games from the side of one of the two."""
        if bot == self.first:
            return self
        return self._replace(
            first=self.second,
            second=self.first,
            points=self.games - self.points,
            margin=None if self.margin is None else -self.margin,
            pairs=self.pairs[::-1],
        )

    def find_elo(self, level: float) -> tuple[float | None, float | None]:
        """Return the first bot's lead in Elo and half of its interval, by these games alone.

        Both are None if one of the two won every point; the second is None if the error is unknown.
        """
        share = self.points / self.games
        if not 0 < share < 1:  # the lead has no finite estimate
            return None, None
        slope = NATURAL * share * (1 - share)
        reach = interval_factor(self.deals, level) * self.error / slope
        known = math.isfinite(reach) and reach > 0
        return math.log(share / (1 - share)) / NATURAL, reach if known else None


def meetings(columns: Columns, level: float = LEVEL) -> tuple[HeadToHead, ...]:
    """Return the head-to-head of every two bots that have met, in the order of the bots."""
    n = len(columns.bots)
    low, high = np.minimum(columns.first, columns.second), np.maximum(columns.first, columns.second)
    share = np.where(columns.first == low, columns.halves, 2 - columns.halves) / 2
    keys, pairing = number_values(low * n + high)
    order = sort_by_few(pairing)  # games are sorted by deal
    pairing, share, deal = pairing[order], share[order], columns.deal[order]
    margin = np.where(columns.first == low, columns.margin, -columns.margin)[order]
    ended = (columns.margin != NO_MARGIN)[order]
    by_margin = _total_by_group(
        pairing[ended], *_number_clusters(pairing[ended], deal[ended]), margin[ended], len(keys)
    )
    cluster, owner = _number_clusters(pairing, deal)
    by_share = _total_by_group(pairing, cluster, owner, share, len(keys))
    chances = _find_chances(cluster, owner, share, len(keys))
    pairs = count_pairs(columns)
    met = []
    for key, share_of, margin_of, p in zip(
        keys.tolist(), by_share, by_margin, chances, strict=True
    ):
        reach = interval_factor(margin_of.deals, level) * margin_of.error
        met.append(
            HeadToHead(
                first=columns.bots[key // n],
                second=columns.bots[key % n],
                games=share_of.games,
                points=share_of.total,
                deals=share_of.deals,
                # games that all had the same winner are not certainty
                error=max(share_of.error, math.sqrt(_LEAST_SPREAD) / share_of.games),
                p=p,
                margin=margin_of.total / margin_of.games if margin_of.games else None,
                margin_plus_minus=reach if margin_of.deals > 1 else None,
                pairs=pairs.get(key, (0, 0, 0, 0, 0)),
            )
        )
    # a pairing on one deal is not tested, so Holm's correction does not count it
    corrected = iter(holm([line.p for line in met if line.p is not None]))
    return tuple(line if line.p is None else line._replace(p=next(corrected)) for line in met)


class _Total(NamedTuple):
    """The sum of a group's values, and the standard error of their mean, clustered by deal."""

    games: int
    deals: int
    total: float
    error: float


def _total_by_group(
    group: Ints, cluster: Ints, owner: Ints, values: Values, groups: int
) -> list[_Total]:
    """Sum up each group; `cluster` and `owner` are those of `_number_clusters`.

    The variance is that of `clustered_mean`. With a single deal the factor G/(G − 1) is taken as 1.
    """
    games, deals = (np.bincount(rows, minlength=groups) for rows in (group, owner))
    total = np.bincount(group, values, groups)
    around = np.bincount(cluster, values - (total / np.maximum(games, 1))[group])
    spread = np.bincount(owner, around**2, groups) * deals / np.maximum(deals - 1, 1)
    error = np.sqrt(spread) / np.maximum(games, 1)
    columns = (column.tolist() for column in (games, deals, total, error))
    return list(map(_Total._make, zip(*columns, strict=True)))


def _number_clusters(group: Ints, deal: Ints) -> tuple[Ints, Ints]:
    """Return a number per row for its deal within its group, and the group of each number.

    Rows must be sorted by group, and then by deal.
    """
    leads = np.ones(len(group), np.bool_)
    leads[1:] = (group[1:] != group[:-1]) | (deal[1:] != deal[:-1])
    return np.cumsum(leads) - 1, group[leads]


def _find_chances(cluster: Ints, owner: Ints, share: Floats, pairings: int) -> list[float | None]:
    """Return the two-sided p of each pairing being even; None with a single deal."""
    surplus = np.bincount(cluster, share - 0.5)
    deals = np.bincount(owner, minlength=pairings)
    total = np.bincount(owner, surplus, pairings)
    left = surplus - (total / deals)[owner]
    spread = np.bincount(owner, left**2, pairings) * deals / np.maximum(deals - 1, 1)
    ahead, behind = (np.bincount(owner, sign * surplus > 0, pairings) for sign in (1, -1))
    columns = (column.tolist() for column in (total, spread, deals, ahead, behind))
    return [_find_chance(*row) for row in zip(*columns, strict=True)]


def _find_chance(
    total: float, spread: float, deals: int, ahead: float, behind: float
) -> float | None:
    """Return the two-sided p of one pairing being even; None with a single deal.

    `total` is its surplus of points over half of them, and `spread` the variance of that. `ahead`
    and `behind` count the deals that brought more and less than half.
    """
    if deals < 2:
        return None
    if spread <= _NO_SPREAD:  # every deal gave the same: as likely as that many equal coins
        # Student's t would divide by zero
        return 1.0 if total == 0 else 2.0 * 0.5**deals
    score = abs(total) / math.sqrt(spread)
    # Student's t also above 30 deals, where it matters for levels corrected for many pairings
    p = (
        2 * (1 - t_cdf(score, deals - 1))
        if deals <= _MOST_COINS
        else 2 * chance_below(-score, deals)
    )
    # The t test is overconfident on skewed deals, so a sign test is applied, too: deals won against
    # deals lost, as coin tosses. It is exact however few and skewed they are.
    coins, most = int(ahead + behind), int(max(ahead, behind))
    if coins <= _MOST_COINS:
        p = max(p, _find_chance_of_coins(coins, most))
    return p


@lru_cache(maxsize=1 << 14)
def _find_chance_of_coins(coins: int, most: int) -> float:
    """Return the two-sided chance that `coins` coins show one side at least `most` times."""
    term = math.exp(
        math.lgamma(coins + 1)
        - math.lgamma(most + 1)
        - math.lgamma(coins - most + 1)
        - coins * math.log(2)
    )
    tail = 0.0
    for k in range(most, coins + 1):
        tail += term
        term *= (coins - k) / (k + 1)
    return min(1.0, 2 * tail)
