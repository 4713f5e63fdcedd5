"""What is to be played and what came of it: plain data that crosses process boundaries."""

from enum import StrEnum
from typing import NamedTuple

from pwtourney.clock import TimeControl
from pwtourney.process import Hindrance
from pwtourney.rules import Deal, Edition, State
from pwtourney.rules.automa import Automa
from pwtourney.sandbox.isolation import Isolation
from pwtourney.sandbox.launch import Launch, Limits

__all__ = [
    "AUTOMA",
    "HUMAN",
    "MAX_MESSAGE",
    "BotSpec",
    "Fault",
    "Game",
    "GameSetup",
    "Job",
    "PairResult",
    "Ply",
    "Usage",
    "Verdict",
]


MAX_MESSAGE = 500
"""The longest message of a fault, in characters: bots can have their words in it."""


class Verdict(StrEnum):
    """How a game ended: a fault of a bot, or `FINISHED`, `DISQUALIFIED` or `RUNNER_ERROR`."""

    FINISHED = "finished"
    TIMEOUT = "timeout"
    CRASH = "crash"
    ILLEGAL = "illegal"
    PROTOCOL = "protocol"
    OUTPUT_LIMIT = "output-limit"
    MEMORY = "memory"
    START = "start"
    DISQUALIFIED = "disqualified"
    RUNNER_ERROR = "runner-error"

    @property
    def is_void(self) -> bool:
        """Whether a game with this verdict counts for nobody."""
        return self in (Verdict.DISQUALIFIED, Verdict.RUNNER_ERROR)

    @property
    def is_fault(self) -> bool:
        """Whether a bot loses by this verdict."""
        return self is not Verdict.FINISHED and not self.is_void


class BotSpec(NamedTuple):
    """A bot as the referee needs it: how to start it, what to set, what it may use.

    A `persistent` bot plays many games in one process; every other gets a new one for each game.
    """

    id: str
    launch: Launch
    options: tuple[tuple[str, str], ...] = ()
    control: TimeControl = TimeControl()
    limits: Limits = Limits()
    isolation: Isolation = Isolation()
    persistent: bool = False


AUTOMA = BotSpec("automa", Launch(()))
"""Stands where a bot would; nothing is started for it."""

HUMAN = BotSpec("human", Launch(()))
"""Stands where a bot would, for whoever sits at the terminal."""


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


class Job(NamedTuple):
    """A pair: the number it has in the schedule, and its two games.

    `replays` is how often the pair may be played again when the machine spoiled it.
    """

    pair: int
    games: tuple[GameSetup, GameSetup]
    replays: int = 0


class Ply(NamedTuple):
    """One action as it was played.

    The seat, the canonical text (of the Automa: the card), wall and processor time in
    microseconds, and the bot's last ``info``.
    """

    seat: int
    action: str
    micros: int
    cpu: int = 0
    info: str = ""


class Fault(NamedTuple):
    """What a bot did wrong, and the beginning of what it wrote to standard error.

    `machine` says of a time-out what the machine did meanwhile, where that is known. `log` is
    everything that the bot's author may want to read; it is not stored with the game.
    """

    seat: int
    verdict: Verdict
    message: str
    stderr: str = ""
    machine: Hindrance | None = None
    log: str = ""


class Usage(NamedTuple):
    """What one bot used in one game, beside the time of its plies.

    `start` is the time from the start of its process until it was ready, in microseconds, 0 if it
    was running already; `pondering` is processor time in its opponent's time, in microseconds;
    `peak` is the most memory of all its processes together, in KiB; then bytes that it was sent,
    that it wrote, and that it wrote to standard error.
    """

    start: int = 0
    pondering: int = 0
    peak: int = 0
    received: int = 0
    written: int = 0
    stderr: int = 0


class Game(NamedTuple):
    """A game that has ended.

    `bots`, `usage` and `profiles` (what kept each bot from the rest) are by seat. `winner` is a
    seat; None if the game counts for nobody, which is so if it is void, or if both bots failed at
    once. `scores` are those of the position where it ended; `note` says why a game is void, or
    why it was played again, which happened `replays` times.
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
    replays: int = 0
    usage: tuple[Usage, Usage] = (Usage(), Usage())
    profiles: tuple[str, str] = ("", "")
    automa: Automa | None = None

    @classmethod
    def void(cls, setup: GameSetup, reason: str, verdict: Verdict = Verdict.RUNNER_ERROR) -> "Game":
        """Return a game that was not played, or does not count, through no fault of the bots."""
        return cls(
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

    @property
    def points(self) -> tuple[float, float] | None:
        """What each seat gets: 1 or 0, half a point each if both failed, None if void."""
        if self.verdict.is_void:
            return None
        if self.winner is None:
            return 0.5, 0.5
        return (1.0, 0.0) if self.winner == 0 else (0.0, 1.0)


class PairResult(NamedTuple):
    """Both games of a job, in order."""

    pair: int
    games: tuple[Game, Game]
