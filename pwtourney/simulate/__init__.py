"""Fast playouts of whole games, for searches: compiled, or by the rules in Python.

With numba (``pip install '.[fast]'``) whole games are one compiled call, ten to twenty
times as fast as the rules in Python. Without it, with a warning, and on quilts of over 128 squares
the rules themselves play. Both draw the same numbers, so the same seed gives the same game.

Actions are drawn at random, or chosen by a policy. The policy is meant for playouts in a search: it
is much better than random play, and nearly as fast. One action in eight is drawn from all legal
actions. Otherwise the policy values each patch that can be taken per space of its time: two points
per square, its income at every payday that is left to the player, minus its cost. An advance has
the value one. The policy takes the best patch, of equals the nearest to the neutral token. It draws
up to six placements of it and picks the first of those which touch the most sides of covered
squares and of the border. A special patch goes anywhere.

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
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pwtourney.errors import IllegalActionError, install_command
from pwtourney.rules import Edition, LegalActions, SplitMix64, State
from pwtourney.rules.playout import play_out
from pwtourney.simulate.compile_cache import MOST_SQUARES, bring_along

__all__ = ["Outcomes", "Simulator", "seeds_from"]

_GOLDEN = 0x9E3779B97F4A7C15
_ABSENT = f"games are simulated by the rules, much more slowly: numba ({install_command('numba')})"
_NO_NUMBER = 1 << 62
"""Larger than any number of actions, and fits an array."""

_TRIES = 6
_RANDOM_SHARE = 8


class Outcomes(NamedTuple):
    """The results of games, one each: `scores` (n × 2), `winners` (the seat), and `plies`."""

    scores: NDArray[np.int64]
    winners: NDArray[np.int64]
    plies: NDArray[np.int64]


class Simulator:
    """Plays positions of one edition to their end; `is_compiled` is True if numba does it.

    If an edition's late patches are hidden, a playout draws their order first.
    """

    def __init__(self, edition: Edition, *, compiled: bool | None = None) -> None:
        """Set up the tables; `compiled` selects numba or the rules, None what is available.

        If True, raises ImportError without numba, and ValueError for quilts of over 128 squares.
        """
        self._edition = edition
        self._games: ModuleType | None = None
        if compiled or (compiled is None and edition.rows * edition.columns <= MOST_SQUARES):
            try:
                bring_along()
                from pwtourney.simulate import games  # imports numba: half a second
            except ImportError as error:
                if compiled:
                    raise
                warnings.warn(f"{_ABSENT} cannot be used, {error}", stacklevel=2)
            else:
                self._encoder = games.Encoder(edition)
                self._games = games

    @property
    def is_compiled(self) -> bool:
        """True if whole games are one compiled call."""
        return self._games is not None

    def playouts(self, state: State, count: int, seed: int, *, policy: bool = False) -> Outcomes:
        """Play a position to its end `count` times, at random or by the policy.

        The same seed gives the same games. Raises ValueError for a position of another edition.
        """
        self._check(state)
        seeds = seeds_from(seed, count)
        if self._games:
            results = np.zeros((count, 4), dtype=np.int64)
            arrays = self._encoder.encode(state)
            self._games.playouts(*arrays, seeds, policy, state.is_late_hidden, results)
        else:
            games = [_play_out(state, own_seed, policy) for own_seed in seeds.tolist()]
            results = np.array(games, dtype=np.int64).reshape(-1, 4)  # 4 columns without games, too
        return Outcomes(results[:, :2], results[:, 2], results[:, 3])

    def follow(self, state: State, numbers: Iterable[int]) -> State:
        """Play actions by their numbers in `State.legal_actions`; return the position after them.

        Raises `IllegalActionError` for a number that does not exist, and ValueError if late patches
        are hidden or the position is of another edition.
        """
        self._check(state)
        if state.is_late_hidden:
            raise ValueError("the order of late patches is hidden; reveal it first")
        path = [index(number) for number in numbers]
        if self._games:
            tables, quilts, facts = self._encoder.encode(state)
            # a number may be too large for an array; clipped numbers are still invalid
            bounded = [min(max(number, -1), _NO_NUMBER) for number in path]
            wrong, total = self._games.follow(tables, quilts, facts, np.array(bounded, np.int64))
            if wrong >= 0:
                raise _no_such_action(path[wrong], total)
            return self._encoder.decode(quilts, facts)
        for number in path:
            actions = state.legal_actions()
            if not 0 <= number < len(actions):
                raise _no_such_action(number, len(actions))
            state = state.apply(actions[number])
        return state

    def _check(self, state: State) -> None:
        if state.edition != self._edition:
            raise ValueError(f"this is for {self._edition.name}, not for {state.edition.name}")


def seeds_from(seed: int, count: int) -> NDArray[np.uint64]:
    """Return `count` seeds: the numbers that `rules.SplitMix64` draws from one seed."""
    # the state of SplitMix64 grows by a constant, so all of its numbers are computed at once
    steps = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(seed & (1 << 64) - 1) + steps * np.uint64(_GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    seeds: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return seeds


def _no_such_action(number: int, total: int) -> IllegalActionError:
    return IllegalActionError(f"there are {total} legal actions, and no number {number}")


# The functions below do what the kernel does, and draw the same numbers in the same order: a change
# of one needs the same change of the other.


def _play_out(state: State, seed: int, policy: bool) -> tuple[int, int, int, int]:
    """Play a position to its end; return both scores, the winner's seat, and the plies."""
    stream = SplitMix64(seed)
    if state.edition.late and state.is_late_hidden:
        late = sorted(state.edition.late.patches)
        stream.shuffle(late)
        state = state.reveal(tuple(late))
    if policy:
        plies = 0
        while actions := state.legal_actions():
            state = state.apply(actions[_choose(state, actions, stream)])
            plies += 1
    else:
        state, plies = play_out(state, stream.below)
    winner = state.winner
    assert winner is not None, "a game without legal actions is over"
    return *state.scores, winner, plies


def _choose(state: State, actions: LegalActions, stream: SplitMix64) -> int:
    """Return the number of an action by the policy."""
    total = len(actions)
    if state.pending or total == 1 or stream.below(_RANDOM_SHARE) == 0:
        return stream.below(total)
    edition = state.edition
    incomes = edition.incomes_passed
    paydays = incomes[-1] - incomes[state.players[state.to_move].space]
    # in thousandths of a point, as integers: fractions could differ from those of the kernel
    best, begin, count = 1000, 0, 0
    for patch, first, placements in actions.takings():
        _, shape, cost, time, income = edition.patch[patch]
        worth = 1000 * (2 * len(shape) + income * paydays - cost) // max(time, 1)
        if worth > best:
            best, begin, count = worth, first, placements
    if not count:
        return 0
    placement, most = 0, -1
    for _ in range(min(_TRIES, count)):
        number = stream.below(count)
        action = actions[begin + number]
        # the sides at which squares to be covered meet covered ones or the border
        mask = edition.lays[action.patch][action.orientation].mask << action.square
        covered = state.players[state.to_move].quilt | mask
        _, _, left, right = edition.edges
        above, below = mask >> edition.columns, mask << edition.columns & edition.full
        sides = above, below, (mask & ~left) >> 1, (mask & ~right) << 1
        contact = sum((mask & edge).bit_count() for edge in edition.edges)
        contact += sum((side & covered).bit_count() for side in sides)
        if contact > most:
            placement, most = number, contact
    return begin + placement
