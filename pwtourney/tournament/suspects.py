"""Bots that cannot be right: the first games of each are looked at before many are played.

A bot that cannot be started, or whose time runs out at its first move, in both games of its first
pair, is most likely not a weak bot but one that lacks something. Only games of this run count, so
one that was put right goes on without a word, and only games that say something about it: no void
ones, none in which the other bot failed before this one was asked, and no time-out by the machine.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from pwtourney.match import Fault, Game, PairResult, Verdict
from pwtourney.tournament.events import SuspectBot

__all__ = ["Suspects", "early_fault"]

_GAMES = 2
"""How many games of a bot are looked at: those of its first pair, if both count."""


class _First(NamedTuple):
    """One of a bot's first games, and the fault by which it lost before its first action."""

    pair: int
    game: int
    fault: Fault | None


class Suspects:
    """Takes in pairs as they end, and looks at the first games of each bot."""

    def __init__(self) -> None:
        self._first: defaultdict[str, list[_First]] = defaultdict(list)

    def done(self, result: PairResult) -> Iterator[SuspectBot]:
        """Take in a pair; yield each bot that has now lost its first games before it played."""
        for number, game in enumerate(result.games):
            for seat, bot in enumerate(game.bots):
                first = self._first[bot]
                if len(first) < _GAMES and _tells(game, seat):
                    first.append(_First(result.pair, number, early_fault(game, seat)))
                    if len(first) == _GAMES:
                        yield from _suspect(bot, first)


def early_fault(game: Game, seat: int) -> Fault | None:
    """Return the fault by which a bot lost before its first action, by its start or its clock."""
    fault = _fault(game, seat)
    if fault is None:
        return None
    unanswered = fault.verdict is Verdict.TIMEOUT and not _has_played(game, seat)
    return fault if unanswered or fault.verdict is Verdict.START else None


def _tells(game: Game, seat: int) -> bool:
    """Tell whether a game says anything about how a bot begins."""
    if game.verdict.is_void:
        return False
    fault = _fault(game, seat)
    if fault is None:
        return _has_played(game, seat)
    return fault.machine is None or not fault.machine.is_to_blame


def _fault(game: Game, seat: int) -> Fault | None:
    return next((fault for fault in game.faults if fault.seat == seat), None)


def _has_played(game: Game, seat: int) -> bool:
    return any(ply.seat == seat for ply in game.plies)


def _suspect(bot: str, first: list[_First]) -> Iterator[SuspectBot]:
    """Yield the bot if it failed in all of its first games; a failed start explains the most."""
    failed = [(each, each.fault) for each in first if each.fault is not None]
    if len(failed) == len(first):
        game, fault = max(failed, key=lambda each: each[1].verdict is Verdict.START)
        yield SuspectBot(game.pair, game.game, bot, str(fault.verdict), fault.message)
