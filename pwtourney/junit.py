"""JUnit's XML, which CI systems show as a list of tests."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from pwtourney.sanitize import sanitize

__all__ = ["Case", "junit_suite", "xml_text"]


class Case(NamedTuple):
    """One test: what it belongs to, its name, and why it failed or was left out, if it was.

    `details` is what stands below the message of a failure; `seconds` how long it took, if known.
    """

    kind: str
    name: str
    failure: str | None = None
    skipped: str | None = None
    details: str = ""
    seconds: float | None = None


def junit_suite(name: str, cases: Sequence[Case]) -> str:
    """Return a document with one suite."""
    failures = sum(case.failure is not None for case in cases)
    skipped = sum(case.skipped is not None for case in cases)
    counts = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    head = f"<testsuite name={quoteattr(xml_text(name))} {counts}>"
    first = ('<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head)
    return "\n".join([*first, *map(_written, cases), "</testsuite>", "</testsuites>", ""])


def xml_text(text: str) -> str:
    """Make a text one that XML can hold."""
    return "".join(
        each if each.isprintable() and each not in "\ufffe\uffff" else "?"
        for each in sanitize(text)
    )


def _written(case: Case) -> str:
    head = f"<testcase classname={quoteattr(case.kind)} name={quoteattr(xml_text(case.name))}"
    if case.seconds is not None:
        head += f' time="{case.seconds:.3f}"'
    if case.skipped is not None:
        return f"{head}><skipped message={quoteattr(xml_text(case.skipped))}/></testcase>"
    if case.failure is None:
        return f"{head}/>"
    details = "\n".join(escape(xml_text(line)) for line in case.details.split("\n"))
    failure = f"<failure message={quoteattr(xml_text(case.failure))}"
    return f"{head}>{failure}{f'>{details}</failure>' if details else '/>'}</testcase>"
