"""From the plain data that a store keeps to a scheduler."""

from collections.abc import Mapping, Sequence
from typing import Any

from pwtourney.ratings.sprt import Sprt
from pwtourney.schedule.format import Format
from pwtourney.schedule.knockout import Knockout
from pwtourney.schedule.pairing import History
from pwtourney.schedule.round_robin import AUTOMA_NAME, Focus, Gauntlet, RoundRobin, SoloFormat
from pwtourney.schedule.scheduler import Earlier, Scheduler, StopRule
from pwtourney.schedule.sprt import SprtFormat
from pwtourney.schedule.swiss import Swiss
from pwtourney.schedule.until import Until

__all__ = ["FORMATS", "make_format", "make_scheduler", "players"]

FORMATS = ("round-robin", "gauntlet", "swiss", "knockout", "sprt", "focus", "solo")


def make_scheduler(
    schedule: Mapping[str, Any], bots: Sequence[str], earlier: Earlier | None = None
) -> Scheduler:
    """Make the scheduler that a schedule describes; what bots have met `earlier` is left out.

    `schedule` holds ``format``, ``pairs``, ``deals`` (``fresh`` or ``shared``), ``deal_count``
    (of shared deals, None for no end), ``until`` (the fields of `Until`), and what
    the format has: ``challengers``, ``rounds``, ``sprt``, or ``automa``.
    """
    until = Until(**schedule["until"]) if schedule["until"] else None
    if earlier and until:  # of bots that play no more nothing is to be expected
        there = frozenset(bots)
        history = [each for each in earlier.history if there.issuperset(each.pairing[1:3])]
        earlier = earlier._replace(history=tuple(history))
    return Scheduler(
        make_format(schedule, bots),
        schedule["deals"],
        _asked(until, bots) if until else None,
        schedule.get("deal_count"),
        earlier,
    )


def _asked(until: Until, bots: Sequence[str]) -> StopRule:
    """Return the rule, which waits for every bot to have played: some may be new."""

    def holds(history: History) -> bool:
        played = {bot for each in history for bot in each.pairing[1:3]}
        return played.issuperset(bots) and until.holds(history)

    return holds


def players(schedule: Mapping[str, Any], bots: Sequence[str]) -> tuple[str, ...]:
    """Return who is in the tables: the bots, and the Automa where they play against it."""
    return (*bots, AUTOMA_NAME) if schedule["format"] == "solo" else tuple(bots)


def make_format(schedule: Mapping[str, Any], bots: Sequence[str]) -> Format:
    """Make the format that a schedule describes."""
    there, pairs = tuple(bots), schedule["pairs"]
    match schedule["format"]:
        case "round-robin":
            return RoundRobin(there, pairs)
        case "focus":
            return Focus(there, pairs)
        case "swiss":
            return Swiss(there, schedule["rounds"], pairs)
        case "knockout":
            return Knockout(there, pairs)
        case "gauntlet":
            challengers = tuple(schedule["challengers"])
            field = tuple(bot for bot in there if bot not in challengers)
            return Gauntlet(challengers, field, pairs)
        case "sprt":
            return SprtFormat(there, Sprt(**schedule["sprt"]))
        case "solo":
            return SoloFormat(there, pairs, **schedule["automa"])
        case unknown:
            raise ValueError(f"there is no format {unknown!r}")
