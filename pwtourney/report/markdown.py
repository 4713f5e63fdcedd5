"""The standings as Markdown."""

from pwtourney.inert import inert
from pwtourney.report.cells import HEADINGS, footnotes, row
from pwtourney.report.summary import Summary

__all__ = ["escaped", "markdown"]

_SPECIAL = r"\`*_[]<>!@|#~&"


def markdown(summary: Summary) -> str:
    """Return a page with the tables and what stands under them."""
    lines = [f"# {escaped(summary.name)}", ""]
    for number, pool in enumerate(summary.standings.pools, 1):
        if len(summary.standings.pools) > 1:
            lines += [f"## Table {number}", ""]
        lines.append("| " + " | ".join(HEADINGS) + " |")
        lines.append(
            "|" + "|".join(" :-- " if h in ("Bot", "Faults") else " --: " for h in HEADINGS) + "|"
        )
        for line in pool.lines:
            cells = row(line)
            lines.append("| " + " | ".join(escaped(cells[heading]) for heading in HEADINGS) + " |")
        lines.append("")
    lines += [f"- {escaped(note)}" for note in footnotes(summary)]
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Make a text inert in Markdown: special characters escaped, one line, no control codes."""
    return "".join(f"\\{each}" if each in _SPECIAL else each for each in inert(text))
