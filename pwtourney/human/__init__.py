"""A person in one seat, or in both: what they see, and how they say what to play."""

from pwtourney.human.screen import ask_person
from pwtourney.human.table import HumanSoloTable, HumanTable, Player, Question

__all__ = ["HumanSoloTable", "HumanTable", "Player", "Question", "ask_person"]
