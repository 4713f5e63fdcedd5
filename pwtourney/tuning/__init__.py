"""Tuning methods: find the best values of a bot's options by playing games.

A method only computes: `Method.ask` returns two sets of values that are to meet, and `Method.tell`
takes the outcome. Both return the same whenever the outcomes are the same.
"""

from pwtourney.tuning.method import METHODS, Method, Outcome, Probe, make_method
from pwtourney.tuning.space import Dimension, Values

__all__ = ["METHODS", "Dimension", "Method", "Outcome", "Probe", "Values", "make_method"]
