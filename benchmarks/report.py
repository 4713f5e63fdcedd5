"""How long all reports of a hundred thousand games take, and how large the page is."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.filling import MakeGame, fill, league
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.report import publish
from pwtourney.rules import deal
from pwtourney.schedule import Pairing
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import Plan

__all__ = ["rows"]

GAMES = 100_000
_BOTS = 12
_PLIES = 45
_LIMITS = (60.0, 2_000_000)


def _drawn(rng: random.Random) -> MakeGame:
    """Return what makes up games of the usual length, whose plies are drawn and not legal."""

    def make(plan: Plan, pairing: Pairing, number: int) -> Game:
        names = (pairing.first, pairing.second)
        plies = tuple(
            Ply(k % 2, f"{rng.randrange(1, 34)}:r{90 * rng.randrange(4)}:b4", k * 100)
            for k in range(_PLIES)
        )
        scores = (rng.randrange(-60, 60), rng.randrange(-60, 60))
        return Game(
            bots=(names[number], names[1 - number]),
            edition=plan.edition.name,
            deal=deal(plan.edition, pairing.number),
            seeds=(1, 2),
            plies=plies,
            verdict=Verdict.FINISHED,
            winner=int(scores[1] > scores[0]),
            scores=scores,
        )

    return make


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time of all reports, and the size of the page."""
    with tempfile.TemporaryDirectory() as place:
        config, results = Path(place) / "league.yaml", Path(place) / "results"
        league(config, _BOTS, GAMES)
        fill(config, results, GAMES, _drawn(random.Random(1)))
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
