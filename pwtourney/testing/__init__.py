"""Help for the tests of a bot's author.

>>> from pwtourney.sdk import Action, Bot, Turn
>>> class Magpie(Bot):
...     def choose(self, turn: Turn) -> Action:
...         return turn.state.legal_actions()[0]
>>> from pwtourney.testing import Scripted, play_out
>>> game = play_out(Magpie(), Scripted("advance"), seed=7)
>>> game.state.is_over, game.plies[0].action
(True, 'advance')

`play_out` and `ask` run a Python bot in the process of the test, over the same text that it
hears in a tournament; `assert_conformant` takes the steps of ``pwtourney check`` with a bot in any
language, in a process of its own.
"""

from pwtourney.testing.conformant import assert_conformant
from pwtourney.testing.inprocess import PlayedOut, PlayedPly, Scripted, ask, play_out

__all__ = ["PlayedOut", "PlayedPly", "Scripted", "ask", "assert_conformant", "play_out"]
