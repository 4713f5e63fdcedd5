"""The standings on a terminal."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pwtourney.inert import inert
from pwtourney.ratings import Pool, Standings
from pwtourney.ratings.nash import nash_mixture
from pwtourney.report.cells import (
    HEADINGS,
    MIDDLE_HEADINGS,
    NARROW_HEADINGS,
    NARROWEST_HEADINGS,
    footnotes,
    row,
)
from pwtourney.report.depth import DepthTable
from pwtourney.report.matrix import MATRIX_NOTE, matrix_headings, matrix_rows
from pwtourney.report.resources import (
    NARROW_RESOURCE_HEADINGS,
    RESOURCE_HEADINGS,
    resource_rows,
)
from pwtourney.report.summary import Summary
from pwtourney.schedule import FormatTable

__all__ = [
    "print_depth",
    "print_format_table",
    "print_matrix",
    "print_nash",
    "print_resources",
    "print_standings",
    "print_tables",
]

_COLUMNS = (
    (160, HEADINGS),
    (118, MIDDLE_HEADINGS),
    (76, NARROW_HEADINGS),
    (0, NARROWEST_HEADINGS),
)
"""From how many characters on which columns are shown."""

_WIDE = 140
_NASH_NOTE = (
    "What no bot beats on average; several bots in most of the draws are a circle of strengths. Not"
    " a ranking."
)
_WORDS = (
    "Bot",
    "Against",
    "Answer",
    "Met",
    "Round",
    "Goes on",
    "Seat",
    "Verdict",
    "Outcome",
    "Game",
)


def print_standings(summary: Summary, console: Console) -> None:
    """Print the tables and what stands under them, as wide as the console allows."""
    if summary.table:
        print_format_table(summary.table, console)
    print_tables(summary.standings, summary.name, footnotes(summary), console)
    for gate in summary.gates:
        style = "green" if gate.passed else "bold red"
        console.print(Text(inert(str(gate)), style=style), soft_wrap=True)


def print_format_table(found: FormatTable, console: Console) -> None:
    """Print what the format says of a tournament."""
    console.print(_cells(found.title, found.headings, found.rows))
    _print_notes(found.notes, console)


def print_depth(tables: Sequence[DepthTable], console: Console) -> None:
    """Print one bot in depth."""
    for each in tables:
        console.print(_cells(each.title, each.headings, each.rows))


def print_matrix(standings: Standings, console: Console) -> None:
    """Print who got how much against whom."""
    for number, pool in enumerate(standings.pools, 1):
        title = f"Table {number}" if len(standings.pools) > 1 else "Head to head"
        console.print(_cells(title, matrix_headings(pool), matrix_rows(pool)))
    _print_notes([MATRIX_NOTE], console)


def print_tables(standings: Standings, name: str, notes: Sequence[str], console: Console) -> None:
    """Print the tables of any standings with notes under them."""
    headings = next(columns for width, columns in _COLUMNS if console.width >= width)
    for number, pool in enumerate(standings.pools, 1):
        title = f"Table {number}" if len(standings.pools) > 1 else inert(name)
        console.print(_table(pool, headings, title))
    _print_notes(notes, console)


def print_resources(summary: Summary, console: Console) -> None:
    """Print what each bot used, in two tables where one is too wide."""
    wide = console.width >= _WIDE
    for headings in (RESOURCE_HEADINGS,) if wide else NARROW_RESOURCE_HEADINGS:
        table = Table(title=Text("Resources"), box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
        for heading in headings:
            table.add_column(heading, justify="left" if heading in ("Bot", "Apart") else "right")
        for cells in resource_rows(summary):
            table.add_row(*(Text(inert(cells[heading])) for heading in headings))
        console.print(table)


def print_nash(standings: Standings, console: Console) -> None:
    """Print the mixture that no bot beats."""
    for pool in standings.pools:
        found = nash_mixture([line.bot for line in pool.lines], pool.meetings)
        rows = [
            (each.bot, f"{100 * each.weight:.0f}%", f"{100 * each.frequency:.0f}%")
            for each in found
            if each.weight > 0.0005 or each.frequency
        ]
        console.print(_cells("Nash mixture", ("Bot", "Weight", "In draws"), rows))
    _print_notes([_NASH_NOTE], console)


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for line in notes:
        console.print(Text(inert(line), style="dim"), soft_wrap=True)


def _cells(title: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return any table; words stand left, numbers right."""
    table = Table(title=Text(inert(title)), box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.title_justify = "left"
    for heading in headings:
        left = heading in _WORDS
        table.add_column(
            heading, justify="left" if left else "right", no_wrap=not left, overflow="fold"
        )
    for cells in rows:
        table.add_row(*(Text(inert(cell)) for cell in cells))
    return table


def _table(pool: Pool, headings: tuple[str, ...], title: str) -> Table:
    table = Table(title=Text(title), box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for heading in headings:
        left = heading in ("Bot", "Faults")
        table.add_column(
            heading, justify="left" if left else "right", no_wrap=not left, overflow="fold"
        )
    for line in pool.lines:
        cells = row(line)
        table.add_row(*(Text(inert(cells[heading])) for heading in headings))
    return table
