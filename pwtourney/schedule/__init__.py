"""Tournament formats: which pairs are played, as pure functions."""

from pwtourney.schedule.league import FORMATS, make_format, make_scheduler, players
from pwtourney.schedule.pairing import (
    Format,
    FormatTable,
    History,
    Pairing,
    PairPoints,
    Played,
    derive_seed,
)
from pwtourney.schedule.scheduler import Earlier, Scheduler, Until, replay

__all__ = [
    "Earlier",
    "FORMATS",
    "Format",
    "FormatTable",
    "History",
    "PairPoints",
    "Pairing",
    "Played",
    "Scheduler",
    "Until",
    "derive_seed",
    "make_format",
    "make_scheduler",
    "players",
    "replay",
]
