"""What is to be played and what came of it: plain data that crosses process boundaries."""

from enum import StrEnum
from typing import NamedTuple

from pwtourney.clock import TimeControl
from pwtourney.process import Launch, Limits
from pwtourney.rules import Deal, Edition

__all__ = [
    "MAX_MESSAGE",
    "BotSpec",
    "Fault",
    "Game",
    "GameSetup",
    "Job",
    "PairResult",
    "Ply",
    "Verdict",
]


MAX_MESSAGE = 500
"""The longest message of a fault, in characters: bots can have their words in it."""


class Verdict(StrEnum):
    """How a game ended. All but `FINISHED` and `RUNNER_ERROR` are faults of a bot."""

    FINISHED = "finished"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    OUTPUT_LIMIT = "output-limit"
    START = "start"
    RUNNER_ERROR = "runner-error"


class BotSpec(NamedTuple):
    """A bot as the referee needs it: how to start it, what to set, what it may use."""

    id: str
    launch: Launch
    options: tuple[tuple[str, str], ...] = ()
    control: TimeControl = TimeControl()
    limits: Limits = Limits()


class GameSetup(NamedTuple):
    """One game: the bots by seat and the seeds they are given."""

    bots: tuple[BotSpec, BotSpec]
    edition: Edition
    deal: Deal
    seeds: tuple[int, int]


class Job(NamedTuple):
    """A mirrored pair: the number it has in the schedule, and its two games."""

    pair: int
    games: tuple[GameSetup, GameSetup]


class Ply(NamedTuple):
    """One action as it was played.

    The seat, the canonical text, wall time in microseconds, and the bot's last ``info``.
    """

    seat: int
    action: str
    micros: int
    info: str = ""


class Fault(NamedTuple):
    """What a bot did wrong, and the beginning of what it wrote to standard error."""

    seat: int
    verdict: Verdict
    message: str
    stderr: str = ""


class Game(NamedTuple):
    """A game that has ended.

    `bots` are ids by seat. `winner` is a seat; None if the game counts for nobody, which is so
    after a `RUNNER_ERROR`, or if both bots failed at once. `scores` are those of the position
    where it ended; `note` says why a game is void.
    """

    bots: tuple[str, str]
    edition: str
    deal: Deal
    seeds: tuple[int, int]
    plies: tuple[Ply, ...]
    verdict: Verdict
    winner: int | None
    scores: tuple[int, int]
    faults: tuple[Fault, ...] = ()
    note: str = ""

    @classmethod
    def void(cls, setup: GameSetup, reason: str) -> "Game":
        """Return a game that could not be played through no fault of the bots."""
        return cls(
            bots=(setup.bots[0].id, setup.bots[1].id),
            edition=setup.edition.name,
            deal=setup.deal,
            seeds=setup.seeds,
            plies=(),
            verdict=Verdict.RUNNER_ERROR,
            winner=None,
            scores=(0, 0),
            note=reason,
        )

    @property
    def points(self) -> tuple[float, float] | None:
        """What each seat gets: 1 or 0, half a point each if both failed, None if void."""
        if self.verdict is Verdict.RUNNER_ERROR:
            return None
        if self.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.winner == 0 else (0.0, 1.0)


class PairResult(NamedTuple):
    """Both games of a job, in order."""

    pair: int
    games: tuple[Game, Game]
