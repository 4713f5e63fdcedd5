"""What a bot makes of the plies of a game: what it would have played, and the margin it expects."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pwtourney.match.conversation import Answer
from pwtourney.match.retrace import Retraced
from pwtourney.notation import is_card
from pwtourney.notation.record import FINISHED, RecordedGame

__all__ = ["Evaluation", "evaluation_of", "largest_swings", "with_swings"]

_SWINGS = 5
_SCORE = re.compile(
    r"(?:(?!text )[^ ]+ [^ ]+ )*?score (-?[0-9]{1,9}(?:\.[0-9]{1,9})?)(?: |$)", re.ASCII
)
"""Words in pairs up to a score; behind ``text`` anything may stand."""


class Evaluation(NamedTuple):
    """One ply: what was played, what the bot would have played, and the margin that it expects.

    `margin` is that of seat 0 before the ply, in points; None if the bot said none. `swing` is what
    the ply changed for whoever played it.
    """

    number: int
    seat: int
    action: str
    choice: str | None
    margin: float | None
    swing: float | None = None


def evaluation_of(each: Retraced) -> Evaluation | None:
    """Return what a bot makes of one ply; None where none was played."""
    if each.ply is None:
        return None
    seat, answer = each.ply.seat, each.answer
    choice = answer.ply.action if answer else None
    margin = _margin(answer) if answer else None
    if margin is not None and seat == 1:
        margin = -margin
    return Evaluation(each.number, seat, each.ply.action, choice, margin)


def with_swings(evaluations: Sequence[Evaluation], game: RecordedGame) -> list[Evaluation]:
    """Say for each ply what it changed: to the next evaluation, or to the result."""
    done: list[Evaluation] = []
    complete = len(evaluations) == len(game.plies) and game.verdict == FINISHED
    following = float(game.scores[0] - game.scores[1]) if complete else None
    for each in reversed(evaluations):
        swing = None
        if each.margin is not None and following is not None:
            swing = (following - each.margin) * (1 if each.seat == 0 else -1)
        done.append(each._replace(swing=swing))
        if not is_card(each.action):
            following = each.margin
    return done[::-1]


def largest_swings(evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Return the plies that cost or won most, in their order."""
    swung = [each for each in evaluations if each.swing]
    most = sorted(swung, key=lambda each: -abs(each.swing or 0.0))[:_SWINGS]
    return sorted(most, key=lambda each: each.number)


def _margin(answer: Answer) -> float | None:
    """Return the last ``score`` that a bot said before it answered: the margin of its seat."""
    found = (_SCORE.match(info) for info in reversed(answer.infos))
    return next((float(said[1]) for said in found if said), None)
