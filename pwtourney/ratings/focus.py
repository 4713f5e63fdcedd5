"""Which pairs say most about who is best."""

from collections.abc import Iterable, Sequence

import numpy as np

from pwtourney.ratings.bradley_terry import (
    Floats,
    count_results,
    fit,
    inverse_information,
    probability,
)
from pwtourney.ratings.covariance import clustered_covariance
from pwtourney.ratings.existence import seat_term_exists
from pwtourney.ratings.games import Result
from pwtourney.ratings.order import squared_differences

__all__ = ["most_telling"]

_PRIOR = 1.0
"""Virtual games a bot, so that there are ratings after the first few pairs."""

_LITTLE = 0.05
"""A clustered variance of so much less than that of independent games says nothing yet."""

_DIGITS = 9
"""Gains are compared to so many digits: another machine must choose the same pairs."""


def most_telling(
    bots: Sequence[str], played: Iterable[Result], pairs: int
) -> list[tuple[str, str]]:
    """Return the pairs to play next, most telling first.

    Each is chosen as if those before it had been played: a pair between i and j with information w
    takes (c·V·x)² w / (1 + w x·V·x) off the variance of a contrast c, x being i − j and V the
    covariance; that is the rank-one update of an inverse (Sherman and Morrison, 1950).
    """
    counts = count_results(bots, played)
    fitted = fit(counts, seat_term=seat_term_exists(counts), prior=_PRIOR)
    n = len(bots)
    clustered = clustered_covariance(counts, fitted)
    independent = inverse_information(fitted)
    known = np.isfinite(clustered).all() and np.trace(clustered) > _LITTLE * np.trace(independent)
    covariance = (clustered if known else independent)[:n, :n]
    contrasts, weights = _contrasts(fitted.theta, covariance)
    chance = probability(fitted.theta[:, None] - fitted.theta[None, :])
    # a pair is two games with p(1 − p) each; the seat moves one up and the other down
    information = 2 * chance * chance.T
    chosen = []
    for _ in range(pairs):
        i, j = _choose_pair(covariance, contrasts, weights, information)
        towards = covariance[:, i] - covariance[:, j]
        spread = 1 + information[i, j] * (towards[i] - towards[j])
        # as if it had been played: else every pair of the wave would be the same
        covariance = covariance - np.outer(towards, towards) * information[i, j] / spread
        chosen.append((bots[i], bots[j]))
    return chosen


def _contrasts(theta: Floats, covariance: Floats) -> tuple[Floats, Floats]:
    """Return (best − k) for every other bot, and how much each matters."""
    n = len(theta)
    best = int(np.argmax(np.round(theta, _DIGITS)))
    others = [k for k in range(n) if k != best]
    contrasts = np.zeros((n - 1, n))
    contrasts[:, best] = 1
    contrasts[np.arange(n - 1), others] = -1
    variance = np.einsum("ci,ij,cj->c", contrasts, covariance, contrasts)
    behind = theta[best] - theta[others]
    z_squared = behind**2 / np.maximum(variance, np.finfo(float).tiny)
    return contrasts, np.exp(-np.minimum(z_squared, 1000.0) / 2)


def _choose_pair(
    covariance: Floats, contrasts: Floats, weights: Floats, information: Floats
) -> tuple[int, int]:
    """Return the pair that would shrink the weighted variances most."""
    towards = contrasts @ covariance
    gained = squared_differences(towards.T @ (weights[:, None] * towards))
    gains = gained * information / (1 + information * squared_differences(covariance))
    gains = np.triu(gains, 1)
    # rounded relative to the largest: the last bits differ between processors and libraries
    comparable = np.round(gains / max(float(gains.max()), np.finfo(float).tiny), _DIGITS)
    i, j = np.unravel_index(int(np.argmax(np.triu(comparable + 1, 1))), gains.shape)
    return int(i), int(j)
