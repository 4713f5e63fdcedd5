"""Numbers from results: Elo by maximum likelihood, intervals, and the standings."""

from pwtourney.ratings.result import Result, SeatStats
from pwtourney.ratings.standings import Line, Pool, Standings, standings

__all__ = ["Line", "Pool", "Result", "SeatStats", "Standings", "standings"]
