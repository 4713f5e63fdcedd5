"""Given ratings, several or loose ones: against a fit of the same likelihood by scipy."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.optimize import minimize

from pwtourney.ratings import Result
from pwtourney.ratings.anchors import Anchor, read_anchors, store_anchors
from pwtourney.ratings.bradley_terry import Floats
from pwtourney.report.text.rows import table_notes
from pwtourney.standings import Pool, RatingOptions
from pwtourney.standings.rate import standings
from tests.ratings.games import by_bot, game, pair, simulated

K = math.log(10) / 400
ELOS = (0.0, 60.0, 120.0, 250.0)


def rated(results: Sequence[Result], *anchors: Anchor) -> Pool:
    """Return the single table of these games."""
    (pool,) = standings(None, results, RatingOptions(anchors), test_fit=False).pools
    return pool


class Likelihood:
    """The log-likelihood of games by deal, as a loop over them, with the penalty of anchors.

    The unknowns are the ratings in Elo of the bots without an exact anchor, and the value of the
    first seat.
    """

    def __init__(self, results: Sequence[Result], anchors: Sequence[Anchor]) -> None:
        self.results, self.anchors = results, anchors
        self.fixed = {anchor.bot: anchor.elo for anchor in anchors if not anchor.error}
        bots = {bot for result in results for bot in (result.first, result.second)}
        self.bots = sorted(bots - self.fixed.keys())
        self.deals = sorted({result.deal for result in results})

    def by_deal(self, values: Floats) -> Floats:
        """Return the log-likelihood of each deal, without the penalty."""
        elos = self.fixed | dict(zip(self.bots, values, strict=False))
        sums = dict.fromkeys(self.deals, 0.0)
        for result in self.results:
            lead = K * (elos[result.first] - elos[result.second] + values[-1])
            assert result.points is not None
            for points, sign in ((result.points, 1), (1 - result.points, -1)):
                sums[result.deal] -= points * math.log1p(math.exp(-sign * lead))
        return np.array([*sums.values()])

    def penalised(self, values: Floats) -> float:
        """Return the log-likelihood of all games with the penalty of loose anchors."""
        elos = dict(zip(self.bots, values, strict=False))
        loose = [anchor for anchor in self.anchors if anchor.error]
        penalty = sum(((elos[given.bot] - given.elo) / given.error) ** 2 / 2 for given in loose)
        return float(self.by_deal(values).sum() - penalty)

    def maximise(self) -> Floats:
        """Return the ratings and the value of the first seat at the maximum, by BFGS."""
        start = np.full(len(self.bots) + 1, np.mean([anchor.elo for anchor in self.anchors]))
        start[-1] = 0.0
        done = minimize(lambda values: -self.penalised(values), start, tol=1e-9)
        return np.asarray(done.x, np.float64)

    def covariance(self, values: Floats) -> Floats:
        """Return H⁻¹ (B + P) H⁻¹ with derivatives by differences, in Elo².

        H is minus the second derivative with the penalty, P that of the penalty, and B is
        G/(G − 1) Σ (s − s̄)(s − s̄)ᵀ over the G deals.
        """
        step, size = 0.5, len(values)
        shifts = step * np.eye(size)
        scores = np.array(
            [(self.by_deal(values + e) - self.by_deal(values - e)) / (2 * step) for e in shifts]
        ).T
        hessian = np.array(
            [
                [
                    sum(
                        a * b * self.penalised(values + a * e + b * f)
                        for a in (1, -1)
                        for b in (1, -1)
                    )
                    for f in shifts
                ]
                for e in shifts
            ]
        ) / (-4 * step**2)
        count = len(self.deals)
        around = scores - scores.mean(axis=0)
        spread = around.T @ around * count / (count - 1)
        for anchor in self.anchors:
            if anchor.error:
                place = self.bots.index(anchor.bot)
                spread[place, place] += anchor.error**-2
        inverse = np.linalg.inv(hessian)
        return np.asarray(inverse @ spread @ inverse, np.float64)


@pytest.mark.slow(3)
@pytest.mark.parametrize(
    "anchors",
    [
        (Anchor("bot0", 1000.0), Anchor("bot3", 1200.0)),
        (Anchor("bot0", 1000.0, 25.0), Anchor("bot3", 1200.0, 40.0)),
        (Anchor("bot1", 1000.0, 50.0),),
        (Anchor("bot2", -100.0), Anchor("bot1", 50.0), Anchor("bot0", 30.0, 10.0)),
    ],
)
def test_ratings_and_errors_are_those_of_an_independent_fit(anchors: tuple[Anchor, ...]) -> None:
    """By scipy and by derivatives from differences; the given ratings disagree with the games."""
    results = simulated(ELOS, 25, seed=3, seat=40.0, together=80.0)
    likelihood = Likelihood(results, anchors)
    values = likelihood.maximise()
    covariance = likelihood.covariance(values)
    pool = rated(results, *anchors)
    rows, order = by_bot(pool), [row.bot for row in pool.rows]
    assert pool.seat_elo == pytest.approx(values[-1], abs=0.01)
    for place, bot in enumerate(likelihood.bots):
        assert rows[bot].elo == pytest.approx(values[place], abs=0.01)
        for other, another in enumerate(likelihood.bots):
            ours = pool.covariance[order.index(bot)][order.index(another)]
            assert ours == pytest.approx(covariance[place, other], rel=0.002, abs=0.02)
    for bot, elo in likelihood.fixed.items():
        assert rows[bot].elo == pytest.approx(elo)
        assert rows[bot].plus_minus is None
    assert {anchor.bot for anchor in pool.anchors} == {anchor.bot for anchor in anchors}


@pytest.mark.slow
def test_tight_and_wide_errors_are_the_limits_of_loose_anchors() -> None:
    """An error of 0.01 Elo fixes a rating; of two anchors, one known to ±100,000 has no effect."""
    results = simulated(ELOS, 25, seed=4)
    first, last = Anchor("bot0", 0.0), Anchor("bot3", 500.0)
    for loose, exact in (
        (last._replace(error=0.01), (first, last)),
        (last._replace(error=1e5), (first,)),
    ):
        seen, expected = by_bot(rated(results, first, loose)), by_bot(rated(results, *exact))
        for bot in ("bot1", "bot2"):
            assert seen[bot].elo == pytest.approx(expected[bot].elo, abs=0.05)
            assert seen[bot].plus_minus == pytest.approx(expected[bot].plus_minus, abs=0.05)


@pytest.mark.slow
def test_single_loose_anchor_adds_its_error_to_all_ratings() -> None:
    """Nothing pulls it away, so all variances are those of the exact anchor plus 30²."""
    results = simulated(ELOS, 25, seed=5)
    exact = rated(results, Anchor("bot1", 100.0))
    loose = rated(results, Anchor("bot1", 100.0, 30.0))
    assert [row.elo for row in loose.rows] == pytest.approx([row.elo for row in exact.rows])
    added = np.array(loose.covariance) - np.array(exact.covariance)
    assert added == pytest.approx(np.full((4, 4), 900.0))
    assert [row.los for row in loose.rows] == pytest.approx([row.los for row in exact.rows])
    assert (exact.anchor, loose.anchor) == ("bot1", None)


def test_anchors_compare_bots_that_have_not_met() -> None:
    """Each of two pools has an anchor, so both are one table; without anchors they are two."""
    near, far = simulated((0, 50), 30, 6), simulated((0, 0, 300, 400), 30, 7)
    games = near + [g for g in far if {g.first, g.second} == {"bot2", "bot3"}]
    assert len(standings(None, games).pools) == 2
    pool = rated(games, Anchor("bot0", 0.0), Anchor("bot2", 300.0))
    alone = by_bot(rated(near, Anchor("bot0", 0.0)))["bot1"]
    seen = by_bot(pool)
    assert seen["bot1"].elo == pytest.approx(alone.elo, abs=5)  # the seat's value is shared
    assert (seen["bot0"].elo, seen["bot2"].elo) == pytest.approx((0.0, 300.0))
    assert not any(row.bound for row in pool.rows)


def test_loose_anchor_rates_a_bot_that_lost_every_game() -> None:
    """Without it, the table has a bound only; a bot with an anchor has a rating and an error."""
    games = simulated((0, 50), 30, 8)
    games += [g for k in range(9) for g in pair("bot0", "low", 1.0, 1.0, f"low {k}")]
    fixed, loose = Anchor("bot0", 0.0), Anchor("low", -200.0, 150.0)
    assert by_bot(rated(games, fixed))["low"].bound == "<"
    row = by_bot(rated(games, fixed, loose))["low"]
    assert (row.bound, row.plus_minus is None) == ("", False)
    assert -700 < row.elo < -200


def test_order_of_fixed_ratings_is_given() -> None:
    """Between two of them, no rank is in doubt and there is no LOS: no game tells it.

    By its games alone, bot1 would be the first; bot2 is far behind both.
    """
    pool = rated(simulated((0, 0, -300), 40, 2), Anchor("bot0", 20.0), Anchor("bot1", 0.0))
    first, second, last = pool.rows
    assert [row.bot for row in pool.rows] == ["bot0", "bot1", "bot2"]
    assert [row.ranks for row in pool.rows] == [(1, 1), (2, 2), (3, 3)]
    assert (first.los, last.los) == (None, None)
    assert second.los is not None
    assert second.los > 0.99
    upper, middle, lower = pool.likelihoods()
    assert (upper[1], middle[0]) == (None, None)
    assert None not in (upper[2], middle[2], *lower[:2])
    assert pool.is_separated(0.95)
    assert pool.is_best_found(0.95)


def test_anchors_that_have_not_played_are_named() -> None:
    """The first of them is, though another fixes the scale."""
    games = simulated((0, 50), 10, 1)
    options = RatingOptions((Anchor("bot0", 5.0), Anchor("nobody", 0.0), Anchor("none", 1.0)))
    table = standings(["bot0", "bot1", "nobody"], games, options)
    assert table.unanchored == "nobody"
    assert table.pools[0].anchors == (Anchor("bot0", 5.0),)
    assert "The anchor nobody has no rating" in table_notes(table)


def test_games_of_one_deal_give_no_errors() -> None:
    """The spread between deals is unknown, also with several anchors."""
    games = [game("a", "b", 1.0), game("b", "a", 1.0), game("c", "b", 1.0), game("b", "c", 1.0)]
    pool = rated(games, Anchor("a", 0.0), Anchor("b", 0.0, 10.0))
    assert all(row.plus_minus is None for row in pool.rows)


def test_stored_anchors_are_read_as_they_were() -> None:
    """One exact anchor is stored as before there were several."""
    for anchors, stored in (
        ((), None),
        ((Anchor("a", 5.0),), ["a", 5.0]),
        ((Anchor("a", 5.0, 2.0),), [["a", 5.0, 2.0]]),
        ((Anchor("a", 5.0), Anchor("b", 1.0)), [["a", 5.0, 0.0], ["b", 1.0, 0.0]]),
    ):
        assert store_anchors(anchors) == stored
        assert read_anchors(stored) == anchors
