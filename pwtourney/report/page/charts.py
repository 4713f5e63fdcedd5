"""Charts as plain data: the position of each mark, in the units of a drawing 640 wide."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.report.collectors import BIN, GameIndex, HistoryPoint
from pwtourney.report.figures import format_row_rating
from pwtourney.report.season_description import label_bot
from pwtourney.schedule.season import Season
from pwtourney.standings import Pool, Row

__all__ = [
    "ACROSS",
    "Axis",
    "Bar",
    "Cell",
    "Curve",
    "HeatRow",
    "Histogram",
    "Ring",
    "Whisker",
    "draw_curves",
    "draw_heat_map",
    "draw_histogram",
    "draw_los_map",
    "draw_rating_curves",
    "draw_thinking_curves",
    "draw_whiskers",
    "make_axis",
    "make_elo_axis",
]

# the templates use these sizes, too, for what is drawn next to the marks
_WIDTH = 640
_LEFT = 150
_RIGHT = 20
_ROW = 26
_HEIGHT = 260
ACROSS = (60.0, 620.0)
"""Start and end of the horizontal axis of a drawing of curves."""

_TICKS = 6
_LABEL = 20
_FEWEST_THINKING = 5
_FEWEST_POINTS = 3
_COLOURS = 10
_DASHES = 4
_CURVES = 10
"""More lines than these cannot be distinguished in one drawing; the others are drawn on demand."""
_LEAST_ELO = 20
"""The smallest span of a scale of ratings."""

_NO_BREAKS: Mapping[str, Mapping[int, str]] = MappingProxyType({})


class Axis(NamedTuple):
    """A scale: the values at its ends, and its ticks as (position, text)."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a value."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


class Whisker(NamedTuple):
    """A bot's rating with its interval; an arrow (`bound`) if only one side is known.

    If `known` is False there is no mark.
    """

    bot: str
    label: str
    text: str
    y: float
    x: float
    low: float
    high: float
    bound: str
    known: bool


class Cell(NamedTuple):
    """A cell of a heat map: its text, its full description, and a share for its colour.

    `games` are the two bots whose games it links to, if any.
    """

    text: str
    title: str
    share: float | None
    games: tuple[str, str] | None = None


class HeatRow(NamedTuple):
    """A row of a heat map: the number and the label of a bot, and a cell for each bot.

    The number heads the column of the bot, so unlike a rank it is not shared.
    """

    number: int
    label: str
    cells: list[Cell]


class Bar(NamedTuple):
    """A bar of a histogram."""

    x: float
    y: float
    width: float
    height: float
    title: str


class Histogram(NamedTuple):
    """The histogram of the margins of one bot."""

    bot: str
    bars: tuple[Bar, ...]
    zero: float
    axis: Axis


class Ring(NamedTuple):
    """The mark at which another line of a curve begins, and why it does."""

    x: float
    y: float
    title: str


class Curve(NamedTuple):
    """Lines through points, with the numbers of their colour and of their dash pattern.

    Only curves with `first` are drawn unless a reader asks for more. Each line but the first begins
    with a ring.
    """

    bot: str
    lines: tuple[str, ...]
    colour: int
    dashes: int
    last: tuple[float, float]
    first: bool
    rings: tuple[Ring, ...] = ()


def draw_whiskers(pool: Pool, season: Season) -> tuple[Axis, list[Whisker]]:
    """Return the ratings of a table with their intervals."""
    rated = [line for line in pool.rows if math.isfinite(line.shown_elo)]
    ends = [line.shown_elo + sign * (line.plus_minus or 0) for line in rated for sign in (-1, 1)]
    axis = make_elo_axis(ends or [0.0], _LEFT, _WIDTH - _RIGHT)
    whiskers = []
    for row, line in enumerate(pool.rows):
        known = math.isfinite(line.shown_elo)
        reach = line.plus_minus or 0.0
        x, low, high = (
            axis.at(value) if known else _LEFT
            for value in (line.shown_elo, line.shown_elo - reach, line.shown_elo + reach)
        )
        # names differ at their beginnings or, as versions, at their ends
        name = label_bot(season.find(line.bot))
        label = name if len(name) <= _LABEL else f"{name[:9]}…{name[-10:]}"
        text = "no rating"
        if known:
            text = format_row_rating(line)
        y = _ROW * row + 18
        whiskers.append(Whisker(name, label, text, y, x, low, high, line.bound, known))
    return axis, whiskers


def draw_heat_map(pool: Pool, season: Season) -> list[HeatRow]:
    """Return the head-to-head shares, one row per bot, both ways in the order of the table."""
    shares = {}
    for met in pool.meetings:
        share = met.points / met.games
        shares[met.first, met.second] = (share, met.games)
        shares[met.second, met.first] = (1 - share, met.games)

    def draw_cell(row: Row, column: Row) -> Cell:
        if row is column:
            return Cell("", "", None)
        if (row.bot, column.bot) not in shares:
            return Cell("–", f"{row.bot} and {column.bot} have not met", None)
        share, games = shares[row.bot, column.bot]
        title = f"{row.bot} got {100 * share:.1f}% in {games} games against {column.bot}"
        return Cell(f"{100 * share:.0f}", title, share, (row.bot, column.bot))

    cells = [[draw_cell(row, column) for column in pool.rows] for row in pool.rows]
    return _label_rows(pool, season, cells)


