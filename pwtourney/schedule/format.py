"""What every format is: a pure function from what was played to what is played next.

A format hands out its pairs in waves. What a wave holds may depend on earlier waves, but never on
which of their games ended first; so the schedule of deterministic bots is the same with any number
of workers and whatever interrupted it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

from pwtourney.schedule.pairing import History, Meeting

__all__ = ["Format", "FormatTable"]


class FormatTable(NamedTuple):
    """What a format has to say of a tournament beside the ratings: rows of cells, and notes."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


class Format(ABC):
    """A way to pair bots.

    `lag` is how many waves back a wave must know: 0 for nothing at all, 1 for all waves before it,
    2 for all but the last, so that workers have something to do while that one ends.
    """

    lag: ClassVar[int] = 0

    @abstractmethod
    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return the pairs of a wave, none when the tournament is over.

        `history` holds the waves before ``index - lag + 1``.
        """

    @abstractmethod
    def max_pairs(self) -> int:
        """Return how many pairs there are at most."""

    def locked_settings(self) -> dict[str, Any]:
        """Return what cannot be changed once a pair has been played, as plain data."""
        return {}

    def table(self, history: History) -> FormatTable | None:
        """Return what this format says of a tournament; None if the ratings say it all."""
        return None

    def status(self, history: History) -> str:
        """Return what belongs into the line of progress; may be empty."""
        return ""
