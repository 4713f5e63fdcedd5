"""Format ratings and levels for people, and tell columns of words from columns of numbers."""

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it loads all that rates, which few users of this module need
    from pwtourney.standings import Row

__all__ = [
    "WORD_HEADINGS",
    "amount",
    "describe_rating",
    "format_rating",
    "format_row_rating",
    "format_spread",
    "mean",
    "percent",
    "sign_numbers",
    "span",
]

WORD_HEADINGS = (
    "Bot",
    "Against",
    "Faults",
    "Sandbox",
)
"""Headings of columns of words in any table: left-aligned, and cut off if nothing else helps.

A `FormatTable` names its other ones itself.
"""

_HYPHEN = re.compile(r"(?<![\w.-])-(?=\d)", re.ASCII)


def percent(level: float) -> str:
    """Return a level in per cent: ``95`` for 0.95."""
    return f"{100 * level:.5g}"


def format_rating(elo: float, plus_minus: float | None = None, bound: str = "") -> str:
    """Format a rating, or a difference of two, in Elo: ``+12 ± 30``; ``> +80`` for a bound.

    If the rating is unknown (NaN), only the sign of the bound is left.
    """
    number = "0" if abs(elo) <= 0.5 else f"{elo:+.0f}"  # neither +0 nor -0
    return f"{bound} {'' if math.isnan(elo) else number}{format_spread(plus_minus)}".strip()


def format_row_rating(row: "Row") -> str:
    """Format the rating of a bot with its interval, or the bound that it has instead.

    A bound that tells nothing leaves its sign, and an unknown rating nothing.
    """
    return format_rating(row.shown_elo, row.plus_minus, row.bound)


def describe_rating(row: "Row") -> str:
    """Return the rating of a bot in words, or that it has none."""
    return "no rating" if math.isnan(row.shown_elo) else f"{format_row_rating(row)} Elo"


def format_spread(half: float | None, digits: int = 0, scale: float = 1) -> str:
    """Format what follows an estimate: half of its interval, if known."""
    return "" if half is None else f" ± {scale * half:.{digits}f}"


def mean(total: int, count: int, unit: int = 1000) -> float | None:
    """Return the mean in a larger unit, by default of microseconds in milliseconds.

    It is None if the count is 0.
    """
    return total / count / unit if count else None


def span(seconds: float) -> str:
    """Format a duration for people."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.0f} days"


def amount(number: float, what: str) -> str:
    """Return a count with its noun: ``1 game``, ``2 games``."""
    return f"{number:g} {what}" if number == 1 else f"{number:.10g} {what}s"


def sign_numbers(text: object) -> str:
    """Return a text with minus signs before its numbers, as scripts of pages write them.

    Hyphens within words, such as those of ids and dates, and before options stay.
    """
    return _HYPHEN.sub("−", str(text))
