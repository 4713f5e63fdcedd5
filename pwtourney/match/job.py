"""What is to be played and what came of it: plain data that crosses process boundaries."""

from typing import NamedTuple

from pwtourney.clock import TimeControl
from pwtourney.notation.game import Game, Verdict
from pwtourney.rules import Deal, Edition, State
from pwtourney.rules.automa import AUTOMA_NAME, Automa
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
"""The longest message of a fault, in characters: bots can have their words in it."""


class BotSpec(NamedTuple):
    """A bot as the referee needs it: how to start it, what to set, what it may use.

    A `persistent` bot plays many games in one process; every other gets a new one for each game,
    which is `forked` of a template where that makes no difference but in time.
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
        """Whether a program is started for it, which is not so of the Automa or a person."""
        return bool(self.launch.command)


AUTOMA = BotSpec(AUTOMA_NAME, Launch(()))
"""Stands where a bot would; nothing is started for it."""

HUMAN = BotSpec("human", Launch(()))
"""Takes the place of a bot for the player at the terminal."""


class GameSetup(NamedTuple):
    """One game: the bots by seat and the seeds they are given.

    Against the Automa the second bot is `AUTOMA`, `automa` says how it plays, and the second seed
    shuffles its deck. A game may begin from the position `start` instead of the deal's.
    """

    bots: tuple[BotSpec, BotSpec]
    edition: Edition
    deal: Deal
    seeds: tuple[int, int]
    automa: Automa | None = None
    start: State | None = None

    @property
    def bot_seats(self) -> tuple[int, ...]:
        """The seats of bots, which is not that of the Automa."""
        return (0,) if self.automa else (0, 1)


class Job(NamedTuple):
    """A pair: the number it has in the schedule, and its two games.

    `replays` is how often the pair may be played again when the machine spoiled it.
    """

    pair: int
    games: tuple[GameSetup, GameSetup]
    replays: int = 0


class PairResult(NamedTuple):
    """Both games of a job, in order.

    `remarks` are about how bots were started, each a line; nothing depends on them.
    """

    pair: int
    games: tuple[Game, Game]
    remarks: tuple[str, ...] = ()


def void_game(setup: GameSetup, reason: str, verdict: Verdict = Verdict.RUNNER_ERROR) -> Game:
    """Return a game that was not played, or does not count, through no fault of the bots."""
    return Game(
        bots=(setup.bots[0].id, setup.bots[1].id),
        edition=setup.edition.name,
        deal=setup.deal,
        seeds=setup.seeds,
        plies=(),
        verdict=verdict,
        winner=None,
        scores=(0, 0),
        note=reason,
        automa=setup.automa,
    )
