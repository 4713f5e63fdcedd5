"""A simulated tournament of 18 bots and 3,000 games."""

import random
from contextlib import closing
from pathlib import Path

from benchmarks.filling import draw_games, fill, league
from pwtourney.report import publish
from pwtourney.store import ResultsFolder, Store

__all__ = ["BOTS", "GAMES", "make_large"]

BOTS, GAMES, DEALS = 18, 3_000, 150


def make_large(folder: Path) -> None:
    """Fill the results folder ``r`` and write its reports; no bot is started."""
    league(folder / "large.yaml", BOTS, 2 * GAMES)
    fill(folder / "large.yaml", folder / "r", GAMES, draw_games(random.Random(1), DEALS))
    with closing(Store.open(ResultsFolder(folder / "r").database)) as store:
        publish(store, folder / "r")
