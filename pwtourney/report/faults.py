"""The faults of a tournament for its page, grouped by kind, with some of their games."""

import re
from collections.abc import Iterator

from pwtourney.errors import TimeoutFault
from pwtourney.notation.game import Fault, Game
from pwtourney.process.silence import NOT_FLUSHED

__all__ = ["FaultGroup", "FaultIndex", "FaultKey", "describe_cause", "fault_key"]

FaultKey = tuple[str, str, str]
"""A bot, a verdict, and a message in which all numbers are replaced by 0."""

_MOST_GROUPS = 100
_GAMES_OF_GROUP = 10
_MOST_FURTHER = 100
"""Games kept of all groups together, in addition to the first game of each."""

_NUMBER = re.compile(r"[0-9]+")
_NO_CAUSE = str(TimeoutFault())
_HELD_UP = "the machine held it up"


def describe_cause(fault: Fault) -> str:
    """Return the message of a fault; or that the machine held the bot up, where it did.

    The notes of the standings count such a timeout as the machine's doing. That the answer lies in
    a buffer is only a guess, so the machine replaces it. What the bot wrote is a fact, and stays.
    """
    message, machine = fault.message, fault.machine
    is_silent = message.startswith(_NO_CAUSE)
    if not is_silent or machine is None or not machine.is_to_blame:
        return message
    if NOT_FLUSHED in message:
        return message.replace(NOT_FLUSHED, _HELD_UP)
    return f"{message}{':' if message == _NO_CAUSE else ';'} {_HELD_UP}"


def fault_key(record: Game, fault: Fault) -> FaultKey:
    """Return the key that equal faults share."""
    # durations and process ids differ from game to game
    message = _NUMBER.sub("0", describe_cause(fault))
    return record.bots[fault.seat], str(fault.verdict), message


class FaultGroup:
    """Equal faults: those with the same `key`.

    `count` counts all of them; `faults` contains the first ones with their games.
    """

    def __init__(self, key: FaultKey) -> None:
        self.key = key
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
            group = self._groups.setdefault(key, FaultGroup(key))
            group.count += 1
            if group.faults:
                if len(group.faults) == _GAMES_OF_GROUP or self._further == _MOST_FURTHER:
                    continue
                self._further += 1
            group.faults.append((record, fault))
