"""Measures the time of all reports of a hundred thousand games, and the size of the page."""

import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path

from benchmarks.filling import MakeGame, fill, league
from pwtourney.notation import action_text
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.report import publish
from pwtourney.rules import Deal, Edition, State, deal
from pwtourney.schedule import Pairing
from pwtourney.store import ResultsFolder, Store
from pwtourney.tournament import Plan

__all__ = ["rows"]

GAMES = 100_000
_BOTS = 12
_PLAYED = 1000
_LIMITS = (60.0, 2_000_000)


@cache
def _play(edition: Edition, seed: int) -> tuple[Deal, tuple[Ply, ...], State]:
    """Return a deal, the plies of a random game on it, and its last position."""
    rng, dealt = random.Random(seed), deal(edition, seed)
    state, plies = State.start(edition, dealt), []
    while not state.is_over:
        action = rng.choice(state.legal_actions())
        plies.append(Ply(state.to_move, action_text(action, edition), rng.randrange(10_000)))
        state = state.apply(action)
    return dealt, tuple(plies), state


def _drawn() -> MakeGame:
    """Return a function that makes games, each of which is one of a thousand random games."""

    def make(plan: Plan, pairing: Pairing, number: int) -> Game:
        names = (pairing.first, pairing.second)
        dealt, plies, final = _play(plan.edition, (2 * pairing.number + number) % _PLAYED)
        return Game(
            bots=(names[number], names[1 - number]),
            edition=plan.edition.name,
            deal=dealt,
            seeds=(1, 2),
            plies=plies,
            verdict=Verdict.FINISHED,
            winner=final.winner,
            scores=final.scores,
        )

    return make


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield the time of all reports, and the size of the page."""
    with tempfile.TemporaryDirectory() as place:
        config, results = Path(place) / "league.yaml", Path(place) / "results"
        league(config, _BOTS, GAMES)
        fill(config, results, GAMES, _drawn())
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
