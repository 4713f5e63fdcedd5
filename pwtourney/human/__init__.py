"""People who play: their games, what they are about to play, and a terminal to play in.

`pwtourney.human.screen` asks them in a terminal.
"""

from pwtourney.human.cursor import Cursor
from pwtourney.human.game import Player, Question, play_with_people

__all__ = ["Cursor", "Player", "Question", "play_with_people"]
