"""Ratings and levels as people write them."""

import math

__all__ = ["format_rating", "format_spread", "percent"]


def percent(level: float) -> str:
    """Return a level as people write it: ``95`` for 0.95."""
    return f"{100 * level:.5g}"


def format_rating(elo: float, plus_minus: float | None = None, bound: str = "") -> str:
    """Write a rating, or a difference of two, in Elo: ``+12 ± 30``; ``> +80`` for a bound.

    Of one that is not known (NaN), nothing is left but the sign of the bound.
    """
    number = "0" if abs(elo) <= 0.5 else f"{elo:+.0f}"  # neither +0 nor -0
    return f"{bound} {'' if math.isnan(elo) else number}{format_spread(plus_minus)}".strip()


def format_spread(half: float | None, digits: int = 0, scale: float = 1) -> str:
    """Write what follows an estimate: half of its interval, if that is known."""
    return "" if half is None else f" ± {scale * half:.{digits}f}"
