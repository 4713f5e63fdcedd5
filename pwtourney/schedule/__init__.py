"""Tournament formats: which pairs are played, as pure functions."""

from pwtourney.schedule.league import (
    FORMATS,
    FormatName,
    Schedule,
    list_players,
    make_format,
    make_scheduler,
)
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
    "FormatName",
    "FormatTable",
    "History",
    "PairPoints",
    "Pairing",
    "Played",
    "Schedule",
    "Scheduler",
    "Until",
    "derive_seed",
    "list_players",
    "make_format",
    "make_scheduler",
    "replay",
]
