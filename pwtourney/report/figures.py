"""Format ratings and levels for people."""

import math

__all__ = ["format_rating", "format_spread", "percent"]


def percent(level: float) -> str:
    """Return a level in per cent: ``95`` for 0.95."""
    return f"{100 * level:.5g}"


def format_rating(elo: float, plus_minus: float | None = None, bound: str = "") -> str:
    """Format a rating, or a difference of two, in Elo: ``+12 ± 30``; ``> +80`` for a bound.

    If the rating is unknown (NaN), only the sign of the bound is left.
    """
    number = "0" if abs(elo) <= 0.5 else f"{elo:+.0f}"  # neither +0 nor -0
    return f"{bound} {'' if math.isnan(elo) else number}{format_spread(plus_minus)}".strip()


def format_spread(half: float | None, digits: int = 0, scale: float = 1) -> str:
    """Format what follows an estimate: half of its interval, if known."""
    return "" if half is None else f" ± {scale * half:.{digits}f}"
