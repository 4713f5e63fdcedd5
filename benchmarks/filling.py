"""Fills a store with simulated games, many in each transaction."""

import random
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from itertools import islice
from pathlib import Path

from pwtourney.notation import action_text
from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.rules import Deal, Edition, State, deal
from pwtourney.schedule import Pairing
from pwtourney.store import ResultsFolder
from pwtourney.tournament import Plan, load_tournament, make_plan, open_results

__all__ = ["MakeGame", "draw_games", "draw_pairs", "fill", "league"]

MakeGame = Callable[[Plan, Pairing, int], Game]
"""Returns the first or the second simulated game of a pair."""

_PAIRS_A_TRANSACTION = 500


def league(path: Path, bots: int, games: int) -> None:
    """Write the file of a round robin with slightly more than this many games."""
    pairs = games // 2 // (bots * (bots - 1) // 2) + 1
    lines = "\n".join(f"  - {{id: bot{number}, bot: random}}" for number in range(bots))
    path.write_text(f"seed: 1\npairs: {pairs}\nworkers: 1\nbots:\n{lines}\n")


def fill(config: Path, results: Path, games: int, make: MakeGame) -> None:
    """Store this many games of the schedule, simulated pair by pair."""
    folder = ResultsFolder(results)
    folder.prepare()
    plan = make_plan(load_tournament(config), seed=1)
    pairs = islice(draw_pairs(plan, make), games // 2)
    with closing(open_results(folder, plan)) as store:
        while batch := [game for pair in islice(pairs, _PAIRS_A_TRANSACTION) for game in pair]:
            store.add(batch)


def draw_pairs(plan: Plan, make: MakeGame) -> Iterator[list[Game]]:
    """Yield both games of each pair of a schedule, in its order."""
    scheduler = plan.scheduler()
    while (pairing := scheduler.next()) is not None:
        yield [
            make(plan, pairing, number)._replace(pair=pairing.number, game=number)
            for number in (0, 1)
        ]


@cache
def _play(edition: Edition, seed: int, number: int) -> tuple[Deal, tuple[Ply, ...]]:
    """Return a deal, and the plies of one of the two random games on it."""
    rng, dealt = random.Random(2 * seed + number), deal(edition, seed)
    state, plies = State.start(edition, dealt), []
    while not state.is_over:
        action = rng.choice(state.legal_actions())
        plies.append(Ply(state.to_move, action_text(action, edition)))
        state = state.apply(action)
    return dealt, tuple(plies)


def draw_games(rng: random.Random, deals: int) -> MakeGame:
    """Return a function that makes games with the plies of random games on this many deals.

    Times, infos and scores differ from game to game. Bots that are named with higher numbers have
    higher scores.
    """

    def make(plan: Plan, pairing: Pairing, number: int) -> Game:
        names = (pairing.first, pairing.second)
        bots = (names[number], names[1 - number])
        dealt, plies = _play(plan.edition, pairing.number % deals, number)
        scores = tuple(rng.randrange(-60, 60) + 3 * int(bot.removeprefix("bot")) for bot in bots)
        full_plies = (
            ply._replace(
                micros=rng.randrange(10_000),
                info=f"depth 3 score {rng.randrange(-40, 40)} nodes {rng.randrange(9000)}",
            )
            for ply in plies
        )
        return Game(
            bots=bots,
            edition=plan.edition.name,
            deal=dealt,
            seeds=(1, 2),
            plies=tuple(full_plies),
            verdict=Verdict.FINISHED,
            winner=int(scores[1] > scores[0]),
            scores=(scores[0], scores[1]),
        )

    return make
