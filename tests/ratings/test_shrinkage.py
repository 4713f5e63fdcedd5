"""Likelihoods of superiority by the spread of a table."""

import numpy as np
import pytest

from pwtourney.ratings.order import likelihoods
from pwtourney.ratings.shrinkage import shrink

RATINGS = np.array([22.0, 9.0, 3.0, -4.0, -27.0])
ERRORS = np.array([14.0, 11.0, 13.0, 16.0, 12.0])
MANY = 1000
"""A number of deals from which errors are well known."""


def test_shrunk_likelihoods_agree_with_draws() -> None:
    """Five bots: strengths drawn from all spreads, weighted by how well they explain the ratings.

    Only differences are compared, because the mean is free. A million draws have an error
    of about 0.3 %.
    """
    shrunk = shrink(RATINGS, np.diag(ERRORS**2), MANY)
    assert shrunk is not None
    stream = np.random.default_rng(5)
    number = 1_000_000
    spreads = stream.random(number) * 200.0
    strengths = spreads[:, None] * stream.standard_normal((number, 5))
    # the mean of all strengths is free: what is seen of them are four differences to the last
    contrast = np.hstack([np.eye(4), -np.ones((4, 1))])
    left = (RATINGS - strengths) @ contrast.T
    inverse = np.linalg.inv(contrast @ np.diag(ERRORS**2) @ contrast.T)
    weights = np.exp(-0.5 * np.einsum("ki,ij,kj->k", left, inverse, left))
    ahead = strengths[:, :-1] > strengths[:, 1:]
    expected = (weights[:, None] * ahead).sum(axis=0) / weights.sum()
    assert shrunk.los == pytest.approx(expected.tolist(), abs=0.01)
    smaller = weights[spreads < shrunk.spread].sum() / weights.sum()
    assert smaller == pytest.approx(0.5, abs=0.02)


def test_exact_differences_are_kept() -> None:
    """Between two fixed bots, 100 Elo apart, are others: as if they were fixed to 0.01 Elo."""
    ratings = np.array([100.0, 60.0, 40.0, 20.0, 0.0])
    exact, nearly = (
        shrink(ratings, np.diag([e, 400.0, 400.0, 400.0, e]), MANY) for e in (0.0, 1e-4)
    )
    assert exact is not None
    assert nearly is not None
    assert exact.los == pytest.approx(nearly.los, abs=1e-3)
    equal = shrink(
        np.array([50.0, 50.0, 20.0, 10.0, 0.0]), np.diag([0.0, 0.0, 400.0, 400.0, 400.0]), MANY
    )
    assert equal is not None
    assert equal.los[0] == pytest.approx(0.5)


def test_bots_far_apart_keep_their_likelihoods() -> None:
    """With a spread of 800 Elo and errors of 10, the table's spread says nothing more."""
    ratings, covariance = np.array([800.0, 785.0, 0.0, -790.0, -800.0]), np.diag([100.0] * 5)
    shrunk = shrink(ratings, covariance, MANY)
    assert shrunk is not None
    plain = np.diag(likelihoods(ratings, covariance, [100] * 5), 1)
    assert shrunk.los == pytest.approx(plain.tolist(), abs=0.002)


def test_equal_ratings_are_even() -> None:
    """Without a difference, either is stronger with ½."""
    shrunk = shrink(np.zeros(5), np.diag([100.0] * 5), MANY)
    assert shrunk is not None
    assert shrunk.los == pytest.approx([0.5] * 4)
    assert shrunk.spread < 10


def test_one_weak_bot_does_not_hide_that_the_others_are_close() -> None:
    """Seven bots around 0 and one at −500: the likelihoods are those without it."""
    close = np.array([18.0, 12.0, 6.0, 0.0, -5.0, -11.0, -20.0])
    covariance = np.diag([144.0] * 8)
    whole = shrink(np.array([*close, -500.0]), covariance, MANY)
    alone = shrink(close, covariance[:7, :7], MANY)
    assert whole is not None
    assert alone is not None
    assert whole.los == (*alone.los, None)
    assert whole.spread == alone.spread
    strong = shrink(np.array([500.0, *close]), covariance, MANY)
    assert strong is not None
    assert strong.los == (None, *alone.los)


def test_too_few_bots_or_deals_or_unknown_errors_have_no_spread() -> None:
    """Four bots do not show how differences are spread; three deals for each bot are needed."""
    covariance = np.diag(ERRORS**2)
    assert shrink(RATINGS[:4], covariance[:4, :4], MANY) is None
    assert shrink(RATINGS, covariance, 29) is None
    assert shrink(RATINGS, covariance, 30) is not None
    assert shrink(np.arange(20.0, 0, -1), np.diag([100.0] * 20), 59) is None
    assert shrink(np.arange(20.0, 0, -1), np.diag([100.0] * 20), 60) is not None
    assert shrink(RATINGS, np.full((5, 5), np.nan), MANY) is None
    assert shrink(RATINGS, np.zeros((5, 5)), MANY) is None
