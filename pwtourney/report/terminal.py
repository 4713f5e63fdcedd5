"""The standings on a terminal."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pwtourney.inert import inert
from pwtourney.ratings import Pool, Standings
from pwtourney.report.cells import (
    HEADINGS,
    MIDDLE_HEADINGS,
    NARROW_HEADINGS,
    NARROWEST_HEADINGS,
    footnotes,
    row,
)
from pwtourney.report.resources import (
    NARROW_RESOURCE_HEADINGS,
    RESOURCE_HEADINGS,
    resource_rows,
)
from pwtourney.report.summary import Summary

__all__ = ["print_resources", "print_standings", "print_tables"]

_COLUMNS = (
    (160, HEADINGS),
    (118, MIDDLE_HEADINGS),
    (76, NARROW_HEADINGS),
    (0, NARROWEST_HEADINGS),
)
"""From how many characters on which columns are shown."""

_WIDE = 140


def print_standings(summary: Summary, console: Console) -> None:
    """Print the tables and what stands under them, as wide as the console allows."""
    print_tables(summary.standings, summary.name, footnotes(summary), console)


def print_tables(standings: Standings, name: str, notes: Sequence[str], console: Console) -> None:
    """Print the tables of any standings with notes under them."""
    headings = next(columns for width, columns in _COLUMNS if console.width >= width)
    for number, pool in enumerate(standings.pools, 1):
        title = f"Table {number}" if len(standings.pools) > 1 else inert(name)
        console.print(_table(pool, headings, title))
    for line in notes:
        console.print(Text(inert(line), style="dim"), soft_wrap=True)


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


def _table(pool: Pool, headings: tuple[str, ...], title: str) -> Table:
    table = Table(title=Text(title), box=SIMPLE_HEAD, padding=(0, 1, 0, 0), title_justify="left")
    for heading in headings:
        left = heading in ("Bot", "Faults")
        table.add_column(heading, justify="left" if left else "right", no_wrap=heading != "Faults")
    for line in pool.lines:
        cells = row(line)
        table.add_row(*(Text(inert(cells[heading])) for heading in headings))
    return table
