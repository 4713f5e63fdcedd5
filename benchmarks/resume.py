"""Measures the time and memory that a run needs to continue with a million stored games."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.filling import MakeGame, fill, league
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import deal
from pwtourney.schedule import Pairing
from pwtourney.tournament import Plan, load_tournament, make_plan

__all__ = ["rows"]

GAMES = 1_000_000
_LIMIT = 5.0
_BOTS = 10


def _games(plan: Plan) -> MakeGame:
    """Return a function that makes games that are equal except for their bots."""
    plies = tuple(Ply(number % 2, "advance", 100) for number in range(4))
    dealt = deal(plan.edition, 1)

    def make(_: Plan, pairing: Pairing, number: int) -> Game:
        names = (pairing.first, pairing.second)
        seated = (names[number], names[1 - number])
        winner = (pairing.number + number) % 2
        return Game(
            seated,
            plan.edition.name,
            dealt,
            (1, 2),
            plies,
            Verdict.FINISHED,
            winner,
            (10, 5),
        )

    return make


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time until the first new pair can be played, and the runner's memory then."""
    with tempfile.TemporaryDirectory() as directory:
        config, results = Path(directory) / "league.yaml", Path(directory) / "results"
        league(config, _BOTS, GAMES)
        plan = make_plan(load_tournament(config), seed=1)
        fill(config, results, GAMES, _games(plan))
        seconds, kibibytes = _resumed(config, results)
    yield f"resume with {GAMES:,} games stored", f"{seconds:.1f} s", f"≤ {_LIMIT:g} s"
    yield "memory of the runner then", f"{kibibytes / 1024:.0f} MiB", ""


def _resumed(config: Path, results: Path) -> tuple[float, int]:
    """Start a run, and end it after its first event; return seconds and peak memory in KiB."""
    command = [sys.executable, "-m", "pwtourney", "run", str(config), "--results", str(results)]
    began = time.perf_counter()
    with subprocess.Popen(
        [*command, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as run:
        assert run.stdout is not None, "it is a pipe"
        run.stdout.readline()
        seconds = time.perf_counter() - began
        status = Path(f"/proc/{run.pid}/status").read_text()
        run.terminate()
        run.terminate()
        run.stdout.read()
    (peak,) = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    return seconds, int(peak)


if __name__ == "__main__":
    for row in rows():
        print(*row, sep="  ")
