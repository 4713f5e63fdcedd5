"""Run a check from its first step to its last, and report the findings."""

import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import median
from typing import Any, Literal, NamedTuple

from pwtourney.conformance import opening, positions, whole_games
from pwtourney.conformance.talk import CheckContext, NotForThisBot, Step
from pwtourney.errors import BotFault
from pwtourney.report.text.machine import Case, junit_suite
from pwtourney.sanitize import sanitize

__all__ = [
    "AFTER_FAILURE",
    "RULES",
    "STEPS",
    "VERDICTS",
    "Outcome",
    "check_json",
    "check_junit",
    "closing_text",
    "list_notices",
    "outcome_text",
    "rules_for",
    "take_steps",
]

STEPS: tuple[Step, ...] = (*opening.STEPS, *positions.STEPS, *whole_games.STEPS)
"""Every step; its number is its position here, counted from 1."""

AFTER_FAILURE = "an earlier step failed"
"""The reason of steps that were skipped without being tried."""

_MOST_LINES = 30
_LONGEST = 400
_MARKS = {"passed": "ok", "failed": "FAILED", "skipped": "left out"}
_MS = 1e6

VERDICTS = {
    "timeout": (
        "A turn",
        "An answer that is late by any amount loses the game (verdict `timeout`)",
    ),
    "illegal": ("What loses a game", "a well-written action that the rules forbid"),
    "crash": (
        "What loses a game",
        (
            "the process ended, or closed its standard output, or its standard input before it"
            " read all"
        ),
    ),
    "output-limit": ("What loses a game", "a line of over 64 KiB, or over 16 MiB in one game"),
    "memory": (
        "What loses a game",
        "all its processes together used more memory than they may",
    ),
}
"""The sentences of the protocol about verdicts that are specific enough on their own."""

RULES = {
    "turns": ("Lines", "A bot answers only what it was asked."),
    "text": ("Lines", "A line is UTF-8 text without control characters"),
    "answer": ("Lines", "Words are separated by one space."),
    "handshake": ("The handshake", "ends the handshake"),
    "start-up": ("The handshake", "must come within the start-up time (10 s)"),
    "options": ("The handshake", "Its TYPE says what follows:"),
    "editions": ("The handshake", "the bot plays this edition; may be repeated"),
    "actions": ("Actions", "Squares are a column letter and a row number; `a1` is top left."),
}
"""The sentences of the protocol about the subject of a fault."""


class Outcome(NamedTuple):
    """The outcome of a step: the message of a failure or why it was skipped, and the evidence.

    `fault` is what the bot did, if the step failed. `lines` are the last that were sent (``>``) and
    received (``<``), and `stderr` is the end of the bot's standard error; both are empty unless the
    step failed.
    """

    number: int
    step: Step
    status: Literal["passed", "failed", "skipped"]
    seconds: float
    message: str = ""
    fault: BotFault | None = None
    lines: tuple[str, ...] = ()
    stderr: tuple[str, ...] = ()


def take_steps(context: CheckContext, *, keep_going: bool = False) -> Iterator[Outcome]:
    """Run the steps in order and yield the outcome of each.

    After the first failure the rest is skipped; with `keep_going` only if the failed step is vital,
    because no later step makes sense without it.
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
    try:
        step.take(context)
    except NotForThisBot as reason:
        return Outcome(number, step, "skipped", time.monotonic() - begun, str(reason))
    except BotFault as fault:
        lines, stderr = context.evidence  # the lines are truncated already
        # The patch lines of a game are folded into one, because the others add nothing. Only text
        # after the time is matched: a bot may write the same words, and its lines are shown
        # unchanged.
        folded: list[str] = []
        for is_patch, group in groupby(lines, lambda line: " > patch " in line[:24]):
            several = list(group)
            if is_patch and len(several) > 2:
                folded += [several[0], f"{'':12} … {len(several) - 1} more lines of patches"]
            else:
                folded += several
        cut = [s if len(s) <= _LONGEST else f"{s[:_LONGEST]} … ({len(s)})" for s in stderr]
        return Outcome(
            number,
            step,
            "failed",
            time.monotonic() - begun,
            f"{fault.verdict}: {fault}",
            fault,
            tuple(_keep_last(folded)),
            tuple(_keep_last(cut)),
        )
    return Outcome(number, step, "passed", time.monotonic() - begun)


def _keep_last(lines: Sequence[str]) -> list[str]:
    """Return the last lines, preceded by the number of those left out."""
    more = len(lines) - _MOST_LINES
    return [*([f"… {more} lines before"] if more > 0 else []), *lines[-_MOST_LINES:]]


def outcome_text(outcome: Outcome) -> str:
    """Return the line of one step."""
    step, seconds = outcome.step, outcome.seconds
    took = f" {seconds:.1f} s" if seconds >= 0.1 else ""  # most would show 0.0 s
    why = f": {sanitize(outcome.message)}" if outcome.status == "skipped" else ""
    return f"{outcome.number:>3}  {step.title}: {_MARKS[outcome.status]}{took}{why}"


def closing_text(context: CheckContext, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the summary after all steps: times, the first failure, and counts."""
    yield ""
    yield from _timing_text(context)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    if failed:
        yield ""
        yield from _failure_text(failed[0])
    passed = sum(outcome.status == "passed" for outcome in outcomes)
    skipped = sum(outcome.status == "skipped" for outcome in outcomes)
    yield ""
    yield f"{passed} steps passed, {len(failed)} failed, {skipped} left out"


