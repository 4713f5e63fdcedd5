"""The tournament file: read strictly, checked completely, every problem told at once."""

from pwtourney.config.load import TournamentFile, bot_entry, json_schema, load_config
from pwtourney.config.model import BotConfig, ClockConfig, TournamentConfig

__all__ = [
    "BotConfig",
    "ClockConfig",
    "TournamentConfig",
    "TournamentFile",
    "bot_entry",
    "json_schema",
    "load_config",
]
