"""Everything that happens during a tournament, as plain data for whoever listens."""

from typing import NamedTuple

__all__ = ["Event", "FaultSeen", "PairDone", "Started"]


class Started(NamedTuple):
    """The tournament starts, or goes on: pairs in all, and those that are stored already."""

    pairs: int
    done: int


class PairDone(NamedTuple):
    """A pair is stored. `points` are those of the bot that is named first, None if void."""

    pair: int
    first: str
    second: str
    points: float | None


class FaultSeen(NamedTuple):
    """A bot lost a game by a fault, or (`bot` is None) a game is void."""

    pair: int
    game: int
    bot: str | None
    verdict: str
    message: str


Event = Started | PairDone | FaultSeen
