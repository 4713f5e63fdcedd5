"""Charts as plain data: where each mark stands, in the units of a drawing 640 wide."""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple

from pwtourney.report.game_index import BIN, GameIndex
from pwtourney.report.history import HistoryPoint
from pwtourney.standings import Line, Pool

__all__ = [
    "WIDTH",
    "Axis",
    "Bar",
    "Cell",
    "Curve",
    "Histogram",
    "Whisker",
    "axis",
    "heat_map",
    "histogram",
    "los_map",
    "rating_curves",
    "thinking_curves",
    "whiskers",
]

WIDTH = 640
LEFT = 150
ROW = 26
HEIGHT = 260
_TICKS = 6
_LABEL = 20
_FEWEST_THINKING = 5


class Axis(NamedTuple):
    """A scale: the values at its ends, and its ticks as (place, text)."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the place of a value."""
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)


class Whisker(NamedTuple):
    """A bot's rating with its interval; an arrow (`bound`) where only one side is known."""

    bot: str
    label: str
    text: str
    y: float
    x: float
    low: float
    high: float
    bound: str


class Cell(NamedTuple):
    """A field of a heat map: its text, how it is said in full, and a share for its colour."""

    text: str
    title: str
    share: float | None


class Bar(NamedTuple):
    """A column of a histogram."""

    x: float
    y: float
    width: float
    height: float
    title: str


class Histogram(NamedTuple):
    """The margins of one bot."""

    bot: str
    bars: tuple[Bar, ...]
    zero: float
    axis: Axis


class Curve(NamedTuple):
    """A line through points, with the number of its colour."""

    bot: str
    points: str
    colour: int
    last: tuple[float, float]


