"""How long all reports of a hundred thousand games take, and how large the page is."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from pwtourney.match import Game, Ply, Verdict
from pwtourney.report import publish
from pwtourney.rules import deal
from pwtourney.store import GameRecord, ResultsFolder, Store
from pwtourney.tournament import load_tournament, make_plan, open_results

__all__ = ["rows"]

GAMES = 100_000
_BOTS = 12
_PLIES = 45
_LIMITS = (60.0, 2_000_000)


def _fill(config: Path, results: Path) -> None:
    """Store games of the usual length; what is played in them is drawn, and not legal."""
    rng = random.Random(1)
    folder = ResultsFolder(results)
    folder.prepare()
    plan = make_plan(load_tournament(config), seed=1)
    timetable = plan.timetable()
    with closing(open_results(folder, plan)) as store:
        batch: list[GameRecord] = []
        for _ in range(GAMES // 2):
            pairing = timetable.next()
            assert pairing is not None, "the schedule is longer than what is stored"
            dealt = deal(plan.edition, pairing.number)
            for number in (0, 1):
                names = (pairing.first, pairing.second)[:: 1 - 2 * number]
                plies = tuple(
                    Ply(k % 2, f"{rng.randrange(1, 34)}:r{90 * rng.randrange(4)}:b4", k * 100)
                    for k in range(_PLIES)
                )
                scores = (rng.randrange(-60, 60), rng.randrange(-60, 60))
                game = Game(
                    *((names[0], names[1]), plan.edition.name, dealt, (1, 2), plies),
                    *(Verdict.FINISHED, int(scores[1] > scores[0]), scores),
                )
                batch.append(GameRecord.of(pairing.number, number, game))
            if len(batch) >= 1000:
                store.add(batch)
                batch.clear()
        store.add(batch)


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time of all reports, and the size of the page."""
    with tempfile.TemporaryDirectory() as place:
        config, results = Path(place) / "league.yaml", Path(place) / "results"
        each = GAMES // 2 // (_BOTS * (_BOTS - 1) // 2) + 1
        bots = "\n".join(f"  - {{id: bot{number}, bot: random}}" for number in range(_BOTS))
        config.write_text(f"seed: 1\npairs: {each}\nbots:\n{bots}\n")
        _fill(config, results)
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
