"""Tournament formats: which pairs are played, as pure functions."""

from pwtourney.schedule.build import FORMATS, make_format, make_scheduler, players
from pwtourney.schedule.format import Format, FormatTable
from pwtourney.schedule.pairing import History, Pairing, PairPoints, Played, derive_seed
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
