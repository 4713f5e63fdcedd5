"""The standings as Markdown."""

from collections.abc import Mapping, Sequence

from pwtourney.report.resources import RESOURCE_HEADINGS, resource_rows
from pwtourney.report.rows import HEADINGS, footnotes, format_row
from pwtourney.report.summary import Summary
from pwtourney.sanitize import sanitize
from pwtourney.schedule import FormatTable

__all__ = ["escaped", "markdown"]

_SPECIAL = r"\`*_[]<>!@|#~&"


def markdown(summary: Summary) -> str:
    """Return a page with the tables and what stands under them."""
    lines = [f"# {escaped(summary.name)}", ""]
    if summary.table:
        lines += _format_table(summary.table)
    for number, pool in enumerate(summary.standings.pools, 1):
        if len(summary.standings.pools) > 1:
            lines += [f"## Table {number}", ""]
        lines += [*_table(HEADINGS, [format_row(line) for line in pool.lines]), ""]
    lines += [f"- {escaped(note)}" for note in footnotes(summary)]
    if summary.gates:
        lines += ["", "## Gates", "", *(f"- {escaped(str(gate))}" for gate in summary.gates)]
    lines += ["", "## Resources", ""]
    lines += _table(RESOURCE_HEADINGS, resource_rows(summary))
    return "\n".join(lines) + "\n"


def _format_table(table: FormatTable) -> list[str]:
    rows = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
    notes = [f"- {escaped(note)}" for note in table.notes]
    return [f"## {escaped(table.title)}", "", *_table(table.headings, rows), "", *notes, ""]


def _table(headings: Sequence[str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    aligned = (" :-- " if each in ("Bot", "Faults", "Sandbox") else " --: " for each in headings)
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join(aligned) + "|"]
    cells = ([escaped(each[heading]) for heading in headings] for each in rows)
    return lines + ["| " + " | ".join(each) + " |" for each in cells]


def escaped(text: str) -> str:
    """Make a text sanitize in Markdown: special characters escaped, one line, no control codes."""
    return "".join(f"\\{each}" if each in _SPECIAL else each for each in sanitize(text))
