"""Likelihoods of superiority by the spread of a table."""

import numpy as np
import pytest

from pwtourney.ratings.order import likelihoods
from pwtourney.ratings.shrinkage import shrink

RATINGS = np.array([22.0, 9.0, -4.0, -27.0])
ERRORS = np.array([14.0, 11.0, 16.0, 12.0])


def test_shrunk_likelihoods_agree_with_draws() -> None:
    """Four bots: strengths drawn from all spreads, weighted by how well they explain the ratings.

    Only differences are compared, because the mean is free. A million draws have an error
    of about 0.3 %.
    """
    shrunk = shrink(RATINGS, np.diag(ERRORS**2))
    assert shrunk is not None
    stream = np.random.default_rng(5)
    number = 1_000_000
    spreads = stream.random(number) * 200.0
    strengths = spreads[:, None] * stream.standard_normal((number, 4))
    # the mean of all strengths is free: what is seen of them are three differences to the last
    contrast = np.hstack([np.eye(3), -np.ones((3, 1))])
    left = (RATINGS - strengths) @ contrast.T
    inverse = np.linalg.inv(contrast @ np.diag(ERRORS**2) @ contrast.T)
    weights = np.exp(-0.5 * np.einsum("ki,ij,kj->k", left, inverse, left))
    ahead = strengths[:, :-1] > strengths[:, 1:]
    expected = (weights[:, None] * ahead).sum(axis=0) / weights.sum()
    assert shrunk.los == pytest.approx(expected.tolist(), abs=0.01)
    smaller = weights[spreads < shrunk.spread].sum() / weights.sum()
    assert smaller == pytest.approx(0.5, abs=0.02)


def test_exact_differences_are_kept() -> None:
    """Between two fixed bots, 100 Elo apart, is another: as if they were fixed to 0.01 Elo."""
    ratings = np.array([100.0, 60.0, 0.0])
    exact, nearly = (shrink(ratings, np.diag([e, 400.0, e])) for e in (0.0, 1e-4))
    assert exact is not None
    assert nearly is not None
    assert exact.los == pytest.approx(nearly.los, abs=1e-3)
    assert exact.los[0] > 0.9, "the spread is large, so two standard errors count"
    equal = shrink(np.array([50.0, 50.0, 0.0]), np.diag([0.0, 0.0, 400.0]))
    assert equal is not None
    assert equal.los[0] == pytest.approx(0.5)


def test_bots_far_apart_keep_their_likelihoods() -> None:
    """With a spread of 800 Elo and errors of 10, the table's spread says nothing more."""
    ratings, covariance = np.array([800.0, 785.0, -790.0, -800.0]), np.diag([100.0] * 4)
    shrunk = shrink(ratings, covariance)
    assert shrunk is not None
    plain = np.diag(likelihoods(ratings, covariance, [100] * 4), 1)
    assert shrunk.los == pytest.approx(plain.tolist(), abs=0.002)


def test_equal_ratings_are_even() -> None:
    """Without a difference, either is stronger with ½."""
    shrunk = shrink(np.zeros(5), np.diag([100.0] * 5))
    assert shrunk is not None
    assert shrunk.los == pytest.approx([0.5] * 4)
    assert shrunk.spread < 10


def test_too_few_bots_or_unknown_errors_have_no_spread() -> None:
    """Two bots have one difference, which does not show how differences are spread."""
    assert shrink(RATINGS[:2], np.diag(ERRORS[:2] ** 2)) is None
    assert shrink(RATINGS, np.full((4, 4), np.nan)) is None
    assert shrink(RATINGS, np.zeros((4, 4))) is None
