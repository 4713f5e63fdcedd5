"""People who play: their games, what they are about to play, and a terminal to play in.

`pwtourney.human.screen` asks them in a terminal.
"""

from pwtourney.human.cursor import Cursor
from pwtourney.human.game import HumanGameLoop, Player, Question

__all__ = ["Cursor", "HumanGameLoop", "Player", "Question"]
