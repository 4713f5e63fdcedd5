"""The standings as Markdown."""

from collections.abc import Mapping, Sequence

from pwtourney.report.resources import RESOURCE_HEADINGS, resource_rows
from pwtourney.report.rows import HEADINGS, footnotes, format_row
from pwtourney.report.summary import Summary
from pwtourney.sanitize import sanitize
from pwtourney.schedule import FormatTable

__all__ = ["escape", "markdown"]

_SPECIAL = r"\`*_[]<>!@|#~&"


def markdown(summary: Summary) -> str:
    """Return a page with the tables and what stands under them."""
    lines = [f"# {escape(summary.name)}", ""]
    if summary.table:
        lines += _format_table(summary.table)
    for number, pool in enumerate(summary.standings.pools, 1):
        if len(summary.standings.pools) > 1:
            lines += [f"## Table {number}", ""]
        lines += [*_table(HEADINGS, [format_row(line) for line in pool.lines]), ""]
    lines += [f"- {escape(note)}" for note in footnotes(summary)]
    if summary.gates:
        lines += ["", "## Gates", "", *(f"- {escape(str(gate))}" for gate in summary.gates)]
    lines += ["", "## Resources", ""]
    lines += _table(RESOURCE_HEADINGS, resource_rows(summary))
    return "\n".join(lines) + "\n"


def _format_table(table: FormatTable) -> list[str]:
    rows = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
    notes = [f"- {escape(note)}" for note in table.notes]
    return [f"## {escape(table.title)}", "", *_table(table.headings, rows), "", *notes, ""]


def _table(headings: Sequence[str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    aligned = (
        " :-- " if heading in ("Bot", "Faults", "Sandbox") else " --: " for heading in headings
    )
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join(aligned) + "|"]
    cells = ([escape(row[heading]) for heading in headings] for row in rows)
    return lines + ["| " + " | ".join(row) + " |" for row in cells]


def escape(text: str) -> str:
    """Make a text harmless in Markdown: special characters escaped, one line, no control codes."""
    return "".join(f"\\{mark}" if mark in _SPECIAL else mark for mark in sanitize(text))
