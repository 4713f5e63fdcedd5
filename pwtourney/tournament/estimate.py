"""What a tournament will take, before anything is started."""

import math
from typing import NamedTuple

from pwtourney.clock import TimeControl
from pwtourney.match import BotSpec
from pwtourney.ratings.bradley_terry import NATURAL
from pwtourney.rules import Edition
from pwtourney.tournament.plan import Plan

__all__ = ["Estimate", "estimate", "even_interval", "most_plies"]

_BYTES_A_GAME = 600
_BYTES_A_PLY = 25
"""A record: what is said once, and of each ply, as measured on bots that say little."""

_USUAL_PLIES = 60
_95 = 1.959963985


class Estimate(NamedTuple):
    """Pairs at most; seconds if every bot used all of its time in all of them; bytes on disk.

    `plus_minus` is the 95 % interval to expect, in Elo, for bots of even strength whose games are
    independent, where every two bots play as many pairs; None for other formats.
    """

    pairs: int
    seconds: float
    bytes: int
    plus_minus: float | None


def estimate(plan: Plan, slots: int, played: int = 0) -> Estimate:
    """Work out what is left to play of a plan, in so many slots, after so many pairs."""
    left = max(0, plan.share - played)
    plies = most_plies(plan.edition)
    slowest = sorted((_most_seconds(each.spec, plies) for each in plan.entrants), reverse=True)
    game = sum(slowest[:2]) if plan.schedule["format"] != "solo" else slowest[0]
    form = plan.schedule["format"]
    balanced = form == "round-robin" and not plan.schedule["until"]
    return Estimate(
        pairs=left,
        seconds=math.ceil(left / slots) * 2 * game,
        bytes=left * 2 * (_BYTES_A_GAME + _USUAL_PLIES * _BYTES_A_PLY),
        plus_minus=even_interval(len(plan.bots), plan.schedule["pairs"]) if balanced else None,
    )


def most_plies(edition: Edition) -> int:
    """Return how many plies a game can have: each moves a token, takes a patch, or places one.

    Both tokens move at most to the end, every patch is taken at most once, every special patch is
    placed or declined once.
    """
    late = len(edition.late.patches) if edition.late else 0
    patches = len(edition.circle_patches) + late + len(edition.leather_marks)
    return 2 * edition.last_space + 2 * patches


def even_interval(bots: int, pairs: int) -> float:
    """Return half the 95 % interval of a rating, in Elo, if all bots are even.

    The information of a round robin with c pairs for each two of n bots is c/2 (n·I − 11ᵀ), so the
    variance relative to the mean is 2 (n − 1)/(c n²).
    """
    return _95 * math.sqrt(2 * (bots - 1) / (pairs * bots**2)) / NATURAL


def _most_seconds(bot: BotSpec, plies: int) -> float:
    """Return how long one bot may take for one game."""
    moves = plies // 2
    limits = bot.limits
    fixed = (2 * limits.start_ms + limits.end_ms) / 1000
    return fixed + _thinking_ms(bot.control, limits.move_ms, moves) / 1000


def _thinking_ms(control: TimeControl, most_a_move: int | None, moves: int) -> float:
    factor = 10 if control.cpu else 1
    if control.game_ms is not None:
        total = factor * (control.game_ms + moves * control.increment_ms)
    elif control.cpu and control.wall_ms is not None:
        total = moves * control.wall_ms
    else:
        total = factor * moves * (control.move_ms or 0)
    return min(total, moves * most_a_move) if most_a_move else total
