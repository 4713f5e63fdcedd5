"""The standings on a terminal."""

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pwtourney.ratings.fitness import nash_mixture
from pwtourney.report.depth import DepthTable
from pwtourney.report.fitting import Column, fit, natural_width, split
from pwtourney.report.matrix import MATRIX_NOTE, matrix_headings, matrix_rows
from pwtourney.report.resources import RESOURCE_HEADINGS, resource_rows
from pwtourney.report.rows import HEADINGS, LEAVING, footnotes, format_brief_row, format_row
from pwtourney.report.summary import Summary
from pwtourney.sanitize import sanitize
from pwtourney.schedule import FormatTable
from pwtourney.standings import Pool, Standings

__all__ = [
    "print_depth",
    "print_format_table",
    "print_matrix",
    "print_nash",
    "print_resources",
    "print_standings",
    "print_tables",
]

_LEAVING = (
    *("Met", "Game points", "Buchholz", "Place"),  # Swiss
    *("Goes on", "Round"),  # knockout
    *("0–½–1–1½–2", "LOS", "nElo", "Pairs", "Elo", "LLR"),  # SPRT
    *("Void", "Margin", "Points", "Games"),  # one bot in depth
    "In draws",  # Nash
)
"""The order in which columns leave the other tables, each of which has some of these."""

_NASH_NOTE = (
    "What no bot beats on average; several bots in most of the draws are a cycle of strengths. Not"
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
    "Faults",
    "Sandbox",
)
"""Headings of columns that stand to the left, and may be cut if nothing else helps."""


def print_standings(summary: Summary, console: Console) -> None:
    """Print the tables and what stands under them, as wide as the console allows."""
    if summary.table:
        print_format_table(summary.table, console)
    print_tables(summary.standings, summary.name, footnotes(summary), console)
    for gate in summary.gates:
        style = "green" if gate.passed else "bold red"
        console.print(Text(sanitize(str(gate)), style=style), soft_wrap=True)


def print_format_table(found: FormatTable, console: Console) -> None:
    """Print what the format says of a tournament."""
    _print_fitted(found.title, _columns(found.headings, found.rows), console)
    _print_notes(found.notes, console)


def print_depth(tables: Sequence[DepthTable], console: Console) -> None:
    """Print one bot in depth."""
    for each in tables:
        _print_fitted(each.title, _columns(each.headings, each.rows), console)


def print_matrix(standings: Standings, console: Console) -> None:
    """Print who got how much against whom, in as many parts as it needs."""
    for number, pool in enumerate(standings.pools, 1):
        title = f"Table {number}" if len(standings.pools) > 1 else "Head to head"
        columns = _columns(matrix_headings(pool), matrix_rows(pool))
        for part in split(columns, 2, console.width):
            _print_table(title, part, console)
    _print_notes([MATRIX_NOTE], console)


def print_tables(standings: Standings, name: str, notes: Sequence[str], console: Console) -> None:
    """Print the tables of any standings with notes under them."""
    for number, pool in enumerate(standings.pools, 1):
        title = f"Table {number}" if len(standings.pools) > 1 else name
        _print_fitted(title, _standings_columns(pool), console, LEAVING)
    _print_notes(notes, console)


def print_resources(summary: Summary, console: Console) -> None:
    """Print what each bot used, in as many parts as it needs."""
    rows = [tuple(cells[each] for each in RESOURCE_HEADINGS) for cells in resource_rows(summary)]
    for part in split(_columns(RESOURCE_HEADINGS, rows), 1, console.width):
        _print_table("Resources", part, console)


def print_nash(standings: Standings, console: Console) -> None:
    """Print the mixture that no bot beats."""
    for pool in standings.pools:
        found = nash_mixture([line.bot for line in pool.lines], pool.meetings)
        rows = [
            (each.bot, f"{100 * each.weight:.0f}%", f"{100 * each.frequency:.0f}%")
            for each in found
            if each.weight > 0.0005 or each.frequency
        ]
        _print_fitted("Nash mixture", _columns(("Bot", "Weight", "In draws"), rows), console)
    _print_notes([_NASH_NOTE], console)


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for line in notes:
        console.print(Text(sanitize(line), style="dim"), soft_wrap=True)


def _columns(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Column]:
    """Return any table by columns."""
    cells = zip(*rows, strict=True)
    return [
        Column(heading, tuple(map(sanitize, next(cells, ()))), heading in _WORDS)
        for heading in headings
    ]


def _standings_columns(pool: Pool) -> list[Column]:
    """Return the standings by columns, with what can be said in brief."""
    rows = [format_row(line) for line in pool.lines]
    briefs = [format_brief_row(line) for line in pool.lines]
    columns = _columns(HEADINGS, ([cells[each] for each in HEADINGS] for cells in rows))
    return [
        column._replace(brief=tuple(brief[column.heading] for brief in briefs))
        if briefs and column.heading in briefs[0]
        else column
        for column in columns
    ]


def _print_fitted(
    title: str, columns: Sequence[Column], console: Console, leaving: Sequence[str] = _LEAVING
) -> None:
    """Print what fits of a table."""
    _print_table(title, fit(columns, leaving, console.width), console)


def _print_table(title: str, columns: Sequence[Column], console: Console) -> None:
    """Print a table as it is; words stand left, numbers right, and nothing is wrapped."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), width=natural_width(columns))
    for column in columns:
        table.add_column(column.heading, justify="left" if column.words else "right", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*map(Text, cells))
    console.print(Text(sanitize(title), style="italic"))
    console.print(table, crop=False)