def axis(low: float, high: float, start: float, end: float) -> Axis:
    """Return a scale with round ticks that holds both values."""
    span = max(high - low, 1e-9)
    rough = span / _TICKS
    power = 10 ** math.floor(math.log10(rough))
    step = power * next(each for each in (1, 2, 5, 10) if each * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    last = max(last, first + 1)
    found = Axis(first * step, last * step, (), start, end)
    digits = max(0, -math.floor(math.log10(step)))
    ticks = tuple(
        (found.at(each * step), f"{each * step:.{digits}f}") for each in range(first, last + 1)
    )
    return found._replace(ticks=ticks)


def whiskers(pool: Pool) -> tuple[Axis, list[Whisker]]:
    """Return the ratings of a table with their intervals."""
    rated = [line for line in pool.lines if math.isfinite(line.elo)]
    ends = [line.elo + sign * (line.plus_minus or 0) for line in rated for sign in (-1, 1)]
    scale = axis(min(ends, default=-1), max(ends, default=1), LEFT, WIDTH - 20)
    drawn = []
    for row, line in enumerate(pool.lines):
        known = math.isfinite(line.elo)
        reach = line.plus_minus or 0.0
        x, low, high = (
            scale.at(value) if known else LEFT
            for value in (line.elo, line.elo - reach, line.elo + reach)
        )
        text = f"{line.bound} {line.elo:+.0f}".strip() if known else "no rating"
        text += "" if line.plus_minus is None else f" ± {line.plus_minus:.0f}"
        drawn.append(
            Whisker(line.bot, _shorten(line.bot), text, ROW * row + 18, x, low, high, line.bound)
        )
    return scale, drawn


def _shorten(name: str) -> str:
    """Return a name that fits beside the drawing: its beginning and its end."""
    return name if len(name) <= _LABEL else f"{name[:9]}…{name[-10:]}"


def heat_map(pool: Pool) -> list[tuple[Line, list[Cell]]]:
    """Return who got how much against whom, a row a bot, both in the order of the table."""
    met = {}
    for each in pool.meetings:
        share = each.points / each.games
        met[each.first, each.second] = (share, each.games)
        met[each.second, each.first] = (1 - share, each.games)
    return [
        (row, [_score_cell(row, column, met.get((row.bot, column.bot))) for column in pool.lines])
        for row in pool.lines
    ]


def _score_cell(row: Line, column: Line, found: tuple[float, int] | None) -> Cell:
    if row is column:
        return Cell("", "", None)
    if found is None:
        return Cell("–", f"{row.bot} and {column.bot} have not met", None)
    share, games = found
    title = f"{row.bot} got {100 * share:.1f}% in {games} games against {column.bot}"
    return Cell(f"{100 * share:.0f}", title, share)


def los_map(pool: Pool) -> list[tuple[Line, list[Cell]]]:
    """Return how likely each bot is stronger than each other one, in per cent."""
    return [
        (row, [_los_cell(pool, i, k) for k in range(len(pool.lines))])
        for i, row in enumerate(pool.lines)
    ]


def _los_cell(pool: Pool, i: int, k: int) -> Cell:
    if i == k:
        return Cell("", "", None)
    one, two, v = pool.lines[i], pool.lines[k], pool.covariance
    spread = v[i][i] + v[k][k] - 2 * v[i][k] if v else math.nan
    if one.bound or two.bound or not spread > 0 or not math.isfinite(spread):
        return Cell("–", f"{one.bot} and {two.bot}: not known", None)
    share = NormalDist().cdf((one.elo - two.elo) / math.sqrt(spread))
    title = f"{one.bot} is stronger than {two.bot} with {100 * share:.1f}%"
    return Cell(f"{100 * share:.0f}", title, share)


def histogram(bot: str, index: GameIndex) -> Histogram | None:
    """Return by how much a bot won and lost; None if it has ended no game."""
    counts = index.margins.get(bot)
    if not counts:
        return None
    least, most = min(0, *counts), max(0, *counts) + 1
    scale = axis(least * BIN, most * BIN, 10, 310)
    top = max(counts.values())
    wide = scale.at(BIN) - scale.at(0)
    bars = tuple(
        Bar(
            scale.at(BIN * each) + 0.5,
            round(90 - 80 * count / top, 1),
            round(max(wide - 1, 0.5), 1),
            round(80 * count / top, 1),
            f"{BIN * each} to {BIN * each + BIN - 1}: {count} games",
        )
        for each, count in sorted(counts.items())
    )
    return Histogram(bot, bars, scale.at(0), scale)


def rating_curves(
    history: Sequence[HistoryPoint], order: Sequence[str]
) -> tuple[Axis, Axis, list[Curve]] | None:
    """Return the ratings against games played, if there is anything to see."""
    elos = [elo for point in history for elo, _ in point.elos.values()]
    if len(history) < 3 or not elos:
        return None
    across = axis(0, history[-1].games, 60, WIDTH - 20)
    down = axis(min(elos), max(elos), HEIGHT - 30, 10)
    series = {
        bot: [(point.games, point.elos[bot][0]) for point in history if bot in point.elos]
        for bot in order
    }
    return across, down, _curves(series, across, down)


def thinking_curves(
    index: GameIndex, order: Sequence[str]
) -> tuple[Axis, Axis, list[Curve]] | None:
    """Return mean milliseconds by the number of the move, where there are enough moves."""
    series: dict[str, list[tuple[float, float]]] = {}
    for bot in order:
        if bot in index.thinking:
            micros, moves = index.thinking[bot]
            enough = max(_FEWEST_THINKING, moves[0] // 20)
            series[bot] = [
                (place + 1, total / count / 1000)
                for place, (total, count) in enumerate(zip(micros, moves, strict=True))
                if count >= enough
            ]
    values = [value for points in series.values() for _, value in points]
    if not values or max(values) <= 0:
        return None
    longest = max(len(points) for points in series.values())
    across = axis(0, longest, 60, WIDTH - 20)
    down = axis(0, max(values), HEIGHT - 30, 10)
    return across, down, _curves(series, across, down)


def _curves(
    series: Mapping[str, Sequence[tuple[float, float]]], across: Axis, down: Axis
) -> list[Curve]:
    found = []
    for colour, (bot, points) in enumerate(series.items()):
        places = [(across.at(x), down.at(y)) for x, y in points]
        if places:
            text = " ".join(f"{x:g},{y:g}" for x, y in places)
            found.append(Curve(bot, text, colour % 10, places[-1]))
    return found
