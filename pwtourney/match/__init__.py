"""The referee: one game, one mirrored pair, and the plain data that describes them."""

from pwtourney.match.company import Company
from pwtourney.match.game import play_at, play_game
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
    "Company",
    "Fault",
    "Game",
    "GameSetup",
    "Job",
    "PairResult",
    "Retraced",
    "Ply",
    "Usage",
    "Verdict",
    "play_at",
    "play_game",
    "play_pair",
    "retrace",
    "wrong_options",
]
