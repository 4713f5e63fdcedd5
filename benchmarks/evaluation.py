"""Where the champion's evaluation comes from: ``python -m benchmarks.evaluation GAMES``.

The champion plays against itself, eight of a hundred moves drawn, so that it also sees what it
would not play. The outcomes are explained by both sides' difference in what the formula looks at,
now and at the start of the game: a logistic regression. What is printed would stand in
`pwtourney_bots.evaluation`, where the numbers are scaled so that the tree does not trust them too
early; 1,500 games take a quarter of an hour on two cores.
"""

import sys
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pwtourney_bots.champion import Champion
from pwtourney_bots.prospects import exposed_edges

from pwtourney.clock import Limit
from pwtourney.rules import SplitMix64, State, deal, find_edition
from pwtourney.sdk import Action, GameStart, Turn

__all__ = ["fitted", "looked_at", "main"]

NAMES = ("BUTTON", "INCOME", "EMPTY", "EXPOSED", "SPACE", "TILE", "PENDING", "TURN")
_ITERATIONS = 2000
_DRAWN = 8
_STEPS = 30
_RIDGE = 1e-4
_SCALE = 0.7

Floats = NDArray[np.float64]


class Seen(NamedTuple):
    """The positions of games, a row each: what is looked at (n × 16), and whether seat 0 won."""

    rows: Floats
    won: Floats


def looked_at(state: State) -> list[float]:
    """Return what the formula looks at, seat 0 less seat 1; then the same times the phase."""
    mine, theirs = (_side(state, seat) for seat in (0, 1))
    difference = [one - two for one, two in zip(mine, theirs, strict=True)]
    gone = sum(player.space for player in state.players)
    phase = 1 - gone / (2 * state.edition.last_space)
    return [*difference, *(phase * each for each in difference)]


def _side(state: State, seat: int) -> tuple[float, ...]:
    edition, player = state.edition, state.players[seat]
    passed = edition.incomes_passed
    moves = state.to_move == seat
    return (
        player.buttons,
        player.income * (passed[-1] - passed[player.space]),
        (edition.full & ~player.quilt).bit_count(),
        exposed_edges(player.quilt, edition),
        edition.last_space - player.space,
        edition.tile.points if edition.tile and state.tile == seat else 0,
        state.pending if moves else 0,
        moves,
    )


def _played(seed: int) -> Seen:
    """Play one game; return its positions."""
    edition = find_edition("original")
    bots, heard = (Champion(), Champion()), [0, 0]
    for seat, bot in enumerate(bots):
        bot.settings["iterations"] = str(_ITERATIONS)
        bot.new_game(GameStart(edition, seat, 2 * seed + seat))
    stream, state = SplitMix64(seed), State.start(edition, deal(edition, seed))
    played: list[Action] = []
    rows = []
    while actions := state.legal_actions():
        rows.append(looked_at(state))
        seat = state.to_move
        action = actions[stream.below(len(actions))]
        if stream.below(100) >= _DRAWN:
            action = bots[seat].choose(Turn(state, tuple(played[heard[seat] :]), None, Limit()))
            heard[seat] = len(played) + 1
        state = state.apply(action)
        played.append(action)
    return Seen(np.array(rows), np.full(len(rows), float(state.winner == 0)))


def fitted(seen: Seen) -> Floats:
    """Return the weights (16) of a logistic regression, by Newton's method on scaled columns."""
    scale = seen.rows.std(axis=0)
    scale[scale == 0] = 1  # of what never differs nothing can be said: its weight is 0
    rows = seen.rows / scale
    weights = np.zeros(rows.shape[1])
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (seen.won - chance) / len(rows) - _RIDGE * weights
        bend = (rows.T * (chance * (1 - chance))) @ rows / len(rows)
        weights += np.linalg.solve(bend + _RIDGE * np.eye(len(weights)), slope)
    found: Floats = weights / scale
    return found


def main(arguments: list[str]) -> int:
    """Play, fit, and print each number and how much more it is at the start."""
    games = max(1, int(arguments[0])) if arguments else 1500
    with get_context("spawn").Pool() as pool:
        parts = pool.map(_played, range(games), chunksize=1)
    seen = Seen(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    late, more = _SCALE * fitted(seen).reshape(2, -1)
    print(f"{len(seen.won)} positions of {games} games")
    for name, one, two in zip(NAMES, late, more, strict=True):
        print(f"{name:8} {one:+.3f} {two:+.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
