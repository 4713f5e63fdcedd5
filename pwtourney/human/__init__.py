"""A person in one seat, or in both: what they see, and how they say what to play."""

from pwtourney.human.game_loop import HumanGameLoop, HumanSoloGameLoop, Player, Question
from pwtourney.human.screen import ask_person

__all__ = ["HumanSoloGameLoop", "HumanGameLoop", "Player", "Question", "ask_person"]
