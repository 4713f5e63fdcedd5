"""Everything that happens during a tournament, as plain data for whoever listens."""

from typing import NamedTuple

__all__ = ["Event", "FaultSeen", "PairDone", "Started"]


class Started(NamedTuple):
    """The tournament starts, or goes on: pairs in all, and those that are stored already."""

    pairs: int
    done: int


class PairDone(NamedTuple):
    """A pair is stored. `points` are those of the bot that is named first, None if void.

    `note` says why it was played again, or why it was not played at all.
    """

    pair: int
    first: str
    second: str
    points: float | None
    note: str = ""


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


Event = Started | PairDone | FaultSeen
