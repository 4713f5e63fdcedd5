"""What was played, as the ratings take it."""

from collections.abc import Iterator

from pwtourney.ratings.games import Result
from pwtourney.schedule.pairing import History

__all__ = ["results"]


def results(history: History) -> Iterator[Result]:
    """Yield the two games of each pair."""
    for (number, first, second, deal), (one, two) in history:
        pair = str(number)
        yield Result(first, second, one, str(deal), pair=pair)
        yield Result(second, first, None if two is None else 1 - two, str(deal), pair=pair)
