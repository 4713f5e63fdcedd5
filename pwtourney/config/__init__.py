"""The tournament file: read strictly and checked completely; all problems are reported at once."""

from pwtourney.config.bot_table import (
    BotConfig,
    ClockConfig,
    DefaultsConfig,
    LimitsConfig,
    parse_duration,
)
from pwtourney.config.load import (
    TournamentFile,
    bot_entry,
    json_schema,
    list_values,
    load_config,
    read_config,
    unwritten_file,
)
from pwtourney.config.model import AffinityConfig, ExecutorConfig, TournamentConfig

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
    "list_values",
    "load_config",
    "parse_duration",
    "read_config",
    "unwritten_file",
]
