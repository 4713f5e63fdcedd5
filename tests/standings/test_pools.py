"""Quantiles, certain differences and whole orders of a table, computed by hand."""

import math
from statistics import NormalDist

import pytest

from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.order import Gap, any_time_factor, gaps
from pwtourney.standings import Pool, Quantiles
from pwtourney.standings.rate import standings
from tests.ratings.games import by_bot, only_pool, pair, simulated

FAIR = only_pool(["bot0", "bot1"], simulated([0, 100], 50, 1))


def table(*order: Gap, deals: int = 500, meetings: tuple[HeadToHead, ...] = ()) -> Pool:
    """Return a table in which only the gaps and the meetings matter."""
    lines = (FAIR.rows[0],) * (len(order) + 1)
    return FAIR._replace(rows=lines, gaps=order, deals=deals, meetings=meetings)


def met(games: int, points: float, deals: int) -> HeadToHead:
    """Return a meeting of two bots with these results."""
    return HeadToHead("a", "b", games, points, deals, 0.1, 0.01, 3.0, 1.0, (1, 0, 2, 0, 3))


def test_quantiles_are_exact_to_one_percent() -> None:
    """Of 1, 2, … 10,000, half are below 5,000, and one in a hundred is above 9,900."""
    quantiles = Quantiles()
    for value in range(1, 10_001):
        quantiles.add(value)
    for share in (0.01, 0.25, 0.5, 0.9, 0.99):
        assert quantiles.at(share) == pytest.approx(10_000 * share, rel=0.011)
    assert quantiles.count == 10_000


def test_quantiles_of_nothing_are_unknown_and_zero_counts_as_one() -> None:
    """A move that took no time is in the class of a microsecond."""
    quantiles = Quantiles()
    assert quantiles.at(0.5) is None
    quantiles.add(0)
    assert quantiles.at(0.5) == pytest.approx(1.0, rel=0.011)
    assert quantiles.at(1.0) == quantiles.at(0.5)


def test_quantile_is_of_values_and_not_of_their_classes() -> None:
    """Ninety quick moves and ten slow ones: the 90th of a hundred is quick, the 91st is slow."""
    quantiles = Quantiles()
    for value in [100] * 90 + [5000] * 10:
        quantiles.add(value)
    assert quantiles.at(0.9) == pytest.approx(100, rel=0.011)
    assert quantiles.at(0.91) == pytest.approx(5000, rel=0.011)


def test_difference_is_certain_beyond_the_any_time_bound() -> None:
    """The bound is a number of standard errors; below 30 deals nothing is certain."""
    factor = any_time_factor(500, 0.975)
    (sure, unsure) = (Gap("a", "b", factor * 10 * x, 10.0) for x in (1.01, 0.99))
    assert table(sure).tells(sure)
    assert not table(unsure).tells(unsure)
    few = Gap("a", "b", 1000.0, 1.0)
    assert not table(few, deals=29).tells(few)
    assert table(few, deals=30).tells(few)
    assert not table(few).tells(few._replace(error=None))


def test_bot_on_few_deals_is_not_separated_yet() -> None:
    """It has 29 of the table's 500 deals; with 30 its lead is certain."""
    lead = Gap("bot0", "new", 1000.0, 1.0)
    for deals, certain in ((29, False), (30, True)):
        newcomer = FAIR.rows[0]._replace(bot="new", deals=deals)
        pool = table(lead)._replace(rows=(FAIR.rows[1], newcomer))
        assert pool.tells(lead) == certain
        assert pool.is_separated(0.95) == certain


def test_any_time_bound_is_that_of_the_paper() -> None:
    """At 500 deals and 97.5 %, by its formula, with ρ such that it is tightest there."""
    alpha = 0.025
    lost = -2 * math.log(2 * alpha)
    rho2 = (lost + math.log(lost + 1)) / 500
    inside = 2 * (500 * rho2 + 1) / (500 * rho2)
    width = math.sqrt(inside * math.log(1 + math.sqrt(500 * rho2 + 1) / (2 * alpha)))
    assert any_time_factor(500, 0.975) == pytest.approx(width)
    assert any_time_factor(30, 0.975) > any_time_factor(500, 0.975) < any_time_factor(9000, 0.975)


