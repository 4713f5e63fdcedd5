"""Counts for each bot and each pairing, by hand and against scipy."""

import math
import random

import pytest

from pwtourney.ratings import Result
from pwtourney.ratings.uncertainty import PairSaving
from pwtourney.standings.rate import standings
from tests.ratings.games import by_bot, only_pool, pair, simulated

BOTS = ["bot0", "bot1", "bot2"]


def test_counts_of_games() -> None:
    """Wins, seats and margins, counted by hand for three games."""
    results = [
        Result("a", "b", 1.0, "1", 10),
        Result("b", "a", 1.0, "1", 4),
        Result("a", "b", 0.0, "2"),
        Result("a", "b", None, "3"),
    ]
    line = by_bot(only_pool(["a", "b"], results))["a"]
    tally = line.tally
    assert (tally.wins, tally.losses, tally.game_count, tally.voids) == (1, 2, 3, 1)
    assert (tally.share(), tally.share(0), tally.share(1)) == (1 / 3, 0.5, 0.0)
    assert line.margin is not None
    assert (line.margin.mean, line.margin.median, line.margin.games) == (3, 3, 2)
    assert (tally.deals, tally.pairs) == (2, (0, 1, 0))


def test_pairs_of_two_bots_are_counted_by_their_points() -> None:
    """Each number of points has a pair of a and b, 2 points have two, and a lone game is none."""
    points = [(0.0, 0.0), (0.0, 0.5), (0.0, 1.0), (1.0, 0.5), (1.0, 1.0), (1.0, 1.0)]
    games = [g for k, scores in enumerate(points) for g in pair("a", "b", *scores, str(k))]
    games += [*pair("b", "c", 1.0, 1.0, "x"), Result("a", "b", 1.0, "y", pair="single")]
    met = {
        (meeting.first, meeting.second): meeting.pairs
        for meeting in only_pool(list("abc"), games).meetings
    }
    assert met == {("a", "b"): (1, 1, 1, 1, 2), ("b", "c"): (0, 0, 0, 0, 1)}


