"""Challengers against a field, and not each other."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pwtourney.schedule.format import Format
from pwtourney.schedule.pairing import History, Meeting

__all__ = ["Gauntlet"]


@dataclass(frozen=True)
class Gauntlet(Format):
    """Each challenger plays `pairs` mirrored pairs against each bot of the field.

    A wave is one pair of each challenger with each of the field, in rounds in which every
    challenger moves on to the next opponent. Who has the first seat first alternates.
    """

    challengers: tuple[str, ...]
    field: tuple[str, ...]
    pairs: int

    def wave(self, index: int, history: History) -> Sequence[Meeting]:
        """Return one pair of each challenger with each of the field."""
        if index >= self.pairs:
            return ()
        size = len(self.field)
        found = [
            (challenger, self.field[(place + turn) % size])
            for turn in range(size)
            for place, challenger in enumerate(self.challengers)
        ]
        return found if index % 2 == 0 else [pair[::-1] for pair in found]

    def most(self) -> int:
        """Return the number of pairs."""
        return self.pairs * len(self.challengers) * len(self.field)

    def fixed(self) -> dict[str, Any]:
        """Return who challenges."""
        return {"challengers": list(self.challengers)}
