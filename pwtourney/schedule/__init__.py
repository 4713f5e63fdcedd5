"""Tournament formats: which pairs are played, as pure functions."""

from pwtourney.schedule.build import FORMATS, make_format, make_scheduler, players
from pwtourney.schedule.format import Format, FormatTable
from pwtourney.schedule.pairing import History, Pairing, PairPoints, Played
from pwtourney.schedule.scheduler import Earlier, Scheduler, replayed
from pwtourney.schedule.seeds import derived_seed
from pwtourney.schedule.until import Until

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
    "derived_seed",
    "make_format",
    "make_scheduler",
    "players",
    "replayed",
]
