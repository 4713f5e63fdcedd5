"""Numbers from results: Elo by maximum likelihood, intervals, and the standings."""

from pwtourney.ratings.result import Result, SeatStats
from pwtourney.ratings.standings import Line, Pool, Standings, standings
from pwtourney.ratings.tally import Resources

__all__ = ["Line", "Pool", "Resources", "Result", "SeatStats", "Standings", "standings"]
