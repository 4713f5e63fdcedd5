"""The interface of a tuning method: the probes that it asks for, and their outcomes.

To resume a run, all stored outcomes are passed to a new method: its state depends on its settings,
its seed and the outcomes, never on when it was asked.
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
    """The outcome of a probe.

    `score` is the mean result of a game: 1 for a win of the values `plus`, 0 for a draw, −1 for a
    loss. `games` is the number of games, at least 1; the variance of the score is at most 1 /
    `games`.

    If `halfway`, both sets played the same opponents on the same deals, and the opponents are
    assumed to be halfway between both in strength. The score is then half of the difference of
    their mean results, which is the mean of all games with the sign of those of `minus` reversed.
    """

    number: int
    score: float
    games: float
    halfway: bool = False


class Method(Protocol):
    """A search for the best values that asks for probes and learns from their outcomes.

    Values are in the units of the options, by their names; strength is in Elo.
    """

    @property
    def batch(self) -> int:
        """The most probes that may be requested before the outcome of the first is known."""

    def ask(self) -> Probe:
        """Return the next probe; raises `RuntimeError` if `batch` of them are waiting already.

        It depends on the outcomes up to `batch` probes before it and on no later one, so it is the
        same with any number of slots.
        """

    def tell(self, outcome: Outcome) -> None:
        """Learn from an outcome; the next in number, whether or not its probe was asked for.

        Raises `ValueError` if it has another number or is invalid.
        """

    def estimate(self) -> Mapping[str, float]:
        """Return the best values so far, not rounded."""

    def spread(self) -> Mapping[str, float]:
        """Return how far the best value is from the estimate at most, with a chance of 68 %.

        It is about a third of the range or more for an option without effect, and 0 if the best
        value is most likely at the end of the range.
        """

    def sensitivities(self) -> Mapping[str, float | None]:
        """Return how many Elo are lost if an option is a tenth of its range off the estimate.

        A whole number is 1 off at least. This is the mean of both directions, or the one within
        the range; the other options stay. None if the outcomes do not show it.
        """
