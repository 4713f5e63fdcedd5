"""Measures the time of all reports of a hundred thousand games, and the size of the page."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.filling import draw_games, fill, league
from pwtourney.report import publish
from pwtourney.store import ResultsFolder, Store

__all__ = ["rows"]

GAMES = 100_000
_BOTS = 12
_DEALS = 500
_LIMITS = (60.0, 3_000_000)


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time of all reports, and the size of the page."""
    with tempfile.TemporaryDirectory() as directory:
        config, results = Path(directory) / "league.yaml", Path(directory) / "results"
        league(config, _BOTS, GAMES)
        fill(config, results, GAMES, draw_games(random.Random(1), _DEALS))
        with closing(Store.open(ResultsFolder(results).database)) as store:
            began = time.perf_counter()
            publish(store, results)
            seconds = time.perf_counter() - began
        size = (results / "report.html").stat().st_size
    yield f"all reports of {GAMES:,} games", f"{seconds:.1f} s", f"≤ {_LIMITS[0]:g} s"
    yield "the page of them", f"{size / 1e6:.2f} MB", f"≤ {_LIMITS[1] / 1e6:g} MB"


if __name__ == "__main__":
    for row in rows():
        print(*row, sep="  ")
