"""What was played, as the ratings take it."""

from collections.abc import Iterator

from pwtourney.ratings.result import Result
from pwtourney.schedule.pairing import History

__all__ = ["results"]


def results(history: History) -> Iterator[Result]:
    """Yield the two games of each pair."""
    for (number, first, second, deal), (one, two) in history:
        circle, pair = str(deal), str(number)
        yield Result(first, second, one, circle, pair=pair)
        yield Result(second, first, None if two is None else 1 - two, circle, pair=pair)
