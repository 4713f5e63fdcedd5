"""Measures the runner's work for a game, without its plies, up to a million stored games.

The whole loop runs, from the schedule and the store to the events; only the results are simulated.
Each size is measured by the second half of the games before it is reached.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.filling import league
from pwtourney.executor.base import NextJob
from pwtourney.match import GameSetup, PairResult
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.store import ResultsFolder
from pwtourney.tournament import (
    Event,
    PairDone,
    load_tournament,
    make_plan,
    open_results,
    run_tournament,
)

__all__ = ["rows"]

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_BOTS = 10
_PLIES = tuple(Ply(number % 2, "advance", 100) for number in range(45))
_PAGE_KIB = 4


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield a game's time and the runner's memory at each size, compared with the first size."""
    command = [sys.executable, "-m", "benchmarks.growth", *map(str, SIZES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    measured = [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    first = measured[0]
    yield "a game of 45 plies in the runner", f"{first[1] * 1e6:.0f} µs", ""
    for size, seconds, mebibytes in measured[1:]:
        yield f"... at {size:,.0f} games", f"{seconds / first[1]:.2f} times that", "flat"
        yield f"memory at {size:,.0f} games", f"{mebibytes / first[2]:.2f} times the first", "flat"


class _MadeUp:
    """An executor whose games end immediately; the seats win in turn."""

    def __init__(self) -> None:
        self.attend: Callable[[], object] = tuple  # nothing needs attention

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult]]:
        """Yield a result for each job."""
        while (job := next_job()) is not None:
            first, second = (_game(setup, job.pair + k) for k, setup in enumerate(job.games))
            yield (PairResult(job.pair, (first, second)),)

    def close(self) -> None:
        """Do nothing."""


def _game(setup: GameSetup, number: int) -> Game:
    first, second = setup.bots
    return Game(
        (first.id, second.id),
        setup.edition.name,
        setup.deal,
        setup.seeds,
        _PLIES,
        Verdict.FINISHED,
        number % 2,
        (10, 5),
    )


def _measure(sizes: tuple[int, ...]) -> None:
    """Print, for each size, the seconds for a game before it, and the memory in MiB."""
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory) / "league.yaml"
        league(config, _BOTS, sizes[-1])
        plan = make_plan(load_tournament(config), seed=1)
        folder = ResultsFolder(Path(directory) / "results")
        folder.prepare()
        marks = iter(sizes)
        mark, stored, began, since = next(marks), 0, time.perf_counter(), 0

        def listen(event: Event) -> None:
            nonlocal mark, stored, began, since
            if not isinstance(event, PairDone):
                return
            stored += 2
            if stored == mark // 2:  # the second half, without what is done once
                began, since = time.perf_counter(), stored
            if stored == mark:
                seconds = (time.perf_counter() - began) / (stored - since)
                print(mark, seconds, _memory(), flush=True)
                mark = next(marks, 0)

        with closing(open_results(folder, plan)) as store:
            run_tournament(plan, store, _MadeUp(), listen)


def _memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * _PAGE_KIB / 1024


if __name__ == "__main__":
    _measure(tuple(map(int, sys.argv[1:])))
