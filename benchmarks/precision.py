"""Checks what a tuning says of its values, in many random tunings of bots of known strength.

``python -m benchmarks.precision [SCALE]`` takes ten minutes; so do the same rows at the end of
``python -m benchmarks.tuning``. SCALE multiplies the number of tunings, 1,000 of each bot.
"""

import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.draws import format_share
from benchmarks.landscapes import Landscape, Terrain, bowl, draw_pairs
from pwtourney.ratings.bradley_terry import Floats
from pwtourney.tuning import Dimension, Method, Outcome, Values, make_method
from pwtourney.tuning.bayes import Bayes
from pwtourney.tuning.spsa import Spsa

__all__ = ["Report", "known_share", "measure", "rows", "switch_share", "tune"]

PROBES, PAIRS = 250, 4
"""2,000 games, as many as by default, in fewer probes, which take less time to compute."""

_INSIDE = (0.2, 0.8)
HILLS = Landscape("hills of 200, 10, 5 and 0 Elo", bowl(200, 10, 5, 0), (_INSIDE,) * 4)
BORDER = Landscape("hills of 80 Elo, one at the border", bowl(80, 80), ((1.1, 1.3), _INSIDE))
LOW = Landscape("hills of 10 and 5 Elo", bowl(10, 5), (_INSIDE,) * 2, start=9.0)
IDLE = Landscape("no option matters", bowl(0, 0, 0), (_INSIDE,) * 3, start=0.0)
TALL = Landscape("hills of 200 Elo", bowl(200, 200), (_INSIDE,) * 2)
MIXED = Landscape("hills of 200 and 0 Elo", bowl(200, 0), (_INSIDE,) * 2)


class Report(NamedTuple):
    """What s tunings say of d options, as shares of their ranges, and what is true.

    `off` is the distance of each value from the best one. A sensitivity that is not known is NaN.
    `gain` is the Elo that the model expects, and `truth` what the values really gain, each s.
    """

    off: Floats
    spread: Floats
    sensitivity: Floats
    gain: Floats
    truth: Floats


def tune(
    name: str, terrain: Terrain, seed: int, probes: int, pairs: int = PAIRS
) -> Iterator[Method]:
    """Yield a method after each outcome of a tuning."""
    rng = np.random.default_rng([73, seed, 2 * pairs * probes])
    space = terrain.space(seed)
    method = make_method(name, space, probes=probes, pairs=pairs, seed=seed)
    one_seed = Terrain(terrain.landscape, [seed])
    batch = min(method.batch, probes)
    waiting = [method.ask() for _ in range(batch)]
    for number in range(probes):
        probe = waiting.pop(0)
        plus, minus = (_place(space, values) for values in (probe.plus, probe.minus))
        elo = one_seed.loss(minus) - one_seed.loss(plus)
        score = float(draw_pairs(rng, elo, terrain.landscape.noise, pairs)[0])
        method.tell(Outcome(number, score, 2 * pairs))
        if number + batch < probes:
            waiting.append(method.ask())
        yield method


def _place(space: tuple[Dimension, ...], values: Values) -> Floats:
    """Return values as a place in the unit cube, 1 × d."""
    return np.array([[dimension.to_unit(values[dimension.name]) for dimension in space]])


def measure(landscape: Landscape, tunings: int, name: str = "bayes") -> Report:
    """Return what many tunings say."""
    terrain = Terrain(landscape, range(tunings))
    reports = []
    for seed in range(tunings):
        *_, method = tune(name, terrain, seed, PROBES)
        assert isinstance(method, Bayes | Spsa)
        best, start = method.best(), terrain.start[seed]
        truth = terrain.loss(start) - terrain.loss(best)
        losses = [np.nan if known is None else known for known in method.sensitivities().values()]
        reports.append(
            (
                np.abs(best - np.clip(terrain.optimum[seed], 0, 1)),
                np.array(list(method.spread().values())),
                np.array(losses),
                np.array(method.strength.difference(best, start)),
                truth[seed],
            )
        )
    return Report(*map(np.array, zip(*reports, strict=True)))


