"""Intervals: their coverage, their dependence on deals, and values of printed tables."""

import math

import pytest

from benchmarks.intervals import coverage
from pwtourney.ratings import Result
from pwtourney.ratings.uncertainty import chance_below, holm, t_quantile
from pwtourney.standings import Anchor, RatingOptions
from pwtourney.standings.rate import standings
from tests.ratings.games import by_bot, game, only_pool, simulated


@pytest.mark.parametrize("together", [0.0, 250.0])
@pytest.mark.slow
def test_intervals_cover_the_truth_at_their_level(together: float) -> None:
    """Of 400 intervals about 95 % cover it, whether or not the games of a pair are correlated."""
    covered = 0
    for seed in range(200):
        results = simulated([0, 0], 60, seed=seed, together=together)
        for line in only_pool(["bot0", "bot1"], results).rows:
            assert line.plus_minus is not None
            covered += abs(line.elo) <= line.plus_minus
    assert 0.90 <= covered / 400 <= 0.985


def test_few_deals_make_a_rough_interval() -> None:
    """Below 30 deals Student's t is used, and the table is marked as rough."""
    results = simulated([0, 50], 10, seed=1)
    assert only_pool(["bot0", "bot1"], results).rough
    assert not only_pool(["bot0", "bot1"], simulated([0, 50], 30, seed=1)).rough


@pytest.mark.parametrize(
    ("deals", "factor"),
    [
        pytest.param(29, 2.048, id="Student's t with 28 degrees of freedom"),
        pytest.param(30, 1.960, id="the normal distribution"),
    ],
)
def test_intervals_use_the_normal_distribution_from_30_deals(deals: int, factor: float) -> None:
    """Two bots that win half of the pairs each have an error of 1/√29 with 29 and with 30 deals.

    By hand, from the formula in docs/ratings.md: with s = ±1 for a pair that one of them won, 0
    for one that is even, and H = G/2, the variance of the difference is G/(G − 1) Σs² · 4/G².
    With 28 won pairs of 29, and with 30 of 30, that is 4/29, and the error of one bot is half
    its root. The factors are those of the printed tables.
    """
    shares = [1.0, 0.0] * (deals // 2) + [0.5] * (deals % 2)
    results = [
        result
        for deal, share in enumerate(shares)
        for result in (game("a", "b", share, str(deal)), game("b", "a", 1 - share, str(deal)))
    ]
    line = by_bot(only_pool(["a", "b"], results))["a"]
    assert line.plus_minus == pytest.approx(factor / math.sqrt(29) * 400 / math.log(10), rel=0.0003)


def ratio_of_levels(bot: str, results: list[Result], options: RatingOptions) -> float:
    """Return the ratio of an interval's widths at 99 % and 95 %, which reveals its deals."""
    wide, usual = (
        next(
            line.plus_minus
            for pool in standings(None, results, options, level=level).pools
            for line in pool.rows
            if line.bot == bot
        )
        for level in (0.99, 0.95)
    )
    assert wide
    assert usual
    return wide / usual


@pytest.mark.slow
def test_difference_to_an_anchor_uses_the_anchors_deals() -> None:
    """It has played on five of many deals, so t has four degrees of freedom: 4.604 and 2.776."""
    results = simulated([0, 50, 100], 60, seed=1)
    results += [
        result
        for k in range(5)
        for result in (game("held", "bot0", k % 2, f"h{k}"), game("bot0", "held", 0.5, f"h{k}"))
    ]
    held = RatingOptions((Anchor("held", 0.0),))
    assert ratio_of_levels("bot1", results, held) == pytest.approx(4.604 / 2.776, rel=0.001)
    assert ratio_of_levels("bot1", results, RatingOptions()) == pytest.approx(
        2.5758 / 1.95996, rel=0.001
    )


@pytest.mark.slow
def test_deals_against_unrated_bots_do_not_count_for_intervals() -> None:
    """Six deals against rated bots, forty against one that always loses: five degrees of freedom.

    Student's t is then 4.032 and 2.571.
    """
    results = simulated([0, 50, 100], 60, seed=1)
    for k in range(6):
        results += [
            game("new", f"bot{k % 3}", k % 2, f"n{k}"),
            game(f"bot{k % 3}", "new", 0.5, f"n{k}"),
        ]
    for k in range(40):
        results += [game("new", "loser", 1.0, f"l{k}"), game("loser", "new", 0.0, f"l{k}")]
    lines = by_bot(standings(None, results).pools[0])
    assert (lines["loser"].bound, lines["new"].bound) == ("<", "")
    assert (lines["new"].tally.deals, lines["new"].deals) == (46, 6)
    assert ratio_of_levels("new", results, RatingOptions()) == pytest.approx(
        4.032 / 2.571, rel=0.001
    )


def test_deals_with_equal_results_give_no_certainty() -> None:
    """Forty shared deals with one outcome have no variance, so all errors are unknown."""
    results = [
        game(*order, points, f"{k}")
        for k in range(40)
        for order, points in (
            (("a", "b"), 1.0),
            (("b", "a"), 0.0),
            (("a", "b"), 1.0),
            (("b", "a"), 1.0),
        )
    ]
    pool = only_pool(["a", "b"], results)
    assert pool.rows[0].elo > pool.rows[1].elo
    assert [line.plus_minus for line in pool.rows] == [None, None]
    assert pool.rows[0].los is None
    assert pool.likelihoods() == [[None, None], [None, None]]
    assert pool.gaps[0].error is None
    assert not pool.is_separated(0.95)


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.6])
@pytest.mark.slow
def test_intervals_have_the_coverage_of_the_benchmark(rho: float) -> None:
    """A short run of the benchmark: 95 % of 600 intervals, within four standard errors."""
    assert coverage(rho, 100, seed=5) == pytest.approx(0.95, abs=0.036)


@pytest.mark.slow
def test_design_effect_shows_the_correlation_of_pairs() -> None:
    """If both games of a pair go the same way, ratings are less certain."""
    bots = [f"bot{k}" for k in range(3)]
    apart = standings(bots, simulated([0, 50, 100], 200, 3)).pools[0].design_effect
    alike = standings(bots, simulated([0, 50, 100], 200, 3, together=500)).pools[0].design_effect
    assert apart == pytest.approx(1.0, abs=0.2)
    assert alike is not None
    assert alike > 1.3


@pytest.mark.parametrize(
    ("freedom", "value"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (10, 2.228), (28, 2.048), (29, 2.045)],
)
def test_student_quantiles_equal_printed_tables(freedom: int, value: float) -> None:
    """The two-sided 95 % points."""
    assert t_quantile(0.975, freedom) == pytest.approx(value, abs=0.0006)


@pytest.mark.parametrize(
    ("deals", "score"), [(2, 12.706), (5, 2.776), (10, 2.262), (29, 2.048), (30, 1.96), (999, 1.96)]
)
def test_probability_of_a_score_uses_its_number_of_deals(deals: int, score: float) -> None:
    """The two-sided 95 % points of the printed tables, on both sides; one deal gives 50 %."""
    assert chance_below(score, deals) == pytest.approx(0.975, abs=1e-4)
    assert chance_below(-score, deals) == pytest.approx(0.025, abs=1e-4)
    assert chance_below(0.0, deals) == pytest.approx(0.5)
    assert chance_below(score, 1) == chance_below(score, 0) == 0.5


def test_holm_correction_follows_its_rule() -> None:
    """By hand: 0.01·3, 0.02·2, 0.04·1, and none smaller than the one before."""
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
