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


_VARIANTS = 3
"""The random games on each deal in each order of the seats."""

_EDGE = 0.02
"""The expected score that a bot gains with each step of the number in its name."""


@cache
def _play(edition: Edition, seed: int, variant: int) -> tuple[Deal, tuple[Ply, ...], State]:
    """Return a deal, the plies of one of the random games on it, and its last position."""
    rng, dealt = random.Random(2 * _VARIANTS * seed + variant), deal(edition, seed)
    state, plies = State.start(edition, dealt), []
    while not state.is_over:
        action = rng.choice(state.legal_actions())
        plies.append(Ply(state.to_move, action_text(action, edition)))
        state = state.apply(action)
    return dealt, tuple(plies), state


def _find_game(
    edition: Edition, seed: int, number: int, winner: int
) -> tuple[Deal, tuple[Ply, ...], State]:
    """Return the first random game on a deal that this seat wins, or else the last one."""
    games = [_play(edition, seed, _VARIANTS * number + k) for k in range(_VARIANTS)]
    return next((game for game in games if game[-1].winner == winner), games[-1])


def draw_games(rng: random.Random, deals: int) -> MakeGame:
    """Return a function that makes games with the plies of random games on this many deals.

    Times and infos differ from game to game. Bots with higher numbers win more often.
    """

    def make(plan: Plan, pairing: Pairing, number: int) -> Game:
        names = (pairing.first, pairing.second)
        bots = (names[number], names[1 - number])
        first, second = (int(bot.removeprefix("bot")) for bot in bots)
        winner = int(rng.random() > 0.5 + _EDGE * (first - second))
        dealt, plies, end = _find_game(plan.edition, pairing.number % deals, number, winner)
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
            winner=end.winner,
            scores=end.scores,
        )

    return make