def draw_los_map(pool: Pool, season: Season) -> list[HeatRow]:
    """Return the likelihood that each bot is stronger than each other one, in per cent."""

    def draw_cell(first: Row, second: Row, chance: float | None) -> Cell:
        if first is second:
            return Cell("", "", None)
        if chance is None:
            return Cell("–", f"{first.bot} and {second.bot}: not known", None)
        title = f"{first.bot} is stronger than {second.bot} with {100 * chance:.1f}%"
        return Cell(f"{100 * chance:.0f}", title, chance)

    cells = [
        [draw_cell(row, other, chance) for other, chance in zip(pool.rows, chances, strict=True)]
        for row, chances in zip(pool.rows, pool.likelihoods(), strict=True)
    ]
    return _label_rows(pool, season, cells)


def _label_rows(pool: Pool, season: Season, cells: Sequence[list[Cell]]) -> list[HeatRow]:
    """Return the labelled rows of a heat map; bots that do not play any more are marked."""
    return [
        HeatRow(number, label_bot(season.find(line.bot)), row)
        for number, (line, row) in enumerate(zip(pool.rows, cells, strict=True), 1)
    ]


def draw_histogram(bot: str, index: GameIndex) -> Histogram | None:
    """Return the histogram of a bot's margins; None if it has ended no game."""
    counts = index.margins.get(bot)
    if not counts:
        return None
    # 0 is always included: bars to its left are losses
    least, most = min(0, *counts), max(0, *counts) + 1
    axis = make_axis(least * BIN, most * BIN, 10, 310)
    top = max(counts.values())
    width = axis.at(BIN) - axis.at(0)
    bars = tuple(
        Bar(
            axis.at(BIN * step) + 0.5,
            round(90 - 80 * count / top, 1),
            round(max(width - 1, 0.5), 1),
            round(80 * count / top, 1),
            f"{BIN * step} to {BIN * step + BIN - 1}: {count} games",
        )
        for step, count in sorted(counts.items())
    )
    return Histogram(bot, bars, axis.at(0), axis)


def draw_rating_curves(
    history: Sequence[HistoryPoint], order: Sequence[str]
) -> tuple[Axis, Axis, list[Curve]] | None:
    """Return the curves of ratings by games played; None if there are too few points."""
    elos = [elo for point in history for elo, _ in point.elos.values()]
    if len(history) < _FEWEST_POINTS or not elos:
        return None
    across = make_axis(0, history[-1].games, *ACROSS)
    down = make_elo_axis(elos)
    series = {
        bot: [(point.games, point.elos[bot][0]) for point in history if bot in point.elos]
        for bot in order
    }
    return across, down, draw_curves(series, across, down)


def draw_thinking_curves(
    index: GameIndex, order: Sequence[str]
) -> tuple[Axis, Axis, list[Curve]] | None:
    """Return mean milliseconds by the number of the move, where there are enough moves."""
    series: dict[str, list[tuple[float, float]]] = {}
    for bot in order:
        if bot in index.thinking:
            micros, moves = index.thinking[bot]
            # few games are that long: their mean would be noise at the end of the curve
            enough = max(_FEWEST_THINKING, moves[0] // 20)
            series[bot] = [
                (number, total / count / 1000)
                for number, (total, count) in enumerate(zip(micros, moves, strict=True), 1)
                if count >= enough
            ]
    values = [value for points in series.values() for _, value in points]
    if not values or max(values) <= 0:
        return None
    longest = max(len(points) for points in series.values())
    across = make_axis(0, longest, *ACROSS)
    down = make_axis(0, max(values), _HEIGHT - 30, 10)
    return across, down, draw_curves(series, across, down)


def make_elo_axis(elos: Sequence[float], start: float = _HEIGHT - 30, end: float = 10) -> Axis:
    """Return the scale of ratings, by default the vertical one to the left of curves."""
    low, high = min(elos), max(elos)
    # almost equal ratings would be scaled up to rounding errors
    room = max(0.0, (_LEAST_ELO - (high - low)) / 2)
    return make_axis(round(low - room, 6), round(high + room, 6), start, end)


def make_axis(low: float, high: float, start: float, end: float) -> Axis:
    """Return a scale with round ticks that contains both values."""
    span = max(high - low, 1e-9)  # for a single value, too
    rough = span / _TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    last = max(last, first + 1)
    bare = Axis(first * step, last * step, (), start, end)
    digits = max(0, -math.floor(math.log10(step)))
    ticks = tuple(
        (bare.at(tick * step), f"{tick * step:.{digits}f}") for tick in range(first, last + 1)
    )
    return bare._replace(ticks=ticks)


def draw_curves(
    series: Mapping[str, Sequence[tuple[float, float]]],
    across: Axis,
    down: Axis,
    breaks: Mapping[str, Mapping[int, str]] = _NO_BREAKS,
) -> list[Curve]:
    """Return the curves through points, by bot; a bot without points still uses up its colour.

    `breaks` are, by bot, the numbers of the points at which another line begins, and why it does.
    """
    curves = []
    for number, (bot, points) in enumerate(series.items()):
        marks = [(across.at(x), down.at(y)) for x, y in points]
        if marks:
            starts = breaks.get(bot, {})
            texts = [f"{x:g},{y:g}" for x, y in marks]
            lines = (texts[start:end] for start, end in pairwise((0, *starts, len(marks))))
            dashes, colour = divmod(number, _COLOURS)
            curve = Curve(
                bot,
                tuple(map(" ".join, lines)),
                colour,
                dashes % _DASHES,
                last=marks[-1],
                first=number < _CURVES,
                rings=tuple(Ring(*marks[start], title) for start, title in starts.items()),
            )
            curves.append(curve)
    return curves
