"""The table: every bot rated from the results of all games, and what is decided by it."""

from pwtourney.standings.rate import standings
from pwtourney.standings.resources import Resources
from pwtourney.standings.table import Line, Pool, RatingOptions, Standings

__all__ = ["Line", "Pool", "RatingOptions", "Resources", "Standings", "standings"]
