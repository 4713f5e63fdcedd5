"""Measures how fast tables of games are rated, and the fit apart from reading and counting."""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pwtourney.ratings.bradley_terry import count, fit
from pwtourney.ratings.game_columns import gather_blocks
from pwtourney.ratings.uncertainty import clustered_covariance
from pwtourney.tables.game_table import read_games

__all__ = ["rows", "written"]

CASES = ((20, 200_000, 2.0), (100, 1_000_000, 8.0))
"""Bots, games, and the maximal seconds for rating them."""


def written(path: Path, bots: int, games: int) -> None:
    """Write a table of mirrored pairs between bots of random strengths."""
    rng = random.Random(bots)
    elos = [rng.gauss(0, 150) for _ in range(bots)]
    with path.open("w") as file:
        file.write("first,second,score,pair,deal\n")
        for number in range(games // 2):
            first, second = rng.sample(range(bots), 2)
            for a, b in ((first, second), (second, first)):
                won = rng.random() < 1 / (1 + 10 ** ((elos[b] - elos[a]) / 400))
                file.write(f"bot{a},bot{b},{won:d},{number},c{number}\n")


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time of the whole command, and the share of the fit."""
    with tempfile.TemporaryDirectory() as folder:
        for bots, games, limit in CASES:
            path = Path(folder) / f"{games}.csv"
            written(path, bots, games)
            began = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "pwtourney", "rate", str(path)],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            whole = time.perf_counter() - began
            counts = count(gather_blocks(None, read_games(path)))
            began = time.perf_counter()
            clustered_covariance(counts, fit(counts))
            share = (time.perf_counter() - began) / whole
            name = f"{bots} bots, {games:,} games from CSV"
            yield name, f"{whole:.1f} s", f"≤ {limit:g} s"
            yield f"{name}: fit and covariance", f"{100 * share:.0f} % of it", "≤ 10 %"


if __name__ == "__main__":
    for row in rows():
        print(*row, sep="  ")
