"""Games with people: the loop, the action that they prepare, and a terminal screen.

The screen is `pwtourney.human.screen`; it asks people for their actions.
"""

from pwtourney.human.cursor import Cursor
from pwtourney.human.terminal_game import Player, Question, play_with_people

__all__ = ["Cursor", "Player", "Question", "play_with_people"]
