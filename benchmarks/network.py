"""Trains the champion's network: ``python -m benchmarks.network``.

The champion plays against itself; eight of a hundred moves are random among its candidates, so that
it also sees positions that it would avoid. For each position the network learns, in equal parts,
the result of the game and the expectation of the search; D. Silver and others, "Mastering the game
of Go without human knowledge", Nature 550, 2017, learn only from the former. It is trained by D.
Kingma and J. Ba, "Adam: a method for stochastic optimization", 2015. The seeds of the games are
their numbers, so the same command plays the same games. The network of the next version is trained
with games of this one.
"""

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from numba import njit
from numpy.typing import NDArray
from pwtourney_bots.champion import Champion
from pwtourney_bots.end_tree import EndTree
from pwtourney_bots.inputs import INPUTS, look_at
from pwtourney_bots.network import UNITS, Network, write_network
from pwtourney_bots.node_tree import NodeTree

from pwtourney.clock import Limit
from pwtourney.rules import SplitMix64, State, deal, find_edition
from pwtourney.sdk import Action, GameStart, Turn

__all__ = ["Loss", "Seen", "join", "look", "main", "measure", "train"]

_DRAWN = 8
_BATCH = 1024
_RATE = 5e-3
_FADING = 0.9, 0.999
_TINY = 1e-8
_HELD_BACK = 20
"""The positions of one game in this many are held back from training, to measure the loss."""

_USUAL_MARGIN = 20.0
"""A number of points that divides errors of the margin, so that they compare with the logit's."""

_GOAL_SIZES = np.array([1, _USUAL_MARGIN], np.float32)

_GAMES_A_TIME = 50

Floats = NDArray[np.float32]


class Seen(NamedTuple):
    """Positions, a row each: `inputs.INPUTS`, then their targets.

    `values`, from 0 to 1, and `margins`, in points, are those of the player to move: half of
    the game's result plus half of the search's expectation. `games` are the numbers of the
    games.
    """

    rows: Floats
    values: Floats
    margins: Floats
    games: NDArray[np.int64]


class Loss(NamedTuple):
    """The errors of a network: the cross entropy of values, and the squared error of margins."""

    values: float
    margins: float


@click.command()
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--edition", default="original", show_default=True, help="The edition to play.")
@click.option("--games", default=12_000, show_default=True, help="Games to learn from.")
@click.option("--seed", default=0, show_default=True, help="The seed of the first game.")
@click.option("--iterations", default=2_000, show_default=True, help="Of the search for a move.")
@click.option("--epochs", default=100, show_default=True, help="How often each game is learnt.")
@click.option("--processes", default=2, show_default=True, help="How many play at a time.")
def main(
    output: Path, edition: str, games: int, seed: int, iterations: int, epochs: int, processes: int
) -> None:
    """Play games, train a network, and write it to OUTPUT."""
    begins = range(seed, seed + games, _GAMES_A_TIME)
    blocks = [range(begin, min(begin + _GAMES_A_TIME, seed + games)) for begin in begins]
    with ProcessPoolExecutor(processes) as pool:
        play = partial(_play_block, edition_name=edition, iterations=iterations)
        seen = join(pool.map(play, blocks))
    click.echo(f"{len(seen.values):,} positions of {games:,} games")
    held_back = seen.games % _HELD_BACK == 0
    learnt = Seen(*(column[~held_back] for column in seen))
    others = Seen(*(column[held_back] for column in seen))
    for epoch, network in enumerate(train(learnt, epochs, seed), 1):
        if epoch % 10 == 0 or epoch == epochs:
            loss = measure(network, others)
            click.echo(f"epoch {epoch}: values {loss.values:.4f}, margins {loss.margins:.1f}")
    write_network(output, network)


