"""Every bot against the Automa."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pwtourney.schedule.format import Format
from pwtourney.schedule.pairing import History, Meeting

__all__ = ["AUTOMA_NAME", "SoloFormat"]

AUTOMA_NAME = "automa"
"""What the Automa is called where bots have names; no bot may be called so in this format."""


@dataclass(frozen=True)
class SoloFormat(Format):
    """Each bot plays `pairs` pairs of games against the Automa; a wave is one pair of each bot.

    In a wave all bots play the same deal, and meet the same two orders of the Automa's deck, one
    in each game; the bot always moves first, as the rules have it.
    """

    bots: tuple[str, ...]
    pairs: int
    level: str
    tactical: bool

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each bot."""
        return [(bot, AUTOMA_NAME) for bot in self.bots] if index < self.pairs else ()

    def most(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.bots)

    def fixed(self) -> dict[str, Any]:
        """Return how the Automa plays."""
        return {"automa": {"level": self.level, "tactical": self.tactical}}
