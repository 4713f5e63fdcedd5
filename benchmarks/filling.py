"""Fills a store with simulated games, many in each transaction."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from pwtourney.notation.game import Game
from pwtourney.schedule import Pairing
from pwtourney.store import ResultsFolder
from pwtourney.tournament import Plan, load_tournament, make_plan, open_results

__all__ = ["MakeGame", "fill", "league"]

MakeGame = Callable[[Plan, Pairing, int], Game]
"""Returns the first or the second simulated game of a pair."""

_PAIRS_A_TRANSACTION = 500


def league(path: Path, bots: int, games: int) -> None:
    """Write the file of a round robin with slightly more than this many games."""
    each = games // 2 // (bots * (bots - 1) // 2) + 1
    lines = "\n".join(f"  - {{id: bot{number}, bot: random}}" for number in range(bots))
    path.write_text(f"seed: 1\npairs: {each}\nworkers: 1\nbots:\n{lines}\n")


def fill(config: Path, results: Path, games: int, make: MakeGame) -> None:
    """Store this many games of the schedule, simulated pair by pair."""
    folder = ResultsFolder(results)
    folder.prepare()
    plan = make_plan(load_tournament(config), seed=1)
    scheduler = plan.scheduler()
    with closing(open_results(folder, plan)) as store:
        batch: list[Game] = []
        for _ in range(games // 2):
            pairing = scheduler.next()
            assert pairing is not None, "the schedule is longer than what is stored"
            batch += [
                make(plan, pairing, number)._replace(pair=pairing.number, game=number)
                for number in (0, 1)
            ]
            if len(batch) >= 2 * _PAIRS_A_TRANSACTION:
                store.add(batch)
                batch.clear()
        store.add(batch)
