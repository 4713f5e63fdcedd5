"""The referee: one game, one mirrored pair, and the plain data that describes them."""

from pwtourney.match.company import Company
from pwtourney.match.game import play_game
from pwtourney.match.job import (
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
from pwtourney.match.solo import SoloGame, play_solo

__all__ = [
    "BotSpec",
    "Company",
    "Fault",
    "Game",
    "GameSetup",
    "Job",
    "PairResult",
    "Ply",
    "SoloGame",
    "Usage",
    "Verdict",
    "play_game",
    "play_pair",
    "play_solo",
    "wrong_options",
]
