"""Measures how many games each tuning method needs, with bots of known strength.

``python -m benchmarks.tuning [METHOD …]`` takes some minutes, and prints the rows of `precision`,
too. A method needs a number of games if
it is then within 10 Elo of the optimum for 9 of 10 seeds, and also with the next number. The
reference is SPSA with the gains that are best for the landscape and the number of games, chosen
from a grid with the same seeds, with the mean iterate or the last one, one pair an iteration, and
no other iteration before its result is known.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import precision
from benchmarks.landscapes import LANDSCAPES, Terrain, draw_pairs
from benchmarks.precision import tune
from pwtourney.ratings.bradley_terry import Floats
from pwtourney.tuning import METHODS

__all__ = ["games_needed", "play", "reference_losses", "rows"]

SEEDS = 20
CLOSE = 10.0
SHARE = 0.9
BUDGETS = tuple(int(base * 2**power) for power in range(5, 14) for base in (1, 1.5))
"""The numbers of games to try, from 32 to 12,288."""

PAIRS = 2
"""Mirrored pairs of a probe, for our methods."""

PERTURBATIONS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4)
TRAVELS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)
"""The grid of the reference: c_end, and r_end · c_end² · games."""

Losses = Callable[[Terrain, int], Floats]
"""Returns the distance in Elo below the optimum of each seed after a number of games."""


def reference_losses(terrain: Terrain, games: int) -> Floats:
    """Return the losses with the best gains for the landscape and this number of games."""
    perturbation, travel = (
        grid.reshape(-1, 1, 1) for grid in np.meshgrid(PERTURBATIONS, TRAVELS, indexing="ij")
    )
    rng = np.random.default_rng([72, games])
    iterations = games // 2
    places = np.repeat(terrain.start[None], len(perturbation), axis=0)
    total = np.zeros_like(places)
    steps = np.where(terrain.steps, terrain.steps, np.inf)
    c_end = np.minimum(np.maximum(perturbation, 0.5 / steps), 0.5)
    for k in range(iterations):
        reach = np.minimum(c_end * (iterations / (k + 1)) ** 0.101, 0.5)
        gain = travel / games * (1.1 * iterations / (0.1 * iterations + k + 1)) ** 0.602
        signs = rng.choice([-1.0, 1.0], places.shape)
        centre = np.clip(places, reach, 1 - reach)
        draws = rng.random(places.shape)
        plus, minus = (terrain.snap(centre + way * reach * signs, draws) for way in (1, -1))
        elo = terrain.loss(minus) - terrain.loss(plus)
        result = 2 * draw_pairs(rng, elo, terrain.landscape.noise, 1)
        places = np.clip(places + gain / reach * result[..., None] * signs, 0, 1)
        if 2 * k >= iterations:
            total += places
    ends = np.concatenate([places, total / ((iterations) // 2)])
    losses = terrain.loss(terrain.snap(ends))
    return np.asarray(losses[np.argmax((losses <= CLOSE).mean(axis=1))])


def play(name: str, terrain: Terrain, seed: int, games: int) -> float:
    """Return the distance in Elo of a method's estimate below the optimum after this many games."""
    *_, method = tune(name, terrain, seed, games // (2 * PAIRS), PAIRS)
    estimate, space = method.estimate(), terrain.space(seed)
    point = np.array([[dimension.to_unit(estimate[dimension.name]) for dimension in space]])
    one_seed = Terrain(terrain.landscape, [seed])
    return float(one_seed.loss(one_seed.snap(point))[0])


def method_losses(name: str, terrain: Terrain, games: int) -> Floats:
    """Return the losses of a method; infinite for seeds skipped after too many failures."""
    seeds = len(terrain.start)
    losses = np.full(seeds, np.inf)
    for seed in range(seeds):
        losses[seed] = play(name, terrain, seed, games)
        if (losses[: seed + 1] > CLOSE).sum() > (1 - SHARE) * seeds + 1e-9:
            break
    return losses


def games_needed(losses: Losses, terrain: Terrain) -> int | None:
    """Return the first budget for which, and for the next one, enough seeds are close enough."""
    held = None
    for games in BUDGETS:
        if (losses(terrain, games) <= CLOSE).mean() >= SHARE:
            if held is not None:
                return held
            held = games
        else:
            held = None
    return held


def rows(names: list[str]) -> Iterator[list[str]]:
    """Yield for each landscape the games that the reference and the methods need."""
    contenders: list[Losses] = [reference_losses, *(partial(method_losses, name) for name in names)]
    for landscape in LANDSCAPES:
        terrain = Terrain(landscape, range(SEEDS))
        needed = [games_needed(losses, terrain) for losses in contenders]
        yield [landscape.name, *(f"{games:,}" if games else "–" for games in needed)]


def main() -> None:
    """Measure and print a table."""
    names = sys.argv[1:] or list(METHODS)
    table = Table("bot", "tuned SPSA", *names)
    for row in rows(names):
        table.add_row(*row)
        print(*row, sep=" | ", flush=True)
    Console().print(table)
    precision.main()


if __name__ == "__main__":
    main()
