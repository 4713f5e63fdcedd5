"""The referee: one game, one mirrored pair, and the plain data that describes them."""

from pwtourney.match.bot_pool import BotPool
from pwtourney.match.game import play_game, play_loop
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
from pwtourney.match.pair import play_pair
from pwtourney.match.probe import wrong_options
from pwtourney.match.retrace import Retraced, retrace

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
    "wrong_options",
]
