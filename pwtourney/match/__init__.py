"""The referee: one game, one mirrored pair, and the plain data that describes them."""

from pwtourney.match.analysis import Retraced, retrace
from pwtourney.match.bot_pool import BotPool, find_wrong_options
from pwtourney.match.game_loop import play_game, play_loop, play_pair
from pwtourney.match.job import (
    AUTOMA,
    HUMAN,
    BotSpec,
    Fault,
    Game,
    GameSetup,
    Job,
    PairResult,
    Ply,
    Usage,
    Verdict,
)

__all__ = [
    "AUTOMA",
    "HUMAN",
    "BotSpec",
    "BotPool",
    "Fault",
    "Game",
    "GameSetup",
    "Job",
    "PairResult",
    "Retraced",
    "Ply",
    "Usage",
    "Verdict",
    "play_loop",
    "play_game",
    "play_pair",
    "retrace",
    "find_wrong_options",
]
