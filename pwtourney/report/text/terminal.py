"""The standings on a terminal, as wide as it is: columns leave until the rest has room.

No cell is ever wrapped. What fits is measured from the cells at hand; there are no limits by the
width of a terminal. Widths are in terminal cells: a character of an East Asian script takes two.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pwtourney.ratings.order import nash_mixture
from pwtourney.report.page.collectors import DepthTable
from pwtourney.report.season import label_bot
from pwtourney.report.text.markdown import (
    LEAVING,
    RESOURCE_HEADINGS,
    describe_columns,
    footnotes,
    format_brief_row,
    format_row,
    interval_heading,
    resource_rows,
)
from pwtourney.sanitize import sanitize
from pwtourney.schedule.pairing import FormatTable
from pwtourney.schedule.season import NO_LEAGUE, Season
from pwtourney.standings import Standings

if TYPE_CHECKING:  # it reads stores, which most tables are not
    from pwtourney.report.summary import Summary

__all__ = [
    "Column",
    "fit",
    "natural_width",
    "print_depth",
    "print_format_table",
    "print_likelihoods",
    "print_matrix",
    "print_nash",
    "print_resources",
    "print_standings",
    "print_tables",
    "shorten",
    "split",
]

_LEAVING = (
    "Met",
    "Game points",
    "Buchholz",
    "Place",  # Swiss
    "Goes on",
    "Round",  # knockout
    "Void",
    "Margin",  # one bot in depth, and what follows
    "0–½–1–1½–2",
    "LOS",
    "nElo",
    "Pairs",
    "Elo",
    "LLR",  # SPRT
    "Points",
    "Games",
    "In draws",  # Nash
    "Range",
    "Sensitivity",
    "Spread",
    "Start",  # tuning
)
"""The order in which columns leave the other tables, each of which has some of these."""

_NASH_NOTE = (
    "What no bot beats on average; several bots in most of the draws are a cycle of strengths. Not"
    " a ranking."
)
_MATRIX_NOTE = (
    "Share of the points of the bot on the left, and games. * p < 0.05, ** p < 0.001 that bots of"
    " equal strength differ as much, clustered by deal and corrected (Holm) for all pairings."
)
_LIKELIHOOD_NOTE = (
    "Likelihood that the bot on the left is stronger than the one whose rank is at the top, if"
    " nothing is known of them but these games."
)
_SURE, _VERY_SURE = 0.05, 0.001
_WORDS = (
    "Bot",
    "Option",
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

_PER_COLUMN = 2
_EDGES = 1
"""What rules and padding take: a blank before the table, two after each column."""

_NARROWEST = 6
"""A column of words is not cut below this: less would tell nobody apart."""


class Column(NamedTuple):
    """A heading and its cells.

    Columns of words stand to the left, and are cut where nothing else helps; numbers are never
    cut. `brief` says the same as `cells` in less room, where that can be said.
    """

    heading: str
    cells: tuple[str, ...]
    words: bool = False
    brief: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """How wide the column is if nothing is wrapped or cut."""
        return max(map(cell_len, (self.heading, *self.cells)))


def print_standings(
    summary: "Summary", console: Console, *, details: bool = False, all_tables: bool = False
) -> None:
    """Print the tables and what stands under them, as wide as the console allows.

    Of very many tables only the largest, unless `all_tables` are asked for.
    """
    summary = summary if all_tables else summary.hide_small_pools()
    if summary.table:
        print_format_table(summary.table, console)
    notes = footnotes(summary, details=details)
    if summary.tuning:  # the table above says it all
        _print_notes(notes, console)
    else:
        print_tables(summary.standings, summary.name, notes, console, summary.season)
    for gate in summary.gates:
        style = "green" if gate.passed else "bold red"
        console.print(Text(sanitize(str(gate)), style=style), soft_wrap=True)


def print_format_table(table: FormatTable, console: Console) -> None:
    """Print what the format says of a tournament."""
    _print_fitted(table.title, _columns(table.headings, table.rows), console)
    _print_notes(table.notes, console)


def print_depth(tables: Sequence[DepthTable], console: Console) -> None:
    """Print one bot in depth."""
    for table in tables:
        _print_fitted(table.title, _columns(table.headings, table.rows), console)


def print_matrix(standings: Standings, console: Console, season: Season = NO_LEAGUE) -> None:
    """Print the head-to-head shares, in as many parts as they need.

    In it, as in the next two, who plays no more in the `season` is marked.
    """
    tables = []
    for pool in standings.pools:
        cells = {}
        for met in pool.meetings:
            sure = "" if met.p is None or met.p >= _SURE else "*" if met.p >= _VERY_SURE else "**"
            share = met.points / met.games
            cells[met.first, met.second] = f"{100 * share:.0f}%{sure} /{met.games}"
            cells[met.second, met.first] = f"{100 * (1 - share):.0f}%{sure} /{met.games}"
        tables.append(cells)
    _print_crosstables(standings, "Head to head", tables, console, season)
    _print_notes([_MATRIX_NOTE], console)


def print_likelihoods(standings: Standings, console: Console, season: Season = NO_LEAGUE) -> None:
    """Print how likely each bot is stronger than each other, in as many parts as they need."""
    tables = []
    for pool in standings.pools:
        bots = [line.bot for line in pool.rows]
        tables.append(
            {
                (row, column): f"{100 * chance:.1f}%"
                for row, chances in zip(bots, pool.likelihoods(), strict=True)
                for column, chance in zip(bots, chances, strict=True)
                if chance is not None
            }
        )
    _print_crosstables(standings, "Likelihood of superiority", tables, console, season)
    _print_notes([_LIKELIHOOD_NOTE], console)


def _print_crosstables(
    standings: Standings,
    name: str,
    tables: Sequence[Mapping[tuple[str, str], str]],
    console: Console,
    season: Season,
) -> None:
    """Print one cell for each two bots: the first on the left, the second at the top."""
    for number, (pool, known) in enumerate(zip(standings.pools, tables, strict=True), 1):
        cells = {**known, **{(line.bot, line.bot): "·" for line in pool.rows}}
        # columns are headed by rank: names as wide as these would leave room for two or three
        headings = ("#", "Bot", *(str(line.rank) for line in pool.rows))
        rows = [
            (
                str(row.rank),
                label_bot(season.find(row.bot)),
                *(cells.get((row.bot, to.bot), "–") for to in pool.rows),
            )
            for row in pool.rows
        ]
        title = f"{name}, table {number}" if len(standings.pools) > 1 else name
        for part in split(_columns(headings, rows), 2, console.width):
            _print_table(title, part, console)


def print_tables(
    standings: Standings,
    name: str,
    notes: Sequence[str],
    console: Console,
    season: Season = NO_LEAGUE,
) -> None:
    """Print the tables of any standings with notes under them; who left the `season` is marked."""
    for number, pool in enumerate(standings.pools, 1):
        rows = [format_row(line, pool.level, season) for line in pool.rows]
        briefs = [format_brief_row(line) for line in pool.rows]
        headings = [*describe_columns(pool.level)]
        columns = _columns(headings, ([row[heading] for heading in headings] for row in rows))
        columns = [
            column._replace(brief=tuple(brief[column.heading] for brief in briefs))
            if column.heading in briefs[0]
            else column
            for column in columns
        ]
        title = f"Table {number}" if len(standings.pools) > 1 else name
        _print_fitted(title, columns, console, (*LEAVING, interval_heading(pool.level)))
    _print_notes(notes, console)


def print_resources(summary: "Summary", console: Console) -> None:
    """Print what each bot used, in as many parts as it needs."""
    rows = [
        tuple(cells[heading] for heading in RESOURCE_HEADINGS) for cells in resource_rows(summary)
    ]
    for part in split(_columns(RESOURCE_HEADINGS, rows), 1, console.width):
        _print_table("Resources", part, console)


def print_nash(standings: Standings, console: Console, season: Season = NO_LEAGUE) -> None:
    """Print the mixture that no bot beats."""
    for pool in standings.pools:
        rows = [
            (
                label_bot(season.find(part.bot)),
                f"{100 * part.weight:.0f}%",
                f"{100 * part.frequency:.0f}%",
            )
            for part in nash_mixture([line.bot for line in pool.rows], pool.meetings)
            if part.weight > 0.0005 or part.frequency  # less is what the solver leaves of none
        ]
        _print_fitted("Nash mixture", _columns(("Bot", "Weight", "In draws"), rows), console)
    _print_notes([_NASH_NOTE], console)


def natural_width(columns: Sequence[Column]) -> int:
    """Return how wide a table is if nothing is wrapped or cut."""
    return sum(column.width + _PER_COLUMN for column in columns) + _EDGES


def fit(columns: Sequence[Column], order: Sequence[str], width: int) -> list[Column]:
    """Return what is left of a table in so much room.

    `order` names the columns that may leave, the least important first. A column with brief cells
    takes them when it is named first, and leaves when it is named again. If that is not enough,
    words are cut.
    """
    left = list(columns)
    for heading in order:
        if natural_width(left) <= width:
            break
        # a column with brief cells has none once it has taken them, and so leaves the next time
        left = [
            column._replace(cells=column.brief, brief=()) if column.heading == heading else column
            for column in left
            if column.heading != heading or column.brief
        ]
    return _cut(left, width)


def split(columns: Sequence[Column], kept: int, width: int) -> list[list[Column]]:
    """Return a table in as many parts as it needs; the first `kept` columns stand in each."""
    head, parts = list(columns[:kept]), [list(columns[:kept])]
    for column in columns[kept:]:
        # a part has one column more than the head at least, however wide that is
        if len(parts[-1]) > kept and natural_width([*parts[-1], column]) > width:
            parts.append(list(head))
        parts[-1].append(column)
    return [_cut(part, width) for part in parts]


def shorten(texts: Sequence[str], width: int) -> tuple[str, ...]:
    """Cut texts that are too wide so that those which differ still do.

    They are cut in the middle, because names often differ at their ends; where that makes two
    alike, elsewhere; and if no cut tells all of them apart, they are numbered.
    """
    distinct = sorted(set(texts))
    middle = (width - 1) // 2
    for tail in sorted(range(width), key=lambda tail: (abs(tail - middle), tail)):
        short = {text: _ellipsis(text, width, tail) for text in distinct}
        if len(set(short.values())) == len(distinct):
            break
    else:
        for number, text in enumerate(distinct, 1):
            if cell_len(text) > width:
                short[text] = _ellipsis(text, width - len(str(number)), 0) + str(number)
    return tuple(short[text] for text in texts)


def _cut(columns: list[Column], width: int) -> list[Column]:
    """Cut words, those of the widest column first, until the table fits or nothing can be cut."""
    widths = [column.width for column in columns]
    words = [number for number, column in enumerate(columns) if column.words]
    for _ in range(natural_width(columns) - width):
        widest = max(words, key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= _NARROWEST:
            break
        widths[widest] -= 1
    return [
        column._replace(cells=shorten(column.cells, room)) if room < column.width else column
        for column, room in zip(columns, widths, strict=True)
    ]


def _ellipsis(text: str, width: int, tail: int) -> str:
    """Cut a text that is too wide, and keep so much of its end."""
    if cell_len(text) <= width:
        return text
    # by cells and not by characters; it may end a cell short, where a wide character is cut in two
    head = set_cell_size(text, max(width - tail - 1, 0))
    return f"{head}…{set_cell_size(text[::-1], tail)[::-1]}"


def _columns(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Column]:
    """Return any table by columns."""
    cells = zip(*rows, strict=True)
    # without rows there is nothing to zip, and each column is empty
    return [
        Column(heading, tuple(map(sanitize, next(cells, ()))), heading in _WORDS)
        for heading in headings
    ]


def _print_fitted(
    title: str, columns: Sequence[Column], console: Console, leaving: Sequence[str] = _LEAVING
) -> None:
    """Print what fits of a table."""
    _print_table(title, fit(columns, leaving, console.width), console)


def _print_table(title: str, columns: Sequence[Column], console: Console) -> None:
    """Print a table as it is; words stand left, numbers right, and nothing is wrapped."""
    # with a width of its own, and uncropped below: rich would cut what a terminal may wrap
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), width=natural_width(columns))
    for column in columns:
        table.add_column(column.heading, justify="left" if column.words else "right", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        # as Text: a plain string could hold rich's markup
        table.add_row(*map(Text, cells))
    console.print(Text(sanitize(title), style="italic"))
    console.print(table, crop=False)


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for line in notes:
        console.print(Text(sanitize(line), style="dim"), soft_wrap=True)
