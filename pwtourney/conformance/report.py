"""What a check has found, for people and for programs."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from pwtourney.conformance.step import CheckContext, Outcome
from pwtourney.report.junit import Case, junit_suite
from pwtourney.sanitize import sanitize

__all__ = [
    "RULES",
    "VERDICTS",
    "check_json",
    "check_junit",
    "failure_text",
    "outcome_text",
    "rules_for",
    "timing_text",
]

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
        "the process ended, or closed standard input or output",
    ),
    "output-limit": ("What loses a game", "a line of over 64 KiB, or over 16 MiB in one game"),
    "memory": (
        "What loses a game",
        "all its processes together used more memory than they may",
    ),
}
"""What the protocol says of each verdict that says enough by itself."""

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
"""What it says of what a fault is about."""


def outcome_text(outcome: Outcome) -> str:
    """Return the line of one step."""
    step, seconds = outcome.step, outcome.seconds
    took = f" {seconds:.1f} s" if seconds >= 0.1 else ""
    why = f": {sanitize(outcome.message)}" if outcome.status == "skipped" else ""
    return f"{outcome.number:>3}  {step.title}: {_MARKS[outcome.status]}{took}{why}"


def failure_text(outcome: Outcome) -> Iterator[str]:
    """Yield what the author of a bot wants to read about a failure."""
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
    """Return what the protocol says of a step: of how it failed first, then of what it is about.

    Each is a heading of ``docs/protocol.md``, and a sentence below it.
    """
    step, fault = outcome.step, outcome.fault
    broken = (RULES.get(fault.about) or VERDICTS.get(fault.verdict)) if fault else None
    return list(dict.fromkeys([*([broken] if broken else []), (step.section, step.rule)]))


def timing_text(context: CheckContext) -> Iterator[str]:
    """Yield how long the bot took to start and to answer, and what else was noticed."""
    if context.start_ns:
        low, high = min(context.start_ns) / _MS, max(context.start_ns) / _MS
        yield f"Started {len(context.start_ns)} times: ready after {low:.0f} to {high:.0f} ms"
    if context.answers:
        took = sorted(each.took_ns / _MS for each in context.answers)
        late = took[min(len(took) - 1, len(took) * 99 // 100)]
        yield (
            f"Answered {len(took)} times: half of them within {median(took):.1f} ms, 99 % within"
            f" {late:.1f} ms, the slowest after {took[-1]:.1f} ms"
        )
        if context.most_used is not None:
            yield f"At most {100 * context.most_used:.0f} % of the time allowed was used"
    yield from (f"Noticed: {sanitize(each)}" for each in dict.fromkeys(context.notices))


def check_json(name: str, context: CheckContext, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return everything as plain data."""
    took = [round(each.took_ns / _MS, 3) for each in context.answers]
    return {
        "bot": name,
        "passed": not any(each.status == "failed" for each in outcomes),
        "seed": context.seed,
        "steps": [
            {
                "number": each.number,
                "name": each.step.name,
                "title": each.step.title,
                "status": each.status,
                "seconds": round(each.seconds, 3),
                "message": each.message,
                "protocol": [
                    {"section": section, "rule": rule} for section, rule in rules_for(each)
                ],
                "lines": list(each.lines),
                "stderr": list(each.stderr),
            }
            for each in outcomes
        ],
        "answers": {"count": len(took), "median_ms": median(took), "slowest_ms": max(took)}
        if took
        else None,
        "start_ms": [round(each / _MS, 3) for each in context.start_ns],
        "noticed": list(dict.fromkeys(context.notices)),
    }


def check_junit(name: str, outcomes: Sequence[Outcome]) -> str:
    """Return a test case for each step."""
    return junit_suite(
        f"check {name}",
        [
            Case(
                "check",
                f"{each.number} {each.step.title}",
                each.message if each.status == "failed" else None,
                each.message if each.status == "skipped" else None,
                "\n".join(failure_text(each)) if each.status == "failed" else "",
                each.seconds,
            )
            for each in outcomes
        ],
    )
