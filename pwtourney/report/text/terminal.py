"""The standings on a terminal: columns are removed until the rest fits its width.

No cell is ever wrapped. The width is measured from the actual cells; there are no fixed thresholds.
Widths are in terminal cells: a character of an East Asian script takes two.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pwtourney.ratings.order import nash_mixture
from pwtourney.report.figures import WORD_HEADINGS
from pwtourney.report.season_description import label_bot
from pwtourney.report.text.rows import (
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

if TYPE_CHECKING:  # it reads stores, which most tables do not come from
    from pwtourney.report.summary import Summary

__all__ = [
    "Column",
    "fit",
    "natural_width",
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

_NASH_NOTE = (
    "What no bot beats on average; several bots in most of the draws are a cycle of strengths. Not"
    " a ranking."
)
_MATRIX_NOTE = (
    "Share of the points of the bot on the left, and games. * p < 0.05, ** p < 0.001 that bots of"
    " equal strength differ as much, {} and corrected (Holm) for all pairings."
)
_CLUSTERED = "clustered by deal"
_LOOSE = "if games without pair or deal are independent,"
"""What the errors of head-to-head results rest on: the deals, if they are known."""
_LIKELIHOOD_NOTE = (
    "Likelihood that the bot on the left is stronger than the one whose number is at the top,"
    " if nothing is known of them but these games."
)
_SURE, _VERY_SURE = 0.05, 0.001
_PER_COLUMN = 2
_EDGES = 1
"""The width of rules and padding: one blank before the table, two after each column."""

_NARROWEST = 6
"""A column of words is not truncated below this width: names would look alike."""


class Column(NamedTuple):
    """A heading and its cells.

    Columns of words are left-aligned, and truncated if nothing else helps; numbers are never
    truncated. `brief` is a shorter form of `cells`, if there is one.
    """

    heading: str
    cells: tuple[str, ...]
    words: bool = False
    brief: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The width of the column if nothing is wrapped or truncated."""
        return max(map(cell_len, (self.heading, *self.cells)))


def print_standings(
    summary: "Summary", console: Console, *, details: bool = False, all_tables: bool = False
) -> None:
    """Print the tables and their notes, as wide as the console allows.

    Of very many tables only the largest is printed, unless `all_tables` is True.
    """
    summary = summary if all_tables else summary.hide_small_pools()
    if summary.table:
        print_format_table(summary.table, console)
    notes = footnotes(summary, details=details)
    if summary.tuning:  # the table above contains everything
        _print_notes(notes, console)
    else:
        print_tables(summary.standings, summary.name, notes, console, summary.season)
    for gate in summary.gates:
        style = "green" if gate.passed else "bold red"
        console.print(Text(sanitize(str(gate)), style=style), soft_wrap=True)


def print_format_table(table: FormatTable, console: Console) -> None:
    """Print a table of the format, or of one bot in depth."""
    columns = _columns(table.headings, table.rows, table.words)
    _print_fitted(table.title, columns, console, table.leaving)
    _print_notes(table.notes, console)