def join(parts: Iterable[Seen]) -> Seen:
    """Return the positions of several games in one table."""
    return Seen(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@njit
def _look_at_root(tables, cache, ring, main, nodes, inputs):  # type: ignore[no-untyped-def]
    look_at(tables, cache, ring, main, nodes, 0, inputs)


def look(tree: NodeTree) -> Floats:
    """Return the network's inputs for the root of a tree."""
    inputs = np.zeros(len(INPUTS), np.float32)
    _look_at_root(*tree.arrays(), inputs)
    return inputs


def _play_block(games: range, edition_name: str, iterations: int) -> Seen:
    bot = Champion()
    bot.settings["iterations"] = str(iterations)
    return join(_play(number, bot, edition_name) for number in games)


def _play(number: int, bot: Champion, edition_name: str) -> Seen:
    """Play one game of a bot against itself; return its positions."""
    edition = find_edition(edition_name)
    bot.new_game(GameStart(edition, 0, number))
    stream, state = SplitMix64(number), State.start(edition, deal(edition, number))
    played: tuple[Action, ...] = ()
    rows, expected, seats = [], [], []
    while actions := state.legal_actions():
        action = bot.choose(Turn(state, played, None, Limit()))
        played = ()
        if len(actions) > 1:
            assert isinstance(bot.tree, EndTree)
            choices, tree = bot.tree.choices(), bot.tree.narrow
            rows.append(look(tree))
            seats.append(state.to_move)
            value = 1 - tree.value if state.to_move else tree.value
            expected.append((value, choices[0].margin))
            if stream.below(100) < _DRAWN:
                action = bot.replace_choice(choices[stream.below(len(choices))].action)
        state = state.apply(action)
    movers = np.array(seats)
    margins = (state.scores[0] - state.scores[1]) * (1 - 2 * movers)
    ends = np.stack([movers == state.winner, margins], 1)
    values = (0.5 * ends + 0.5 * np.array(expected)).astype(np.float32)
    return Seen(np.array(rows), values[:, 0], values[:, 1], np.full(len(rows), number))


def train(seen: Seen, epochs: int, seed: int) -> Iterator[Network]:
    """Train on all positions this many times; yield the network after each epoch."""
    draw = np.random.default_rng(seed)
    scale = seen.rows.std(axis=0)
    scale[scale == 0] = 1  # for constant inputs
    rows = (seen.rows / scale).astype(np.float32)
    goals = np.stack([seen.values, seen.margins / _USUAL_MARGIN], 1)
    first = draw.normal(0, len(INPUTS) ** -0.5, (len(INPUTS), UNITS)).astype(np.float32)
    last = draw.normal(0, UNITS**-0.5, (UNITS, 2)).astype(np.float32)
    first[:, 0] = 0
    weights = [first, last]
    means, squares = ([np.zeros_like(layer) for layer in weights] for _ in range(2))
    steps, step = epochs * (len(rows) // _BATCH), 0
    order = np.arange(len(rows))
    for _ in range(epochs):
        draw.shuffle(order)
        for begin in range(0, len(rows) - _BATCH + 1, _BATCH):
            batch = order[begin : begin + _BATCH]
            slopes = _find_slopes(first, last, rows[batch], goals[batch])
            rate, step = _RATE * (1 - step / steps), step + 1
            for layer, slope, mean, square in zip(weights, slopes, means, squares, strict=True):
                mean += (1 - _FADING[0]) * (slope - mean)
                square += (1 - _FADING[1]) * (slope**2 - square)
                spread = np.sqrt(square / (1 - _FADING[1] ** step)) + _TINY
                layer -= rate / (1 - _FADING[0] ** step) * mean / spread
        yield Network((first.T / scale).T.copy(), (last * _GOAL_SIZES).T.copy())


def _find_slopes(first: Floats, last: Floats, rows: Floats, goals: Floats) -> list[Floats]:
    """Return the gradients of the loss for all weights."""
    sums = rows @ first
    is_on = sums > 0
    is_on[:, 0] = True  # the first unit is linear
    units = np.where(is_on, sums, 0)
    results = units @ last
    results[:, 0] = 1 / (1 + np.exp(-results[:, 0]))
    errors = (results - goals) / np.float32(len(rows))
    return [rows.T @ np.where(is_on, errors @ last.T, 0), units.T @ errors]


def measure(network: Network, seen: Seen) -> Loss:
    """Return the errors of a network for some positions."""
    units = seen.rows @ network.first
    units[:, 1:] = np.maximum(units[:, 1:], 0)
    logits, margins = network.last @ units.T
    chances = np.clip(1 / (1 + np.exp(-logits)), 1e-6, 1 - 1e-6)
    entropy = seen.values * np.log(chances) + (1 - seen.values) * np.log(1 - chances)
    return Loss(float(-entropy.mean()), float(((margins - seen.margins) ** 2).mean()))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.network")
