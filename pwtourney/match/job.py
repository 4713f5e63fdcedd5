"""Jobs and their results: plain data that crosses process boundaries."""

from typing import NamedTuple

from pwtourney.clock import TimeControl
from pwtourney.notation.game import Game, Verdict
from pwtourney.rules import Deal, Edition, State
from pwtourney.rules.automa import AUTOMA_NAME, Automa, list_bot_seats
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = [
    "AUTOMA",
    "HUMAN",
    "MAX_MESSAGE",
    "BotSpec",
    "GameSetup",
    "Job",
    "PairResult",
    "void_game",
]


MAX_MESSAGE = 500
"""The maximum length of a fault's message, in characters: it can quote the bot."""


class BotSpec(NamedTuple):
    """A bot as the referee needs it: how to start it, its options, and its limits.

    A `persistent` bot plays many games in one process. Every other bot gets a new process for each
    game; it may be `forked` from a template, which only changes the time to start.
    """

    id: str
    launch: Launch
    options: tuple[tuple[str, str], ...] = ()
    control: TimeControl = TimeControl()
    limits: Limits = Limits()
    isolation: Isolation = Isolation()
    persistent: bool = False
    forked: bool = False

    @property
    def has_process(self) -> bool:
        """True if it has a process; the Automa and people have none."""
        return bool(self.launch.command)


AUTOMA = BotSpec(AUTOMA_NAME, Launch(()))
"""The Automa in the place of a bot; it has no process."""

HUMAN = BotSpec("human", Launch(()))
"""The person at the terminal in the place of a bot."""


class GameSetup(NamedTuple):
    """One game: its bots and seeds, by seat.

    Against the Automa the second bot is `AUTOMA`, `automa` holds its settings, and the second seed
    shuffles its deck. A game may begin with the position `start` instead of the deal's.
    """

    bots: tuple[BotSpec, BotSpec]
    edition: Edition
    deal: Deal
    seeds: tuple[int, int]
    automa: Automa | None = None
    start: State | None = None

    @property
    def bot_seats(self) -> tuple[int, ...]:
        """The seats of bots, without that of the Automa."""
        return list_bot_seats(self.automa)

    def record(self, verdict: Verdict) -> Game:
        """Return the record of a game without plies, which nobody has won."""
        return Game(
            bots=(self.bots[0].id, self.bots[1].id),
            edition=self.edition.name,
            deal=self.deal,
            seeds=self.seeds,
            plies=(),
            verdict=verdict,
            winner=None,
            scores=(0, 0),
            automa=self.automa,
        )


class Job(NamedTuple):
    """A pair to play: its number in the schedule, and its two games.

    `replays` is how often the pair may be played again because of problems of the machine.
    """

    pair: int
    games: tuple[GameSetup, GameSetup]
    replays: int = 0


class PairResult(NamedTuple):
    """The result of a job: both games, in order.

    `remarks` say how bots were started, one a line; they have no effect on results.
    """

    pair: int
    games: tuple[Game, Game]
    remarks: tuple[str, ...] = ()


def void_game(setup: GameSetup, reason: str, verdict: Verdict = Verdict.RUNNER_ERROR) -> Game:
    """Return a game that was not played, or does not count, through no fault of its bots."""
    return setup.record(verdict)._replace(note=reason)