def print_matrix(standings: Standings, console: Console, season: Season = NO_LEAGUE) -> None:
    """Print the head-to-head shares, in as many parts as they need.

    Bots that do not play any more in the `season` are marked, as in the next two functions.
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
    is_loose = any(pool.loose for pool in standings.pools)
    _print_notes([_MATRIX_NOTE.format(_LOOSE if is_loose else _CLUSTERED)], console)


def print_likelihoods(standings: Standings, console: Console, season: Season = NO_LEAGUE) -> None:
    """Print the likelihood that each bot is stronger than each other, in parts that fit."""
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
        # columns are headed by numbers: headings as wide as names would leave room for two or
        # three, and bots with equal ratings share a rank
        numbers = [str(count) for count in range(1, len(pool.rows) + 1)]
        rows = [
            [place, label_bot(season.find(row.bot))]
            + [cells.get((row.bot, to.bot), "–") for to in pool.rows]
            for place, row in zip(numbers, pool.rows, strict=True)
        ]
        headings = ["#", "Bot", *numbers]
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
    """Print the tables of any standings and their notes; bots that left the `season` are marked."""
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
    """Print the mixture that no bot beats on average."""
    for pool in standings.pools:
        rows = [
            (
                label_bot(season.find(part.bot)),
                f"{100 * part.weight:.0f}%",
                f"{100 * part.frequency:.0f}%",
            )
            for part in nash_mixture([row.bot for row in pool.rows], pool.meetings)
            if part.weight > 0.0005 or part.frequency  # less is a rounding error of the solver
        ]
        columns = _columns(("Bot", "Weight", "In draws"), rows)
        _print_fitted("Nash mixture", columns, console, ("In draws",))
    _print_notes([_NASH_NOTE], console)


def natural_width(columns: Sequence[Column]) -> int:
    """Return the width of a table if nothing is wrapped or truncated."""
    return sum(column.width + _PER_COLUMN for column in columns) + _EDGES


def fit(columns: Sequence[Column], order: Sequence[str], width: int) -> list[Column]:
    """Return the columns of a table that fit into the width.

    `order` names the columns that may leave, the least important first. A column with brief cells
    takes them when it is named first, and leaves when it is named again. If that is not enough,
    words are truncated.
    """
    left = list(columns)
    for heading in order:
        if natural_width(left) <= width:
            break
        # a column that has taken its brief cells has none left, so it leaves the next time
        left = [
            column._replace(cells=column.brief, brief=()) if column.heading == heading else column
            for column in left
            if column.heading != heading or column.brief
        ]
    return _cut(left, width)


def split(columns: Sequence[Column], kept: int, width: int) -> list[list[Column]]:
    """Return a table in as many parts as it needs; the first `kept` columns are in each."""
    head, parts = list(columns[:kept]), [list(columns[:kept])]
    for column in columns[kept:]:
        # a part has at least one column more than the head, however wide it is
        if len(parts[-1]) > kept and natural_width([*parts[-1], column]) > width:
            parts.append(list(head))
        parts[-1].append(column)
    return [_cut(part, width) for part in parts]


def shorten(texts: Sequence[str], width: int) -> tuple[str, ...]:
    """Truncate texts that are too wide so that different texts stay different.

    They are truncated in the middle, because names often differ at their ends. If that makes two
    alike, they are truncated elsewhere; if no way keeps all of them different, they are numbered.
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
    """Truncate words, those of the widest column first, until the table fits or nothing is left."""
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
    """Truncate a text that is too wide, keeping `tail` cells of its end."""
    if cell_len(text) <= width:
        return text
    # by cells, not characters; it may end a cell short, if a wide character is cut in two
    head = set_cell_size(text, max(width - tail - 1, 0))
    return f"{head}…{set_cell_size(text[::-1], tail)[::-1]}"


def _columns(
    headings: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[str] = ()
) -> list[Column]:
    """Return any table by columns; `words` are headings of columns of words."""
    cells = zip(*rows, strict=True)
    # without rows zip yields nothing, and each column is empty
    return [
        Column(heading, tuple(map(sanitize, next(cells, ()))), heading in (*WORD_HEADINGS, *words))
        for heading in headings
    ]


def _print_fitted(
    title: str, columns: Sequence[Column], console: Console, leaving: Sequence[str]
) -> None:
    """Print the part of a table that fits."""
    _print_table(title, fit(columns, leaving, console.width), console)


def _print_table(title: str, columns: Sequence[Column], console: Console) -> None:
    """Print a table unchanged; words are left-aligned, numbers right, and nothing is wrapped."""
    # with an explicit width, and crop=False below: rich would crop what a terminal may wrap
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), width=natural_width(columns))
    for column in columns:
        table.add_column(column.heading, justify="left" if column.words else "right", no_wrap=True)
    for cells in zip(*(column.cells for column in columns), strict=True):
        # as Text: a plain string could contain rich markup
        table.add_row(*map(Text, cells))
    console.print(Text(sanitize(title), style="italic"))
    console.print(table, crop=False)


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for line in notes:
        console.print(Text(sanitize(line), style="dim"), soft_wrap=True)
