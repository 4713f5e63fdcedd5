"""Ratings that are given from outside: the bots that fix the scale of a table.

A single exact anchor only shifts the scale. Several of them, and loose ones, also decide how far
apart the other bots are: the likelihood is maximised with exact ratings held, and with
−(θ − m)²/2s² added for a loose rating m with the standard error s (a normal prior, as a measurement
from elsewhere would add it).

Their differences are known without any game, so anchors compare bots that have not met, and a bot
that lost to one anchor and beat another has a finite rating.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.ratings.bradley_terry import (
    NATURAL,
    Counts,
    Fit,
    Floats,
    climb,
    components,
    derivatives,
    fit,
    seat_term_exists,
    strata,
)
from pwtourney.ratings.uncertainty import GroupRatings, find_meat, rate_group

__all__ = ["Anchor", "rate_anchored", "read_anchors", "rename_anchors", "store_anchors"]

Bools = NDArray[np.bool_]

_NOISE = 1e-14
"""Smaller covariances are rounding errors."""


class Anchor(NamedTuple):
    """A bot and its given rating in Elo; `error` is the standard error, 0 for an exact rating."""

    bot: str
    elo: float
    error: float = 0.0

    @property
    def is_exact(self) -> bool:
        """True if the rating is fixed."""
        return self.error == 0


def read_anchors(value: Any) -> tuple[Anchor, ...]:
    """Return the anchors that a store contains, or those of the library.

    They are None, one bot with its rating, or a list of bots with ratings and errors. Raises
    TypeError, ValueError or IndexError for other values.
    """
    if not value:
        return ()
    rows = [value] if isinstance(value[0], str) else value
    return tuple(Anchor(str(row[0]), float(row[1]), *map(float, row[2:3])) for row in rows)


def store_anchors(anchors: Sequence[Anchor]) -> list[Any] | None:
    """Return anchors for a store; one exact anchor as earlier versions wrote it."""
    if not anchors:
        return None
    if len(anchors) == 1 and anchors[0].is_exact:
        return [anchors[0].bot, anchors[0].elo]
    return [list(anchor) for anchor in anchors]


def rename_anchors(anchors: Iterable[Anchor], names: Mapping[str, str]) -> tuple[Anchor, ...]:
    """Return anchors under new names, which are those of the keys."""
    return tuple(anchor._replace(bot=names.get(anchor.bot, anchor.bot)) for anchor in anchors)


def rate_anchored(counts: Counts, anchors: Iterable[Anchor], prior: float) -> GroupRatings:
    """Rate the bots of some counts, some of which may be anchors; `prior` is that of `rate_group`.

    The ratings must exist, given that the differences of anchors are known.
    """
    given = [anchor for anchor in anchors if anchor.bot in counts.bots]
    if not given:
        return rate_group(counts, None, prior)
    held = tuple(counts.bots.index(anchor.bot) for anchor in given)
    if len(given) == 1 and given[0].is_exact:
        return rate_group(counts, (held[0], given[0].elo), prior)
    return _rate_on_scale(counts, given, held)


def _rate_on_scale(
    counts: Counts, anchors: Sequence[Anchor], held: tuple[int, ...]
) -> GroupRatings:
    """Rate the bots of some counts on the scale of several anchors, or of loose ones."""
    n = len(counts.bots)
    seat_term = seat_term_exists(counts, held)
    centres, precision, free = np.zeros(n), np.zeros(n + 1), np.ones(n + 1, np.bool_)
    free[n] = seat_term
    for bot, anchor in zip(held, anchors, strict=True):
        centres[bot] = NATURAL * anchor.elo
        free[bot] = not anchor.is_exact
        precision[bot] = 0.0 if anchor.is_exact else (NATURAL * anchor.error) ** -2
    start = np.where(np.isin(np.arange(n), held), centres, centres[list(held)].mean())
    theta, gamma, inverse = _fit_on_scale(counts, centres, start, precision, free)
    spread = _find_spread(counts, theta, gamma, precision, precision[:n] * (theta - centres))
    covariance = inverse @ spread @ inverse
    covariance[np.abs(covariance) < _NOISE] = 0.0
    clustered, independent = np.diag(covariance)[:n][free[:n]], np.diag(inverse)[:n][free[:n]]
    known = len(clustered) > 0 and np.isfinite(clustered).all()
    return GroupRatings(
        elo=theta / NATURAL,
        covariance=covariance[:n, :n] / NATURAL**2,
        theta=theta - theta.mean(),
        gamma=gamma,
        seat_elo=gamma / NATURAL if seat_term else None,
        seat_error=math.sqrt(covariance[n, n]) / NATURAL if seat_term else None,
        fitted=_fit_freely(counts),
        design_effect=float((clustered / independent).mean()) if known else None,
        held=held,
    )


def _fit_on_scale(
    counts: Counts, centres: Floats, start: Floats, precision: Floats, free: Bools
) -> tuple[Floats, float, Floats]:
    """Return θ, γ and the inverse of the information about those of (θ, γ) that are free.

    `precision` is 1/s² of loose ratings, whose `centres` are m, and 0 for others.
    """
    games, halves = counts.matrices()
    n = len(start)
    both = np.ix_(free, free)

    def differentiate(values: Floats) -> tuple[Floats, Floats]:
        gradient, information = derivatives(games, halves, values, bool(free[n]), 0.0)
        gradient[:n] += precision[:n] * (centres - values[:n])
        return gradient, information + np.diag(precision)

    def find_step(values: Floats) -> Floats:
        gradient, information = differentiate(values)
        step = np.zeros(n + 1)
        step[free] = np.linalg.solve(information[both], gradient[free])
        return step

    values = climb(np.append(start, 0.0), find_step)
    inverse = np.zeros((n + 1, n + 1))
    inverse[both] = np.linalg.inv(differentiate(values)[1][both])
    return values[:n], float(values[n]), inverse


def _find_spread(
    counts: Counts, theta: Floats, gamma: float, precision: Floats, pull: Floats
) -> Floats:
    """Return the variance of the score: that of the deals, and that of the loose ratings.

    At the maximum the score of all deals is not 0 but the `pull` of the loose ratings, so the
    scores of deals are taken around their mean. With a single deal every entry is NaN.
    """
    n = len(theta)
    if counts.deals == 0:  # only anchors, which have not met
        return np.diag(precision)
    meat = find_meat(counts, theta, gamma, seat_term=True)
    if meat is None:
        return np.full((n + 1, n + 1), np.nan)
    meat[:n, :n] -= np.outer(pull, pull) / (counts.deals - 1)
    return np.asarray(meat + np.diag(precision), np.float64)


def _fit_freely(counts: Counts) -> Fit | None:
    """Return the fit without anchors; None if it does not exist.

    Whether one rating explains the results does not depend on ratings that are given.
    """
    if len(counts.bots) == 1 or len(components(counts)) > 1 or len(strata(counts)) > 1:
        return None
    return fit(counts, seat_term=seat_term_exists(counts))
