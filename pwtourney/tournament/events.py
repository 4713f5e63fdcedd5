"""Everything that happens during a tournament, as plain data for whoever listens."""

from typing import NamedTuple

__all__ = [
    "Ended",
    "Event",
    "FaultSeen",
    "Leader",
    "PairBegun",
    "PairDone",
    "Standing",
    "Started",
    "SuspectBot",
]


class Started(NamedTuple):
    """The tournament starts, or goes on: pairs at most, and those that are stored already."""

    pairs: int
    done: int


class PairBegun(NamedTuple):
    """A pair is handed out to be played."""

    pair: int
    first: str
    second: str


class PairDone(NamedTuple):
    """A pair is stored. `points` are those of the bot that is named first, None if void.

    `note` says why it was played again, or why it was not played at all; `status` where the
    tournament stands, if its format has something to say.
    """

    pair: int
    first: str
    second: str
    points: float | None
    note: str = ""
    status: str = ""


class FaultSeen(NamedTuple):
    """A bot lost a game by a fault, or (`bot` is None) a game is void.

    `log` is all that is known of a fault, for the bot's author.
    """

    pair: int
    game: int
    bot: str | None
    verdict: str
    message: str
    log: str = ""


class SuspectBot(NamedTuple):
    """A bot lost its first two games in this run before its first action.

    `verdict` is ``start`` if it could not be started, or ``timeout`` if its time ran out at its
    first move; `message` is that of the `game` that says more.
    """

    pair: int
    game: int
    bot: str
    verdict: str
    message: str


class Leader(NamedTuple):
    """One of the first in the table so far; `bound` is as in the standings."""

    bot: str
    elo: float | None
    plus_minus: float | None
    bound: str


class Standing(NamedTuple):
    """Where the tournament stands, told now and then.

    To tell `above` from `below` at 95 % takes `more` pairs, and so many seconds at the speed so
    far; None if nobody can say. It is 0 when they are told apart by bounds that hold at every look.
    """

    leaders: tuple[Leader, ...]
    above: str
    below: str
    more: int | None
    seconds: float


class Ended(NamedTuple):
    """The run is at its end. `over` is False if its budget was spent before the tournament was."""

    over: bool
    pairs: int


Event = Started | PairBegun | PairDone | FaultSeen | SuspectBot | Standing | Ended
