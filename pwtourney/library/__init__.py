"""Tournaments, games and ratings for programs: what ``import pwtourney`` offers.

Whatever starts a bot runs in a process of its own (`pwtourney.library.apart`), because it becomes
the parent of every process that bots leave behind and ends them: in the process of the caller that
would be children of the caller too.
"""

from pwtourney.library.games import play_game
from pwtourney.library.tables import rate, verify
from pwtourney.library.tournaments import (
    Tournament,
    TournamentResult,
    TournamentRun,
    play_tournament,
)

__all__ = [
    "Tournament",
    "TournamentResult",
    "TournamentRun",
    "play_game",
    "play_tournament",
    "rate",
    "verify",
]
