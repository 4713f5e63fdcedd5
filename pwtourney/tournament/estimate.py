"""Estimate what a tournament takes: pairs, time, disk space, and the width of its intervals."""

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from pwtourney.match import BotSpec
from pwtourney.ratings.bradley_terry import NATURAL
from pwtourney.tournament.plan import Plan

__all__ = ["Estimate", "estimate"]

_BYTES_A_GAME = 600
_BYTES_A_PLY = 25
"""Bytes of a record: a fixed part and a part per ply, measured on bots that send little output."""

_USUAL_PLIES = 60
_WALL_FACTOR = 10
"""Wall time allowed per CPU time for a CPU clock, if the file sets no wall limit."""


class Estimate(NamedTuple):
    """The most pairs; the seconds if every bot uses all of its time in all of them; bytes on disk.

    `plus_minus` is half the width of the expected 95 % interval in Elo, for bots of equal strength
    with independent games, where every two bots that meet play the same number of pairs. It is None
    for other formats. If only some bots meet, it is the widest interval.
    """

    pairs: int
    seconds: float
    bytes: int
    plus_minus: float | None


def estimate(plan: Plan, slots: int, played: int = 0) -> Estimate:
    """Estimate what is left of a plan, with `slots` games at a time and `played` pairs stored."""
    left = max(0, plan.share - played)
    edition = plan.edition
    # Each ply moves a token, takes a patch, or places one. Both tokens move at most to the end,
    # every patch is taken at most once, and every special patch is placed or declined once.
    late = len(edition.late.patches) if edition.late else 0
    patches = len(edition.circle_patches) + late + len(edition.leather_marks)
    moves = edition.last_space + patches  # of each of the two bots
    slowest = sorted((_bound_seconds(bot.spec, moves) for bot in plan.entrants), reverse=True)
    form = plan.schedule.format
    game = sum(slowest[:2]) if form != "solo" else slowest[0]
    plus_minus = None
    if form == "round-robin" and not plan.schedule.until:
        variance = _find_variance(plan)
        plus_minus = NormalDist().inv_cdf(0.975) * math.sqrt(variance) / NATURAL
    return Estimate(
        pairs=left,
        seconds=math.ceil(left / slots) * 2 * game,
        bytes=left * 2 * (_BYTES_A_GAME + _USUAL_PLIES * _BYTES_A_PLY),
        plus_minus=plus_minus,
    )


def _find_variance(plan: Plan) -> float:
    """Return the largest variance of a rating relative to the mean, for bots of equal strength."""
    bots, pairs = len(plan.bots), plan.schedule.pairs
    if plan.schedule.reach is None:
        # The information of c pairs for each two of n bots is c/2 (n·I − 11ᵀ), so the variance is
        # 2 (n − 1)/(c n²).
        return 2 * (bots - 1) / (pairs * bots**2)
    # In general it is c/2 · L, where L is the Laplacian matrix of who meets whom. L has no inverse,
    # because a constant can be added to all ratings. With 11ᵀ/n added it has one, which also
    # contains 11ᵀ/n.
    steps = np.abs(np.subtract.outer(np.arange(bots), np.arange(bots)))
    meet = (steps > 0) & (steps <= min(plan.schedule.reach, bots))
    information = np.diag(meet.sum(axis=1)) - meet + 1 / bots
    widest = float(np.diag(np.linalg.inv(information)).max())
    return 2 / pairs * (widest - 1 / bots)


def _bound_seconds(bot: BotSpec, moves: int) -> float:
    """Return the most seconds that one bot may take for one game."""
    limits, control = bot.limits, bot.control
    factor = _WALL_FACTOR if control.cpu else 1
    if control.game_ms is not None:
        thinking = factor * (control.game_ms + moves * control.increment_ms)
    elif control.cpu and control.wall_ms is not None:
        thinking = moves * control.wall_ms
    else:
        thinking = factor * moves * (control.move_ms or 0)
    if limits.move_ms:
        thinking = min(thinking, moves * limits.move_ms)
    # `start` counts twice: once for the handshake, once for getting ready for the game
    return (2 * limits.start_ms + limits.end_ms + thinking) / 1000
