"""All steps in their order, taken one after another."""

import time
from collections.abc import Iterator, Sequence
from itertools import groupby

from pwtourney.conformance import games, manners, opening, turns
from pwtourney.conformance.step import CheckContext, NotForThisBot, Outcome, Step
from pwtourney.errors import BotFault

__all__ = ["AFTER_FAILURE", "STEPS", "take_steps"]

STEPS: tuple[Step, ...] = (*opening.STEPS, *turns.STEPS, *manners.STEPS, *games.STEPS)
"""Every step; its number is its place here, counted from 1."""

_MOST_LINES = 30
_LONGEST = 400
AFTER_FAILURE = "an earlier step failed"
"""Why a step was left out that was not tried at all."""


def take_steps(context: CheckContext, *, keep_going: bool = False) -> Iterator[Outcome]:
    """Take the steps in order and yield what came of each.

    After the first failure the rest is left out; with `keep_going` only if it was a step without
    which nothing else makes sense.
    """
    stopped = False
    for number, step in enumerate(STEPS, 1):
        if stopped:
            yield Outcome(number, step, "skipped", 0.0, AFTER_FAILURE)
            continue
        outcome = _take(context, number, step)
        stopped = outcome.status == "failed" and (step.vital or not keep_going)
        yield outcome


def _take(context: CheckContext, number: int, step: Step) -> Outcome:
    begun = time.monotonic()
    context.forget()
    try:
        step.take(context)
    except NotForThisBot as reason:
        return Outcome(number, step, "skipped", time.monotonic() - begun, str(reason))
    except BotFault as fault:
        lines, stderr = context.evidence
        return Outcome(
            number,
            step,
            "failed",
            time.monotonic() - begun,
            f"{fault.verdict}: {fault}",
            fault,
            tuple(_keep_last(_fold_patches(lines))),
            tuple(_keep_last([_cut(line) for line in stderr])),
        )
    return Outcome(number, step, "passed", time.monotonic() - begun)


def _fold_patches(lines: Sequence[str]) -> list[str]:
    """Leave one line of the patches of a game, which say nothing new."""
    folded: list[str] = []
    for is_patch, group in groupby(lines, _is_patch):
        several = list(group)
        if is_patch and len(several) > 2:
            folded += [several[0], f"{'':12} … {len(several) - 1} more lines of patches"]
        else:
            folded += several
    return folded


def _is_patch(line: str) -> bool:
    return " > patch " in line[:24]


def _keep_last(lines: Sequence[str]) -> list[str]:
    """Return the last lines, and say if they are not all."""
    more = len(lines) - _MOST_LINES
    return [*([f"… {more} lines before"] if more > 0 else []), *lines[-_MOST_LINES:]]


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]} … ({len(line)})"
