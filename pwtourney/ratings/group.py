"""The ratings of bots that can be compared with each other, and how sure they are."""

from typing import NamedTuple

import numpy as np

from pwtourney.ratings.bradley_terry import NATURAL, Counts, Fit, Floats, fit, inverse_information
from pwtourney.ratings.covariance import clustered_covariance
from pwtourney.ratings.groups import seat_term_exists

__all__ = ["GroupRatings", "rate_group"]


class GroupRatings(NamedTuple):
    """Ratings `elo` of a group, in Elo, and their covariance, in Elo².

    `theta` holds them in natural units with mean 0. `seat_elo` is what the first seat is worth and
    `seat_error` its standard error, None where it cannot be told. `fitted` is None for a single
    bot; `anchor` tells whether the ratings hang on one.
    """

    elo: Floats
    covariance: Floats
    theta: Floats
    gamma: float
    seat_elo: float | None
    seat_error: float | None
    fitted: Fit | None
    design_effect: float | None
    anchored: bool


def rate_group(counts: Counts, anchor: tuple[str, float] | None, prior: float) -> GroupRatings:
    """Rate the bots of some counts, of which ratings exist or are made to by the prior."""
    n = len(counts.bots)
    held = counts.bots.index(anchor[0]) if anchor and anchor[0] in counts.bots else None
    rating = anchor[1] if anchor and held is not None else 0.0
    if n == 1:
        zero = np.zeros(1)
        known = np.zeros((1, 1)) if held is not None else np.full((1, 1), np.nan)
        anchored = held is not None
        return GroupRatings(zero + rating, known, zero, 0.0, None, None, None, None, anchored)
    fitted = fit(counts, seat_term=seat_term_exists(counts), prior=prior)
    free = clustered_covariance(counts, fitted)
    elo = fitted.theta / NATURAL
    return GroupRatings(
        elo=elo if held is None else elo - elo[held] + rating,
        covariance=_relative_to(held, free)[:n, :n] / NATURAL**2,
        theta=fitted.theta,
        gamma=fitted.gamma,
        seat_elo=fitted.gamma / NATURAL if fitted.seat_term else None,
        seat_error=float(np.sqrt(free[n, n])) / NATURAL if fitted.seat_term else None,
        fitted=fitted,
        design_effect=_design_effect(free, fitted),
        anchored=held is not None,
    )


def _relative_to(anchor: int | None, covariance: Floats) -> Floats:
    """Return the covariance of ratings that hang on a bot instead of their mean."""
    if anchor is None:
        return covariance
    shift = np.eye(len(covariance))
    shift[:-1, anchor] -= 1.0
    relative: Floats = shift @ covariance @ shift.T
    return relative


def _design_effect(covariance: Floats, fitted: Fit) -> float | None:
    """Return the mean of clustered over independent variances of the ratings."""
    n = len(fitted.theta)
    centre = np.eye(n + 1)
    centre[:n, :n] -= 1 / n
    independent = np.diag(centre @ inverse_information(fitted) @ centre.T)[:n]
    clustered = np.diag(covariance)[:n]
    if not np.isfinite(clustered).all() or not (independent > 0).all():
        return None
    return float((clustered / independent).mean())