def first_of_three(second: float, third: float, *, deals: int = 500, bound: str = "") -> Pool:
    """Return three bots `behind` Elo below the first, with errors of 10 Elo for each difference.

    If `bound` is given, the last bot has a bound instead of a rating.
    """
    lines = tuple(
        FAIR.rows[0]._replace(bot=bot, elo=-behind, deals=deals, bound="")
        for bot, behind in (("a", 0.0), ("b", second), ("c", third))
    )
    lines = (*lines[:2], lines[2]._replace(bound=bound))
    # independent, with a variance of 50 each
    covariance = tuple(tuple(50.0 * (i == j) for j in range(3)) for i in range(3))
    return FAIR._replace(rows=lines, covariance=covariance, deals=deals)


def test_best_is_found_if_all_others_are_certainly_behind() -> None:
    """Each of six ordered pairs has a sixth of the error; the others may be in any order."""
    reach = 10 * any_time_factor(500, 1 - 0.05 / 6)
    assert first_of_three(reach + 1, reach + 1).is_best_found(0.95)
    assert not first_of_three(reach - 1, reach + 1).is_best_found(0.95)
    assert not first_of_three(reach + 1, reach - 1).is_best_found(0.95)
    assert not first_of_three(reach + 1, reach + 1).is_best_found(0.99)
    assert not first_of_three(reach + 1, reach + 1, deals=29).is_best_found(0.95)


def test_slightly_better_bots_do_not_count() -> None:
    """Thus even equal bots have a best one: none is better than the first by this much."""
    reach = 10 * any_time_factor(500, 1 - 0.05 / 6)
    assert first_of_three(0, 0).is_best_found(0.95, reach + 1)
    assert not first_of_three(0, 0).is_best_found(0.95, reach - 1)


def test_bot_that_lost_everything_is_behind_after_enough_deals() -> None:
    """Seven deals are as likely as seven heads in a row, which is below a sixth of 5 %."""
    pool = first_of_three(1000, math.nan, bound="<")
    assert pool.is_best_found(0.95)
    for deals, known in ((6, False), (7, True)):
        last = pool.rows[2]._replace(deals=deals)
        assert pool._replace(rows=(*pool.rows[:2], last)).is_best_found(0.95) == known


def test_order_is_certain_if_every_gap_is() -> None:
    """Three bots have six ordered pairs, each with a sixth of the error."""
    factor = any_time_factor(500, 1 - 0.05 / 6)
    wide, narrow = (Gap("a", "b", factor * 10 * x, 10.0) for x in (1.01, 0.99))
    assert table(wide, wide).is_separated(0.95)
    assert not table(wide, narrow).is_separated(0.95)
    assert not table(narrow, wide).is_separated(0.95)
    assert not table(wide, wide, deals=29).is_separated(0.95)
    assert not table(wide, wide).is_separated(0.99)


@pytest.mark.parametrize(
    ("meeting", "certain"),
    [
        (met(12, 12.0, 6), True),  # 2^-6 is below 1 / 40
        (met(10, 10.0, 5), False),  # 2^-5 is not
        (met(12, 11.5, 6), False),  # it did not win every game
        (met(40, 40.0, 5), False),  # all games of a deal are one coin toss
    ],
)
def test_order_without_ratings_needs_enough_coin_tosses(meeting: HeadToHead, certain: bool) -> None:
    """Two bots at 95 % have two ordered pairs, each with a probability of 1 in 40."""
    unknown = Gap("a", "b", math.nan, None)
    assert table(unknown, meetings=(meeting,)).is_separated(0.95) == certain
    assert not table(unknown).is_separated(0.95)


def test_meeting_is_reported_from_either_side() -> None:
    """Points, pairs and margins are reversed, the rest stays; bots that have not met give None."""
    pool = table(Gap("a", "b", 1.0, 1.0), meetings=(met(12, 9.5, 6),))
    ours, theirs = pool.find_meeting("a", "b"), pool.find_meeting("b", "a")
    assert ours == met(12, 9.5, 6)
    assert theirs == met(12, 2.5, 6)._replace(
        first="b", second="a", margin=-3.0, pairs=(3, 0, 2, 0, 1)
    )
    assert pool.find_meeting("a", "c") is None
    unknown = table(Gap("a", "b", 1.0, 1.0), meetings=(met(2, 1.0, 1)._replace(margin=None),))
    turned = unknown.find_meeting("b", "a")
    assert turned is not None
    assert turned.margin is None


