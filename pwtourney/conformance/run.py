"""All steps in their order, taken one after another."""

import time
from collections.abc import Iterator

from pwtourney.conformance import games, manners, opening, turns
from pwtourney.conformance.step import Desk, NotForThisBot, Outcome, Step
from pwtourney.errors import BotFault

__all__ = ["STEPS", "take_steps"]

STEPS: tuple[Step, ...] = (*opening.STEPS, *turns.STEPS, *manners.STEPS, *games.STEPS)
"""Every step; its number is its place here, counted from 1."""

_MOST_LINES = 24
_AFTER_FAILURE = "an earlier step failed"


def take_steps(desk: Desk, *, keep_going: bool = False) -> Iterator[Outcome]:
    """Take the steps in order and yield what came of each.

    After the first failure the rest is left out; with `keep_going` only if it was a step without
    which nothing else makes sense.
    """
    stopped = False
    for number, step in enumerate(STEPS, 1):
        if stopped:
            yield Outcome(number, step, "skipped", 0.0, _AFTER_FAILURE)
            continue
        outcome = _take(desk, number, step)
        stopped = outcome.status == "failed" and (step.vital or not keep_going)
        yield outcome


def _take(desk: Desk, number: int, step: Step) -> Outcome:
    begun = time.monotonic()
    desk.last = None
    try:
        step.take(desk)
    except NotForThisBot as reason:
        return Outcome(number, step, "skipped", time.monotonic() - begun, str(reason))
    except BotFault as fault:
        lines: tuple[str, ...] = ()
        stderr: tuple[str, ...] = ()
        if desk.last is not None:
            lines = tuple(desk.last.lines())[-_MOST_LINES:]
            stderr = tuple(desk.last.stderr()[-_MOST_LINES:])
        message = f"{fault.verdict}: {fault}"
        return Outcome(number, step, "failed", time.monotonic() - begun, message, lines, stderr)
    return Outcome(number, step, "passed", time.monotonic() - begun)
