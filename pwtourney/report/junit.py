"""JUnit's XML, which CI systems show as a list of tests."""

from collections.abc import Sequence
from html import escape  # what xml.sax has for it imports urllib, and with it ssl: 20 ms a start
from typing import NamedTuple

from pwtourney.sanitize import sanitize

__all__ = ["Case", "junit_suite", "xml_attribute", "xml_text"]


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
    head = f"<testsuite name={xml_attribute(name)} {counts}>"
    first = ('<?xml version="1.0" encoding="UTF-8"?>', "<testsuites>", head)
    return "\n".join([*first, *map(_format_case, cases), "</testsuite>", "</testsuites>", ""])


def xml_text(text: str) -> str:
    """Make a text one that XML can hold."""
    return "".join(
        each if each.isprintable() and each not in "\ufffe\uffff" else "?"
        for each in sanitize(text)
    )


def xml_attribute(text: str) -> str:
    """Make a text the value of an attribute, with its quotes."""
    return f'"{escape(xml_text(text))}"'


def _format_case(case: Case) -> str:
    head = f"<testcase classname={xml_attribute(case.kind)} name={xml_attribute(case.name)}"
    if case.seconds is not None:
        head += f' time="{case.seconds:.3f}"'
    if case.skipped is not None:
        return f"{head}><skipped message={xml_attribute(case.skipped)}/></testcase>"
    if case.failure is None:
        return f"{head}/>"
    details = "\n".join(escape(xml_text(line)) for line in case.details.split("\n"))
    failure = f"<failure message={xml_attribute(case.failure)}"
    return f"{head}>{failure}{f'>{details}</failure>' if details else '/>'}</testcase>"
