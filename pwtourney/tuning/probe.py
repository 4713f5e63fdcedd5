"""What is asked of a method of tuning and told to it.

A run is resumed by telling a new method all stored outcomes: its state depends on its settings, its
seed and the outcomes, never on when it was asked.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from pwtourney.tuning.space import Values

__all__ = ["Method", "Outcome", "Probe"]


class Probe(NamedTuple):
    """Two sets of values that are to meet, in mirrored pairs; probes are numbered from 0."""

    number: int
    plus: Values
    minus: Values


class Outcome(NamedTuple):
    """What came of a probe.

    `score` is the mean of a game: 1 for a win of the values `plus`, 0 for a draw, −1 for a loss.
    `games` is how many games it is the mean of, at least 1: its variance is at most 1 / `games`.

    If it is `halfway` both played the same opponents on the same deals, which are taken to be
    halfway between them. It is then half of the difference of their mean results: the mean of all
    games, those of `minus` with the sign turned.
    """

    number: int
    score: float
    games: float
    halfway: bool = False


class Method(Protocol):
    """A search for the best values that asks for probes and learns from their outcomes.

    Everything is in units of the options and by their names, strength in Elo.
    """

    @property
    def batch(self) -> int:
        """How many probes may be asked for before the first of them is told."""

    def ask(self) -> Probe:
        """Return the next probe; raises `RuntimeError` if `batch` of them are waiting already.

        What it is depends on the outcomes up to `batch` probes before it and on no later one, so
        it is the same with any number of slots.
        """

    def tell(self, outcome: Outcome) -> None:
        """Learn from an outcome; the next in number, whether or not its probe was asked for.

        Raises `ValueError` if it is another one or cannot be.
        """

    def estimate(self) -> Mapping[str, float]:
        """Return the best values so far, not rounded."""

    def spread(self) -> Mapping[str, float]:
        """Return the standard error of the estimate, or the deviation of its posterior."""

    def expected(self, values: Mapping[str, float]) -> float:
        """Return by how many Elo these values are expected to be above the defaults."""

    def sensitivities(self) -> Mapping[str, float]:
        """Return how many Elo are lost if an option is a tenth of its range off the estimate.

        The mean of both directions, or the one that is within the range; the others stay.
        """
