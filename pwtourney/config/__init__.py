"""The tournament file: read strictly, checked completely, every problem told at once."""

from pwtourney.config.load import (
    TournamentFile,
    bot_entry,
    json_schema,
    load_config,
    unwritten_file,
)
from pwtourney.config.model import (
    AffinityConfig,
    BotConfig,
    ClockConfig,
    DefaultsConfig,
    ExecutorConfig,
    LimitsConfig,
    TournamentConfig,
)

__all__ = [
    "BotConfig",
    "ClockConfig",
    "AffinityConfig",
    "DefaultsConfig",
    "ExecutorConfig",
    "LimitsConfig",
    "TournamentConfig",
    "TournamentFile",
    "bot_entry",
    "json_schema",
    "load_config",
    "unwritten_file",
]
