"""Statistics of games: Elo by maximum likelihood, intervals, tests and counts."""

from pwtourney.ratings.fitness import Fitness
from pwtourney.ratings.game_columns import Result
from pwtourney.ratings.meetings import HeadToHead
from pwtourney.ratings.order import Gap
from pwtourney.ratings.tally import Massey, SeatGain

__all__ = ["Fitness", "Gap", "HeadToHead", "Massey", "Result", "SeatGain"]
