"""Which values of a bot's options are best: methods that ask for games and learn from them.

A method is pure numbers: `Method.ask` returns two sets of values that are to meet, `Method.tell`
takes what came of it, and both are the same whenever the outcomes are the same.
"""

from pwtourney.tuning.method import METHODS, Method, Outcome, Probe, make_method
from pwtourney.tuning.space import Dimension, Values

__all__ = ["METHODS", "Dimension", "Method", "Outcome", "Probe", "Values", "make_method"]
