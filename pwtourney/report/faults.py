"""The faults of a tournament for its page, grouped by kind, with some of their games."""

import re
from collections.abc import Iterator

from pwtourney.notation.game import Fault, Game

__all__ = ["FaultGroup", "FaultIndex", "FaultKey", "fault_key", "name_kind"]

FaultKey = tuple[str, str, str]
"""A bot, a verdict, and a message in which all numbers are replaced by 0."""

_MOST_GROUPS = 100
_GAMES_OF_GROUP = 10
_MOST_FURTHER = 100
"""Games kept of all groups together, in addition to the first game of each."""

_NUMBER = re.compile(r"[0-9]+")


def fault_key(record: Game, fault: Fault) -> FaultKey:
    """Return the key that equal faults share."""
    return record.bots[fault.seat], str(fault.verdict), _equate(fault.message)


def name_kind(bot: str, verdict: str, message: str) -> str:
    """Return one text that equal faults share, for elements of a page."""
    return f"{bot}: {verdict}: {_equate(message)}"


def _equate(message: str) -> str:
    """Return a message without its numbers: durations and process ids differ between games."""
    return _NUMBER.sub("0", message)


class FaultGroup:
    """Faults of one `bot` with the same verdict and, except for numbers in it, the same message.

    `count` counts all of them; `faults` contains the first ones with their games.
    """

    def __init__(self, bot: str) -> None:
        self.bot = bot
        self.count = 0
        self.faults: list[tuple[Game, Fault]] = []


class FaultIndex:
    """Collects faults; if there are many, only some are kept.

    `count` counts games with a fault, and `others` the faults that are in none of the `groups`.
    """

    def __init__(self) -> None:
        self.count = self.others = 0
        self._groups: dict[FaultKey, FaultGroup] = {}
        self._further = 0

    @property
    def groups(self) -> list[FaultGroup]:
        """The groups, in the order of their first faults."""
        return [*self._groups.values()]

    def games(self) -> Iterator[Game]:
        """Yield the games that are kept; one with two faults comes twice."""
        for group in self._groups.values():
            yield from (game for game, _ in group.faults)

    def add(self, record: Game) -> None:
        """Add the faults of a game."""
        self.count += bool(record.faults)
        for fault in record.faults:
            key = fault_key(record, fault)
            if key not in self._groups and len(self._groups) == _MOST_GROUPS:
                self.others += 1
                continue
            group = self._groups.setdefault(key, FaultGroup(key[0]))
            group.count += 1
            if group.faults:
                if len(group.faults) == _GAMES_OF_GROUP or self._further == _MOST_FURTHER:
                    continue
                self._further += 1
            group.faults.append((record, fault))
