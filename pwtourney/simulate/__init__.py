"""Games played to their end as fast as can be, for those who search: compiled, or by the rules.

With numba (``pip install 'pwtourney[fast]'``) whole games are one compiled call, some dozen times
as fast as the rules in Python; without it, with a warning, and on quilts of over 128 squares the
rules themselves play. Both draw the same numbers, so the same seed gives the same game.

>>> from pwtourney.rules import State, find_edition
>>> from pwtourney.simulate import Simulator
>>> start = State.start(find_edition("original"), 1)
>>> simulator = Simulator(start.edition)
>>> outcomes = simulator.playouts(start, 100, seed=7)
>>> outcomes.scores.shape
(100, 2)

"""

import warnings
from collections.abc import Iterable
from operator import index
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.errors import install_command
from pwtourney.rules import Edition, State
from pwtourney.simulate import plain
from pwtourney.simulate.cache import bring_along
from pwtourney.simulate.tables import MOST_SQUARES

__all__ = ["Outcomes", "Simulator", "seeds_from"]

_GOLDEN = 0x9E3779B97F4A7C15
_ABSENT = f"games are simulated by the rules, much more slowly: numba ({install_command('numba')})"


class Outcomes(NamedTuple):
    """How games ended, one each: `scores` (n × 2), `winners` (the seat), and `plies`."""

    scores: NDArray[np.int64]
    winners: NDArray[np.int64]
    plies: NDArray[np.int64]


class Simulator:
    """Plays positions of one edition to their end; `is_compiled` tells whether numba does it.

    Of an edition whose late patches are hidden a playout draws their order first.
    """

    def __init__(self, edition: Edition, *, compiled: bool | None = None) -> None:
        """Set up the tables; `compiled` asks for numba or for the rules, None for what there is.

        Asked for numba, raises ImportError without it, and ValueError for quilts of over 128
        squares.
        """
        self._edition = edition
        self._compiled = None
        if compiled or (compiled is None and edition.rows * edition.columns <= MOST_SQUARES):
            try:
                bring_along()
                from pwtourney.simulate.compiled import Compiled
            except ImportError as error:
                if compiled:
                    raise
                warnings.warn(f"{_ABSENT} cannot be used, {error}", stacklevel=2)
            else:
                self._compiled = Compiled(edition)

    @property
    def is_compiled(self) -> bool:
        """Whether whole games are one compiled call."""
        return self._compiled is not None

    def playouts(self, state: State, count: int, seed: int, *, policy: bool = False) -> Outcomes:
        """Play a position to its end so many times, by chance or by the policy.

        The policy is that of `pwtourney.simulate.plain`. The same seed gives the same games. Raises
        ValueError for a position of another edition.
        """
        self._check(state)
        seeds = seeds_from(seed, count)
        if self._compiled:
            found = self._compiled.playouts(state, seeds, policy=policy)
        else:
            rows = [plain.playout(state, int(each), policy=policy) for each in seeds]
            found = np.array(rows, dtype=np.int64).reshape(-1, 4)
        return Outcomes(found[:, :2], found[:, 2], found[:, 3])

    def follow(self, state: State, numbers: Iterable[int]) -> State:
        """Play actions by their numbers in `State.legal_actions`; return the position after them.

        Raises `IllegalActionError` for a number that there is not, ValueError if late patches are
        hidden or the position is of another edition.
        """
        self._check(state)
        if state.late and not state.late[0]:
            raise ValueError("the order of late patches is hidden; reveal it first")
        return (self._compiled or plain).follow(state, [index(each) for each in numbers])

    def _check(self, state: State) -> None:
        if state.edition != self._edition:
            raise ValueError(f"this is for {self._edition.name}, not for {state.edition.name}")


def seeds_from(seed: int, count: int) -> NDArray[np.uint64]:
    """Return so many seeds: the numbers that `rules.SplitMix64` draws from one."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(seed & (1 << 64) - 1) + steps * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return found
