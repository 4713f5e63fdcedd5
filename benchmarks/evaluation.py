"""Where the champion's evaluation comes from: ``python -m benchmarks.evaluation GAMES``.

The champion plays against itself, eight of a hundred moves drawn from those that it considers, so
that it also sees what it would not play. What came of the games, and in equal parts what the search
expected, is explained by what the evaluation looks at, now and at the start of the game: a logistic
regression. What is printed stands in `pwtourney_bots.evaluation`. 1,500 games take ten minutes on
one core; the seeds of the games are their numbers.
"""

import sys
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from pwtourney_bots.champion import Champion
from pwtourney_bots.evaluation import FEATURES, SIDE_FEATURES, look_at_sides
from pwtourney_bots.node_tree import NodeTree
from pwtourney_bots.quilts import QUILT_FEATURES, look_at_quilt
from pwtourney_bots.steps import QUILT

from pwtourney.clock import Limit
from pwtourney.rules import SplitMix64, State, deal, find_edition
from pwtourney.sdk import Action, GameStart, Turn

__all__ = ["Seen", "fit", "look_at", "main"]

_ITERATIONS = 800
_DRAWN = 8
_STEPS = 30
_RIDGE = 1e-4
_SCALE = 0.7
"""The search trusts a formula too early that is as sure as the games say."""

Floats = NDArray[np.float64]


class Seen(NamedTuple):
    """Positions, a row each: what is looked at, then that times the phase; and their values.

    Values are from 0 to 1, for seat 0.
    """

    rows: Floats
    values: Floats


@njit
def _look_at_root(tables, cache, ring, main, nodes, sides, quilts):  # type: ignore[no-untyped-def]
    """Write what is looked at of the root, and of both its quilts; return the phase."""
    for seat in range(2):
        number = nodes[0, QUILT + seat]
        look_at_quilt(tables, cache.masks[number, 0], cache.masks[number, 1], quilts[seat])
    return look_at_sides(tables, cache, ring, main, nodes, 0, sides)


def look_at(tree: NodeTree) -> list[float]:
    """Return what is looked at in the root of a tree, seat 0 less seat 1; then times the phase."""
    sides, quilts = np.zeros(len(SIDE_FEATURES)), np.zeros((2, len(QUILT_FEATURES)))
    phase = _look_at_root(*tree.arrays(), sides, quilts)
    now = [*sides.tolist(), *(quilts[0] - quilts[1]).tolist()]
    return [*now, *(phase * value for value in now)]


def _play(seed: int, bot: Champion) -> Seen:
    """Play one game of a bot against itself; return its positions."""
    edition = find_edition("original")
    bot.new_game(GameStart(edition, 0, seed))
    stream, state = SplitMix64(seed), State.start(edition, deal(edition, seed))
    played: tuple[Action, ...] = ()
    rows, expected = [], []
    while actions := state.legal_actions():
        action = bot.choose(Turn(state, played, None, Limit()))
        played = ()
        if len(actions) > 1:
            tree = bot.tree
            assert isinstance(tree, NodeTree)
            rows.append(look_at(tree))
            expected.append(tree.value)
            if stream.below(100) < _DRAWN:
                choices = tree.choices()
                action = bot.replace_choice(choices[stream.below(len(choices))].action)
        state = state.apply(action)
    won = float(state.winner == 0)
    return Seen(np.array(rows), 0.5 * won + 0.5 * np.array(expected))


def fit(seen: Seen) -> Floats:
    """Return the weights of a logistic regression, by Newton's method on scaled columns."""
    scale = seen.rows.std(axis=0)
    scale[scale == 0] = 1  # of what never differs nothing can be said: its weight is 0
    rows = seen.rows / scale
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (seen.values - chance) / len(rows) - _RIDGE * weights
        bend = (rows.T * (chance * (1 - chance))) @ rows / len(rows)
        weights += np.linalg.solve(bend + _RIDGE * np.eye(len(weights)), slope)
    found: Floats = weights / scale
    return found


def main(arguments: list[str]) -> int:
    """Play, fit, and print each number and how much more it is at the start."""
    games = max(1, int(arguments[0])) if arguments else 1500
    bot = Champion()
    bot.settings["iterations"] = str(_ITERATIONS)
    parts = [_play(seed, bot) for seed in range(games)]
    seen = Seen(*(np.concatenate(part) for part in zip(*parts, strict=True)))
    if len(arguments) > 1:
        np.savez(arguments[1], rows=seen.rows, values=seen.values)
    late, more = _SCALE * fit(seen).reshape(2, -1)
    print(f"{len(seen.values)} positions of {games} games")
    for name, one, two in zip(FEATURES, late, more, strict=True):
        print(f"{name:8} {one:+.4f} {two:+.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
