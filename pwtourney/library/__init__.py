"""Tournaments, games and ratings for programs: what ``import pwtourney`` offers.

Whatever starts a bot runs in a process of its own (`pwtourney.library.process`), because it becomes
the parent of every process that bots leave behind and ends them: in the process of the caller that
would be children of the caller too.
"""

from pwtourney.library.games import play_game
from pwtourney.library.tournaments import (
    Tournament,
    TournamentResult,
    TournamentRun,
    play_tournament,
    rate,
    verify,
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