def known_share(
    landscape: Landscape, share: float, tunings: int, probes: int = 500, pairs: int = 8
) -> float:
    """Return how many tunings have a spread of at most a share of each range, by `probes` probes.

    It is checked as by ``until: {spread: …}``, but every 25 probes.
    """
    terrain = Terrain(landscape, range(tunings))
    ended = 0
    for seed in range(tunings):
        steps = enumerate(tune("bayes", terrain, seed, probes, pairs), 1)
        ended += any(
            max(method.spread().values()) <= share
            for number, method in steps
            if number >= 30 and number % 25 == 0
        )
    return ended / tunings


def switch_share(elo: float, tunings: int, probes: int = 500) -> float:
    """Return how often `spsa` finds that 1 is better than 0, where a whole number starts."""
    ones = 0
    for seed in range(tunings):
        rng = np.random.default_rng([74, seed])
        method = make_method(
            "spsa", [Dimension("mode", "int", 0, 0, 1)], probes=probes, pairs=1, seed=seed
        )
        for number in range(probes):
            probe = method.ask()
            ahead = np.array([elo * (probe.plus["mode"] - probe.minus["mode"])])
            method.tell(Outcome(number, float(draw_pairs(rng, ahead, 100.0, 1)[0]), 2))
        ones += round(method.estimate()["mode"])
    return ones / tunings


def rows(scale: float) -> Iterator[tuple[str, str, str]]:
    """Yield each measurement; `scale` multiplies the numbers of random tunings."""
    tunings = round(1000 * scale)
    for landscape in (IDLE, LOW):
        report = measure(landscape, tunings)
        name = f"Elo expected without a duel, {landscape.name}, truth {report.truth.mean():+.0f}"
        yield name, f"{report.gain.mean():+.0f} Elo", "not printed"
    hills, border = measure(HILLS, tunings), measure(BORDER, tunings)
    yield from _sensitivity_rows(hills)
    yield from _spread_rows(hills, border)
    for landscape, target in ((TALL, "≥ 50 %"), (BORDER, "≥ 10 %"), (MIXED, "≤ 5 %")):
        share = known_share(landscape, 0.02, round(200 * scale))
        name = f"{landscape.name}: a spread of 2 % by 8,000 games"
        yield name, format_share(share), target
    for elo in (30.0, 50.0):
        name = f"spsa finds a whole number 0 … 1 that is worth {elo:g} Elo"
        yield name, format_share(switch_share(elo, round(200 * scale))), "≥ 90 %"


def _sensitivity_rows(hills: Report) -> Iterator[tuple[str, str, str]]:
    """Yield how often sensitivities are known, and how large they are then."""
    known = ~np.isnan(hills.sensitivity)
    heights = (200, 10, 5, 0)
    for index, height in enumerate(heights):
        name = f"hill of {height} Elo: sensitivity is shown"
        yield name, format_share(known[:, index].mean()), "≤ 5 %" if height <= 10 else "–"
    shown = hills.sensitivity[known[:, 0], 0]
    mean = f"{shown.mean():.1f} Elo" if len(shown) else "–"
    yield "hill of 200 Elo: sensitivities shown, truth 8 Elo", mean, "4–12 Elo"


def _spread_rows(hills: Report, border: Report) -> Iterator[tuple[str, str, str]]:
    """Yield spreads next to the root mean square of the true distances from the best values."""
    for name, report, index in (
        ("hill of 200 Elo", hills, 0),
        ("optimum at the border", border, 0),
        ("hill of 80 Elo", border, 1),
        ("hill of 10 Elo", hills, 1),
        ("no effect", hills, 3),
    ):
        off, spread = report.off[:, index], report.spread[:, index]
        error = np.sqrt((off**2).mean())
        middle = float(np.median(spread))
        figure = f"{100 * middle:.1f} %, {middle / error:.1f} times"
        target = "≥ 29 % of the range" if name == "no effect" else "0–3 times"
        yield f"{name}: median spread, true error {100 * error:.1f} %", figure, target
        share = (off <= spread + 1e-9).mean()
        yield f"{name}: value is within the spread", format_share(share), "≥ 63 %"


def main() -> None:
    """Measure and print a table."""
    numbers = [word for word in sys.argv[1:] if word.replace(".", "").isdigit()]
    scale = float(numbers[0]) if numbers else 1.0
    table = Table("drawn from known strengths", "seen", "wanted")
    for row in rows(scale):
        table.add_row(*row)
        print(*row, sep=" | ", flush=True)
    Console().print(table)


if __name__ == "__main__":
    main()
