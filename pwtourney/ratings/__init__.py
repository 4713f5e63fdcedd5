"""Numbers from results: Elo by maximum likelihood, intervals, and the standings."""

from pwtourney.ratings.fitness import Fitness
from pwtourney.ratings.games import Result, SeatStats
from pwtourney.ratings.head_to_head import HeadToHead
from pwtourney.ratings.margins import Massey
from pwtourney.ratings.order import Gap
from pwtourney.ratings.resources import Resources
from pwtourney.ratings.standings import standings
from pwtourney.ratings.tables import Line, Pool, RatingOptions, Standings
from pwtourney.ratings.tally import SeatGain

__all__ = [
    "Fitness",
    "Gap",
    "HeadToHead",
    "Line",
    "Massey",
    "Pool",
    "Resources",
    "Result",
    "SeatGain",
    "SeatStats",
    "Standings",
    "RatingOptions",
    "standings",
]
