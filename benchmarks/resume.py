"""How long a run takes to go on where a million games are stored, and what memory that needs."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pwtourney.match import Game, Ply, Verdict
from pwtourney.rules import deal
from pwtourney.store import GameRecord, ResultsFolder
from pwtourney.tournament import load_tournament, make_plan, open_results

__all__ = ["fill", "rows"]

GAMES = 1_000_000
_LIMIT = 5.0
_BOTS = 10
_PAIRS_A_TRANSACTION = 500


def fill(config: Path, results: Path, pairs: int) -> None:
    """Store so many pairs of the schedule, each with the same few plies."""
    folder = ResultsFolder(results)
    folder.prepare()
    plan = make_plan(load_tournament(config), seed=1)
    timetable = plan.timetable()
    plies = tuple(Ply(number % 2, "advance", 100) for number in range(4))
    with closing(open_results(folder, plan)) as store:
        batch: list[GameRecord] = []
        dealt = deal(plan.edition, 1)
        for _ in range(pairs):
            pairing = timetable.next()
            assert pairing is not None, "the schedule is longer than what is stored"
            names = (pairing.first, pairing.second)
            for number, seated in enumerate((names, names[::-1])):
                winner = (pairing.number + number) % 2
                game = Game(
                    *(seated, plan.edition.name, dealt, (1, 2), plies),
                    *(Verdict.FINISHED, winner, (10, 5)),
                )
                batch.append(GameRecord.of(pairing.number, number, game))
            if len(batch) >= 2 * _PAIRS_A_TRANSACTION:
                store.add(batch)
                batch.clear()
        store.add(batch)


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time until the first new pair can be played, and the runner's memory then."""
    with tempfile.TemporaryDirectory() as place:
        config, results = Path(place) / "league.yaml", Path(place) / "results"
        each = GAMES // 2 // (_BOTS * (_BOTS - 1) // 2) + 1
        bots = "\n".join(f"  - {{id: bot{number}, bot: random}}" for number in range(_BOTS))
        config.write_text(f"seed: 1\npairs: {each}\nworkers: 1\nbots:\n{bots}\n")
        fill(config, results, GAMES // 2)
        seconds, kibibytes = _resumed(config, results)
    yield f"resume with {GAMES:,} games stored", f"{seconds:.1f} s", f"≤ {_LIMIT:g} s"
    yield "memory of the runner then", f"{kibibytes / 1024:.0f} MiB", ""


def _resumed(config: Path, results: Path) -> tuple[float, int]:
    """Start a run, and end it when it says that it goes on."""
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