def test_gaps_are_those_of_neighbours_with_their_covariance() -> None:
    """Variances 9 and 16 with a covariance of 8 give 25 − 16, an error of 3."""
    covariance = [[9.0, 8.0, 0.0], [8.0, 16.0, 0.0], [0.0, 0.0, 4.0]]
    first, second = gaps(["a", "b", "c"], [30.0, 20.0, None], covariance)
    assert first == Gap("a", "b", 10.0, 3.0)
    assert (second.above, second.below, second.error) == ("b", "c", None)
    assert math.isnan(second.difference)
    (same,) = gaps(["a", "b"], [5.0, 5.0], [[4.0, 4.0], [4.0, 4.0]])
    assert same.error is None


def test_ranks_next_to_a_bound_are_as_wide_as_it_allows() -> None:
    """An unbeaten bot with a low bound may have any rank above it, and surely lowers no other."""
    rated = simulated([0, 300], 60, 2)
    once = pair("new", "bot0", 1.0, 1.0, "x")
    lines = by_bot(standings(None, [*rated, *once]).pools[0])
    assert lines["new"].bound == ">"
    assert tuple(lines["new"].ranks) == (1, 3)
    assert tuple(lines["bot1"].ranks) == (1, 2)
    assert tuple(lines["bot0"].ranks) == (2, 3)


def test_certain_difference_needs_no_more_pairs() -> None:
    """By the any-time rule for two bots, or by that for the whole order, which is stricter."""
    factor, of_order = any_time_factor(500, 0.975), any_time_factor(500, 1 - 0.05 / 6)
    assert factor < of_order
    gap = Gap("a", "b", 10 * (factor + of_order) / 2, 10.0)
    pool = table(gap, gap)
    assert pool.more_pairs(gap) == (0, 0, gap.difference, False)
    more = pool.more_pairs(gap, 0.95)
    assert more is not None
    assert more.of_all > 0
    further = pool.more_pairs(gap, 0.99)
    assert further is not None
    assert further.of_all > more.of_all


def test_two_bots_alone_need_as_many_pairs_as_the_run() -> None:
    """They play all pairs; the design effect determines the information of a pair."""
    pool = only_pool(["bot0", "bot1"], simulated([0, 40], 60, 2))
    (gap,) = pool.gaps
    more = pool.more_pairs(gap)
    assert more is not None
    assert more.of_two == more.of_all > 0


def test_larger_table_needs_fewer_pairs_of_the_two() -> None:
    """Of ten pairings of five bots their own is the most informative; a bound gives no number."""
    pool = only_pool([f"bot{k}" for k in range(5)], simulated([0, 30, 60, 90, 120], 40, 5))
    gap = max(pool.gaps, key=lambda candidate: candidate.difference)
    more = pool.more_pairs(gap)
    assert more is not None
    assert 1.5 * more.of_two < more.of_all
    assert pool.more_pairs(gap._replace(error=None)) is None


def test_likelihoods_follow_from_the_differences() -> None:
    """By hand from ratings and covariance; both directions sum to 1."""
    pool = only_pool(["bot0", "bot1", "bot2"], simulated([0, 40, 80], 60, 4))
    table = pool.likelihoods()
    for i, row in enumerate(pool.rows):
        assert table[i][i] is None
        for j, column in enumerate(pool.rows):
            if i == j:
                continue
            known, other = table[i][j], table[j][i]
            assert known is not None
            assert other is not None
            assert known + other == pytest.approx(1.0)
            c = pool.covariance
            error = math.sqrt(c[i][i] + c[j][j] - 2 * c[i][j])
            assert known == pytest.approx(NormalDist().cdf((row.elo - column.elo) / error))
    assert [table[k][k + 1] for k in (0, 1)] == [line.los for line in pool.rows[:2]]


def test_bots_without_a_rating_have_no_likelihoods() -> None:
    """One that won all its games has a bound; the others are compared with each other."""
    games = [*simulated([0, 40], 60, 4), *pair("best", "bot0", 1.0, 1.0, "x")]
    pool = only_pool(["bot0", "bot1", "best"], games)
    assert pool.rows[0].bot == "best"
    table = pool.likelihoods()
    assert table[0] == [None] * 3
    assert [row[0] for row in table] == [None] * 3
    assert table[1][2] is not None
    one_deal = only_pool(["a", "b"], pair("a", "b", 1.0, 0.0, "x"))
    assert one_deal.likelihoods() == [[None, None], [None, None]]
    (alone, _) = standings(["a", "b"], []).pools
    assert alone.likelihoods() == [[None]]
