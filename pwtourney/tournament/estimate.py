"""Estimate what a tournament takes: pairs, time, disk space, and the width of its intervals."""

import math
from statistics import NormalDist
from typing import NamedTuple

from pwtourney.match import BotSpec
from pwtourney.ratings.bradley_terry import NATURAL
from pwtourney.schedule import make_format
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
    with independent games. It is None for formats without an estimate. If it `varies` between bots,
    it is that of the widest interval.
    """

    pairs: int
    seconds: float
    bytes: int
    plus_minus: float | None
    varies: bool = False


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
    game = slowest[0] if plan.schedule.opponent else sum(slowest[:2])
    variance = None
    if not plan.schedule.until:
        variance = make_format(plan.schedule, plan.bots).rating_variance()
    plus_minus = None
    if variance:
        plus_minus = NormalDist().inv_cdf(0.975) * math.sqrt(variance.largest) / NATURAL
    return Estimate(
        pairs=left,
        seconds=math.ceil(left / slots) * 2 * game,
        bytes=left * 2 * (_BYTES_A_GAME + _USUAL_PLIES * _BYTES_A_PLY),
        plus_minus=plus_minus,
        varies=variance is not None and variance.varies,
    )


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
