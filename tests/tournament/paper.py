"""Tournaments on paper: every game is legal and verifies, and no bot is started for it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from pwtourney.executor import LostJob
from pwtourney.executor.base import NextJob
from pwtourney.match import GameSetup, Job, PairResult, PlayedGame
from pwtourney.notation.game import Fault, Game, Ply, Verdict
from pwtourney.store import ResultsFolder
from pwtourney.tournament.entrants import load_tournament
from pwtourney.tournament.events import Event
from pwtourney.tournament.plan import Plan, make_plan
from pwtourney.tournament.resume import fit_into_league, open_results
from pwtourney.tournament.run import run_tournament

__all__ = ["Paper", "lose", "play", "plan", "win_by_name"]

Outcome = Callable[[Job], PairResult | LostJob]

MICROS = 1500
"""The time of each ply in microseconds."""


def lose(setup: GameSetup, seat: int, verdict: Verdict = Verdict.CRASH, *, plies: int = 2) -> Game:
    """Return a game of `plies` advances or one more, until it is a seat's turn to lose by a fault.

    Each advance passes the other token, so the bots take turns.
    """
    game = PlayedGame(setup)
    while len(game.plies) < plies or (plies and game.state.to_move != seat):
        game.follow(Ply(game.state.to_move, "advance", MICROS))
    game.lose(Fault(seat, verdict, f"{setup.bots[seat].id} failed", log=f"log of {seat}"))
    return game.record()


def win_by_name(job: Job) -> PairResult:
    """Return a pair that the bot whose name comes first in the alphabet wins 2–0."""
    first, second = (
        lose(setup, 0 if setup.bots[0].id > setup.bots[1].id else 1) for setup in job.games
    )
    return PairResult(job.pair, (first, second))


class Paper:
    """An executor that gives each pair its result at once.

    `together` pairs are handed out, and end, at the same time; `backwards`, the last one ends
    first.
    """

    def __init__(
        self, outcome: Outcome = win_by_name, together: int = 1, *, backwards: bool = False
    ) -> None:
        self.attend: Callable[[], object] = lambda: None
        self.jobs: list[Job] = []
        self._outcome = outcome
        self._together = together
        self._backwards = backwards

    def run(self, next_job: NextJob) -> Iterator[Sequence[PairResult | LostJob]]:
        """Hand out jobs until there are none."""
        while True:
            jobs: list[Job] = []
            while len(jobs) < self._together and (job := next_job()) is not None:
                jobs.append(job)
            if not jobs:
                return
            self.jobs += jobs
            yield [self._outcome(job) for job in (jobs[::-1] if self._backwards else jobs)]

    def close(self) -> None:
        """End nothing, because nothing runs."""


def plan(folder: Path, text: str, name: str = "t.yaml") -> Plan:
    """Write a tournament file, and return its plan with seed 1 unless the file has one."""
    (folder / name).write_text(text)
    return make_plan(load_tournament(folder / name), 1)


def play(
    plan: Plan,
    folder: ResultsFolder,
    executor: Paper | None = None,
    listen: Callable[[Event], None] = lambda _: None,
    *,
    extend: bool = False,
) -> bool:
    """Play what is missing in a results folder; return True if the tournament is over."""
    folder.prepare()
    plan = fit_into_league(plan, folder, extend=extend)
    with closing(open_results(folder, plan, extend=extend, now=lambda: 0.0)) as store:
        return run_tournament(plan, store, executor or Paper(), listen)
