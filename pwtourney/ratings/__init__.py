"""Numbers from results: Elo by maximum likelihood, intervals, and the standings."""

from pwtourney.ratings.fitness import Fitness
from pwtourney.ratings.resources import Resources
from pwtourney.ratings.result import Result, SeatStats
from pwtourney.ratings.standings import Line, Pool, Standings, standings

__all__ = ["Fitness", "Line", "Pool", "Resources", "Result", "SeatStats", "Standings", "standings"]
