"""The SDK: everything that a Python bot imports.

A complete bot is a file with one class::

    from pwtourney.sdk import Action, Bot, Turn


    class Magpie(Bot):
        name = "Magpie"

        def choose(self, turn: Turn) -> Action:
            return turn.state.legal_actions()[0]

It runs with ``python -m pwtourney.sdk magpie.py`` or from a tournament file with
``file: magpie.py``.
"""

from pwtourney.clock import Limit
from pwtourney.notation import action_text
from pwtourney.protocol import GameOver, GameStart, Option, Turn
from pwtourney.rules import ADVANCE, DECLINE, Action, Edition, Player, SplitMix64, State
from pwtourney.sdk.bot import Bot, RequirementMissing, serve

__all__ = [
    "ADVANCE",
    "DECLINE",
    "Action",
    "Bot",
    "Edition",
    "GameOver",
    "GameStart",
    "Limit",
    "Option",
    "Player",
    "RequirementMissing",
    "SplitMix64",
    "State",
    "Turn",
    "action_text",
    "serve",
]
