"""From the plain data that a store keeps to a scheduler."""

from collections.abc import Mapping, Sequence
from typing import Any

from pwtourney.ratings.pairs import Sprt
from pwtourney.schedule.format import Format
from pwtourney.schedule.knockout import Knockout
from pwtourney.schedule.pairing import History
from pwtourney.schedule.round_robin import AUTOMA_NAME, Focus, Gauntlet, RoundRobin, SoloFormat
from pwtourney.schedule.scheduler import Earlier, Scheduler, StopRule, Until
from pwtourney.schedule.sprt import SprtFormat
from pwtourney.schedule.swiss import Swiss

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
    if earlier and until:
        # Bots that have left the league play no more: an interval of theirs that is too wide would
        # never become narrower, and the rule never hold.
        staying = frozenset(bots)
        history = [played for played in earlier.history if staying.issuperset(played.pairing[1:3])]
        earlier = earlier._replace(history=tuple(history))
    return Scheduler(
        make_format(schedule, bots),
        schedule["deals"],
        _wait_for_everybody(until, bots) if until else None,
        schedule.get("deal_count"),
        earlier,
    )


def _wait_for_everybody(until: Until, bots: Sequence[str]) -> StopRule:
    """Return a rule that does not hold before every bot has played."""

    # `Until` knows the bots from the history only: what others have played before may be enough
    # for it, while a bot that is new to the league is not in the table yet.
    def holds(history: History) -> bool:
        seen = {bot for played in history for bot in played.pairing[1:3]}
        return seen.issuperset(bots) and until.holds(history)

    return holds


def players(schedule: Mapping[str, Any], bots: Sequence[str]) -> tuple[str, ...]:
    """Return who is in the tables: the bots, and the Automa where they play against it."""
    return (*bots, AUTOMA_NAME) if schedule["format"] == "solo" else tuple(bots)


def make_format(schedule: Mapping[str, Any], bots: Sequence[str]) -> Format:
    """Make the format that a schedule describes."""
    names, pairs = tuple(bots), schedule["pairs"]
    match schedule["format"]:
        case "round-robin":
            return RoundRobin(names, pairs)
        case "focus":
            return Focus(names, pairs)
        case "swiss":
            return Swiss(names, schedule["rounds"], pairs)
        case "knockout":
            return Knockout(names, pairs)
        case "gauntlet":
            challengers = tuple(schedule["challengers"])
            field = tuple(bot for bot in names if bot not in challengers)
            return Gauntlet(challengers, field, pairs)
        case "sprt":
            return SprtFormat(names, Sprt(**schedule["sprt"]))
        case "solo":
            return SoloFormat(names, pairs, **schedule["automa"])
        case unknown:
            raise ValueError(f"there is no format {unknown!r}")