def _failure_text(outcome: Outcome) -> Iterator[str]:
    """Yield the details of a failure for the author of a bot."""
    step = outcome.step
    yield f"Step {outcome.number} ({step.name}) failed: {step.title}."
    yield f"  {sanitize(outcome.message)}"
    yield ""
    yield "docs/protocol.md says:"
    yield from (f"  {section}: {rule}" for section, rule in rules_for(outcome))
    for title, lines in (
        ("What was sent (>) and what came back (<), with milliseconds:", outcome.lines),
        ("The end of its standard error:", outcome.stderr),
    ):
        yield ""
        yield title
        yield from (f"  {sanitize(line)}" for line in lines or ("nothing",))


def rules_for(outcome: Outcome) -> list[tuple[str, str]]:
    """Return what the protocol says about a step: about the fault first, then about its subject.

    Each is a heading of ``docs/protocol.md``, and a sentence below it.
    """
    # the subject of a fault is more specific than its verdict: most have the verdict `protocol`
    step, fault = outcome.step, outcome.fault
    broken = (RULES.get(fault.about) or VERDICTS.get(fault.verdict)) if fault else None
    return list(dict.fromkeys([*([broken] if broken else []), (step.section, step.rule)]))


def _timing_text(context: CheckContext) -> Iterator[str]:
    """Yield how long the bot took to start and to answer, and further notices."""
    if context.start_ns:
        low, high = min(context.start_ns) / _MS, max(context.start_ns) / _MS
        yield f"Started {len(context.start_ns)} times: ready after {low:.0f} to {high:.0f} ms"
    if context.answers:
        # by nearest rank, so that it is a time that was actually measured
        took = sorted(answer.took_ns / _MS for answer in context.answers)
        late = took[min(len(took) - 1, len(took) * 99 // 100)]
        yield (
            f"Answered {len(took)} times: half of them within {median(took):.1f} ms, 99 % within"
            f" {late:.1f} ms, the slowest after {took[-1]:.1f} ms"
        )
        if context.most_used is not None:
            yield f"At most {100 * context.most_used:.0f} % of the time allowed was used"
    yield from (f"Noticed: {sanitize(notice)}" for notice in list_notices(context))


def list_notices(context: CheckContext) -> list[str]:
    """Return what the author of the bot should know although no step failed."""
    # every conversation may produce the same notice; the author needs it once
    notices = list(dict.fromkeys(context.notices))
    grace = context.spec.limits.end_ms
    # the usual time, because a busy machine may delay some exits
    usual = median(context.exit_ns) / _MS if context.exit_ns else 0
    if usual > grace:
        notices.append(
            f"it exits {usual:.0f} ms after it is asked to; a tournament kills it after {grace} ms"
        )
    return notices


def check_json(name: str, context: CheckContext, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return everything as plain data."""
    took = [round(answer.took_ns / _MS, 3) for answer in context.answers]
    return {
        "bot": name,
        "passed": not any(outcome.status == "failed" for outcome in outcomes),
        "seed": context.seed,
        "steps": [
            {
                "number": outcome.number,
                "name": outcome.step.name,
                "title": outcome.step.title,
                "status": outcome.status,
                "seconds": round(outcome.seconds, 3),
                "message": outcome.message,
                "protocol": [
                    {"section": section, "rule": rule} for section, rule in rules_for(outcome)
                ],
                "lines": list(outcome.lines),
                "stderr": list(outcome.stderr),
            }
            for outcome in outcomes
        ],
        "answers": {"count": len(took), "median_ms": median(took), "slowest_ms": max(took)}
        if took
        else None,
        "start_ms": [round(start / _MS, 3) for start in context.start_ns],
        "noticed": list_notices(context),
    }


def check_junit(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return a JUnit report with a test case for each step."""
    return junit_suite(
        f"check {name}",
        [
            Case(
                "check",
                f"{outcome.number} {outcome.step.title}",
                outcome.message if outcome.status == "failed" else None,
                outcome.message if outcome.status == "skipped" else None,
                "\n".join(_failure_text(outcome)) if outcome.status == "failed" else "",
                outcome.seconds,
            )
            for outcome in outcomes
        ],
    )
