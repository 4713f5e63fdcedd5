"""The referee: plays one game or one mirrored pair; and the plain data that describes them."""

from pwtourney.match.analysis import RetracedPly, retrace
from pwtourney.match.bot_pool import (
    BotPool,
    ask_introduction,
    ask_options,
    find_wrong_options,
)
from pwtourney.match.game_loop import GameLoop, play_game, play_loop, play_pair
from pwtourney.match.job import AUTOMA, HUMAN, BotSpec, GameSetup, Job, PairResult, void_game
from pwtourney.match.played_game import PlayedGame

__all__ = [
    "AUTOMA",
    "HUMAN",
    "BotPool",
    "GameLoop",
    "BotSpec",
    "GameSetup",
    "Job",
    "PairResult",
    "PlayedGame",
    "RetracedPly",
    "ask_introduction",
    "ask_options",
    "find_wrong_options",
    "play_game",
    "play_loop",
    "play_pair",
    "retrace",
    "void_game",
]
