"""The tournament file: read strictly, checked completely, every problem told at once."""

from pwtourney.config.load import (
    TournamentFile,
    bot_entry,
    json_schema,
    load_config,
    unwritten_file,
)
from pwtourney.config.model import (
    BotConfig,
    ClockConfig,
    DefaultsConfig,
    LimitsConfig,
    TournamentConfig,
)

__all__ = [
    "BotConfig",
    "ClockConfig",
    "DefaultsConfig",
    "LimitsConfig",
    "TournamentConfig",
    "TournamentFile",
    "bot_entry",
    "json_schema",
    "load_config",
    "unwritten_file",
]
