"""Statistics in terms of the game: squares, buttons, patches, income and time of each bot."""

from pwtourney.report.game_statistics.averages import Averages
from pwtourney.report.game_statistics.collect import (
    NO_STATISTICS,
    BotStatistics,
    GameStatistics,
    StatisticsCollector,
    WorstGame,
)
from pwtourney.report.game_statistics.expectations import Expectation

__all__ = [
    "NO_STATISTICS",
    "Averages",
    "BotStatistics",
    "Expectation",
    "GameStatistics",
    "StatisticsCollector",
    "WorstGame",
]