def test_games_from_the_same_seats_are_not_a_mirrored_pair() -> None:
    """A table of another program may call them a pair, but the seats were not swapped."""
    games = [Result("a", "b", 1.0, str(k), pair=str(k // 2)) for k in range(8)]
    games += [Result("b", "a", 1.0, "x", pair="m"), Result("a", "b", 1.0, "x", pair="m")]
    pool = only_pool(["a", "b"], games)
    assert pool.meetings[0].pairs == (0, 0, 1, 0, 0)
    assert by_bot(pool)["a"].tally.pairs == (0, 1, 0)


@pytest.mark.slow
def test_massey_interval_uses_the_bots_own_deals() -> None:
    """A bot on four of many deals has Student's t with three degrees of freedom, 3.182."""
    stream = random.Random(8)

    def margin(result: Result) -> Result:
        return result._replace(margin=stream.randrange(1, 30) * (1 if result.points else -1))

    games = [margin(result) for k in range(40) for result in pair("a", "b", 1.0, k % 2, f"o{k}")]
    games += [
        margin(result) for k in range(4) for result in pair("new", "ab"[k % 2], 1.0, 0.0, f"n{k}")
    ]
    lines = by_bot(only_pool(["a", "b", "new"], games))
    widths = {}
    for level in (0.95, 0.99):
        (pool,) = standings(None, games, level=level).pools
        massey = by_bot(pool)["new"].massey
        assert massey is not None
        widths[level] = massey.plus_minus or 0.0
    assert widths[0.99] / widths[0.95] == pytest.approx(5.841 / 3.182, rel=0.001)
    old = lines["a"].massey
    assert old is not None
    assert (old.plus_minus or 0.0) > 0


def test_saving_of_pairs_is_unknown_for_distant_bots() -> None:
    """Of sixty pairs only two have a lost game and are informative, too few for an error."""
    lopsided = [g for k in range(60) for g in pair("a", "b", 1.0, float(k > 1), str(k))]
    saved = only_pool(["a", "b"], lopsided).saved
    assert saved is not None
    assert saved.informative < 30
    assert saved.plus_minus is None
    even = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)] * 20
    known = only_pool(
        ["a", "b"], [g for k, scores in enumerate(even) for g in pair("a", "b", *scores, str(k))]
    ).saved
    assert known is not None
    # every pair is ±¼ from its expectation, so all eighty have equal weight
    assert known.informative == pytest.approx(80)
    assert known.plus_minus is not None


def test_all_intervals_have_the_width_of_their_level() -> None:
    """Intervals of 99 % are 3.250 / 2.262 times as wide as those of 95 %, with ten deals.

    These are Student's t with nine degrees of freedom, from the published tables.
    """
    stream = random.Random(4)
    games = [
        result._replace(margin=stream.randrange(1, 40) * (1 if result.points else -1))
        for k in range(10)
        for result in pair("a", "b", *stream.choice([(1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]), str(k))
    ]
    (usual,), (strict,) = (standings(None, games, level=level).pools for level in (0.95, 0.99))
    widths = [
        (
            pool.seat_plus_minus,
            pool.meetings[0].margin_plus_minus,
            *(
                number and number.plus_minus
                for line in pool.rows
                for number in (line, line.margin, line.massey, line.seat)
            ),
        )
        for pool in (usual, strict)
    ]
    assert len(widths[0]) == 2 + 2 * 4
    for narrow, wide in zip(*widths, strict=True):
        assert narrow
        assert wide
        assert wide / narrow == pytest.approx(3.250 / 2.262, rel=0.001)


def test_advantage_of_a_seat_equals_a_hand_count() -> None:
    """Of four pairs the first seat wins both games in two, each bot one in two: half a point."""
    games = [g for k in (0, 1) for g in pair("a", "b", 1.0, 0.0, str(k))]
    games += pair("a", "b", 1.0, 1.0, "2") + pair("a", "b", 0.0, 0.0, "3")
    lines = standings(None, games).pools[0].rows
    for line in lines:
        assert line.seat is not None
        assert (line.seat.pairs, line.seat.mean) == (4, 0.5)
        # values 1, 1, 0, 0: variance of the mean 1/3 / 4, t(3) = 3.182
        assert line.seat.plus_minus == pytest.approx(3.1824 * math.sqrt(1 / 12), rel=1e-4)


def saved_by(outcomes: list[tuple[float, float]]) -> PairSaving:
    """Return the saving of pairs of two bots, given one bot's points in both games."""
    games = [
        g
        for k, (first, second) in enumerate(outcomes)
        for g in pair("a", "b", first, second, str(k))
    ]
    saved = only_pool(["a", "b"], games).saved
    assert saved is not None
    return saved


def test_mirrored_pairs_save_what_the_deal_decides() -> None:
    """If all pairs are split, they save everything; if both games are alike, they cost as much."""
    assert saved_by([(k % 2, 1 - k % 2) for k in range(50)]).share == pytest.approx(1.0)
    assert saved_by([(k % 2, k % 2) for k in range(50)]).share == pytest.approx(-1.0)


def test_saving_of_pairs_equals_a_computation_by_hand() -> None:
    """Points 10, 01, 11, 10 with means ¾, ½: the covariance is −½, the variances sum to 7/4.

    The variance of a pair is 7/4 + 2 · (−½) = 3/4, which is 4/7 less.
    """
    assert saved_by([(1, 0), (0, 1), (1, 1), (1, 0)]).share == pytest.approx(4 / 7)


@pytest.mark.slow
def test_seat_advantage_does_not_count_as_saving() -> None:
    """With +200 Elo for the first seat and independent games, nothing is saved."""
    saved = only_pool(["bot0", "bot1"], simulated([0, 50], 3000, 2, seat=200)).saved
    assert saved is not None
    assert saved.plus_minus is not None
    assert saved.share == pytest.approx(0.0, abs=1.5 * saved.plus_minus)
    assert saved.plus_minus < 0.05


@pytest.mark.slow
def test_interval_of_the_saving_covers_the_truth() -> None:
    """If deals favour no bot, the saving is 0: about 19 of 20 intervals contain it."""
    held = [
        abs(saved.share) <= saved.plus_minus
        for seed in range(60)
        if (saved := only_pool(BOTS, simulated([0, 50, 100], 20, seed)).saved)
        and saved.plus_minus is not None
    ]
    assert len(held) == 60
    assert sum(held) >= 51


def test_saving_is_unknown_without_variance_or_mirrored_pairs() -> None:
    """Pairs that one bot always won, single games, and pairs with the same seats twice."""
    assert only_pool(["a", "b"], [g for k in "12" for g in pair("a", "b", 1, 1, k)]).saved is None
    single = [Result("a", "b", float(k % 2), str(k), pair=str(k)) for k in range(9)]
    assert only_pool(["a", "b"], single).saved is None
    unswapped = [
        Result("a", "b", float(k % 3 > 0), str(k), pair=str(k)) for k in range(9) for _ in (1, 2)
    ]
    assert only_pool(["a", "b"], unswapped).saved is None


@pytest.mark.slow
def test_pairing_is_tested_by_a_t_test_of_its_deals() -> None:
    """With 20 deals, p is the larger of scipy's t and sign tests; without variance, coin tosses."""
    from scipy.stats import binomtest, ttest_1samp  # imported here because that takes a second

    rng = random.Random(3)
    outcomes = [(float(rng.random() < 0.7), float(rng.random() < 0.7)) for _ in range(20)]
    games = [g for k, (x, y) in enumerate(outcomes) for g in pair("a", "b", x, y, str(k))]
    (met,) = standings(None, games).pools[0].meetings
    totals = [x + y for x, y in outcomes]
    by_coins = binomtest(totals.count(2.0), totals.count(2.0) + totals.count(0.0)).pvalue
    expected = max(ttest_1samp(totals, 1.0).pvalue, by_coins)
    assert (met.first, met.second, met.games, met.deals) == ("a", "b", 40, 20)
    assert met.points == sum(x + y for x, y in outcomes)
    assert met.p == pytest.approx(expected, rel=1e-9)
    won = [g for k in range(6) for g in pair("a", "b", 1.0, 1.0, str(k))]
    assert standings(None, won).pools[0].meetings[0].p == 2 * 0.5**6
    split = [g for k in range(6) for g in pair("a", "b", 1.0, 0.0, str(k))]
    assert standings(None, split).pools[0].meetings[0].p == 1.0


def test_matrix_is_corrected_for_the_number_of_pairings() -> None:
    """Of three pairings the smallest p is multiplied by three (Holm)."""
    games = [g for k in range(9) for g in pair("a", "b", 1.0, 1.0, f"ab{k}")]
    games += [g for k in range(9) for g in pair("b", "c", 1.0, 0.0, f"bc{k}")]
    games += [g for k in range(9) for g in pair("a", "c", 1.0, 0.0, f"ac{k}")]
    chances = {(m.first, m.second): m.p for m in standings(None, games).pools[0].meetings}
    assert chances["a", "b"] == pytest.approx(3 * 2 * 0.5**9)
    assert chances["b", "c"] == 1.0
