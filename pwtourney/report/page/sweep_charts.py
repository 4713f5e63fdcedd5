"""Values of a bot's options that were compared, as a curve or a map."""

import math
from collections.abc import Mapping
from typing import NamedTuple

from pwtourney.report.figures import format_row_rating, percent
from pwtourney.report.page.charts import ACROSS, Axis, make_axis, make_elo_axis
from pwtourney.report.sweep import Sweep, find_rows, write_elo
from pwtourney.standings import Pool, Row, Standings

__all__ = ["SweepCell", "SweepCurve", "SweepMap", "SweepPoint", "draw_sweep"]


class SweepPoint(NamedTuple):
    """A value with its rating, the ends of its interval, and a description in words."""

    x: float
    y: float
    low: float
    high: float
    text: str


class SweepCurve(NamedTuple):
    """The ratings of the values of one option."""

    name: str
    across: Axis
    down: Axis
    points: tuple[SweepPoint, ...]
    level: str


class SweepCell(NamedTuple):
    """A cell of a map: the rating, its full description, and a share for its colour."""

    text: str
    title: str
    share: float | None


class SweepMap(NamedTuple):
    """The ratings of two options: `rows` are by the values of the first, `heads` of the second."""

    down: str
    across: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[SweepCell, ...]], ...]


def draw_sweep(sweep: Sweep, standings: Standings) -> SweepCurve | SweepMap | None:
    """Return a curve for one option, a map for two; None as long as nothing is rated."""
    rated = find_rows(sweep, standings)
    if not rated:
        return None
    pool, lines = rated
    return _draw_map(sweep, lines) if len(sweep.options) == 2 else _draw_curve(sweep, pool, lines)


def _draw_map(sweep: Sweep, lines: Mapping[tuple[str, ...], Row]) -> SweepMap:
    down, across = sweep.options
    elos = [line.shown_elo for line in lines.values() if math.isfinite(line.shown_elo)]
    low, width = min(elos, default=0.0), max(max(elos, default=0.0) - min(elos, default=0.0), 1.0)

    def draw_cell(chosen: tuple[str, str]) -> SweepCell:
        line = lines.get(chosen)
        what = f"{down} {chosen[0]}, {across} {chosen[1]}"
        if line is None or not math.isfinite(line.shown_elo):
            return SweepCell(write_elo(line), f"{what}: no rating", None)
        rating = format_row_rating(line)
        title = f"{what}: {rating} Elo in {line.tally.game_count} games"
        return SweepCell(write_elo(line), title, (line.shown_elo - low) / width)

    heads = sweep.options[across]
    rows = tuple(
        (value, tuple(draw_cell((value, other)) for other in heads))
        for value in sweep.options[down]
    )
    return SweepMap(down, across, tuple(heads), rows)


def _draw_curve(
    sweep: Sweep, pool: Pool, lines: Mapping[tuple[str, ...], Row]
) -> SweepCurve | None:
    """Draw ratings over the values of an option, or over their order if they are not numbers."""
    (name, values), *_ = sweep.options.items()
    rated = [
        (index, value, lines[value,])
        for index, value in enumerate(values)
        if (value,) in lines and math.isfinite(lines[value,].shown_elo)
    ]
    if len(rated) < 2:
        return None
    ends = [
        line.shown_elo + sign * (line.plus_minus or 0) for _, _, line in rated for sign in (-1, 1)
    ]
    down = make_elo_axis(ends)
    try:
        at = {value: float(value) for value in values}
        across = make_axis(min(at.values()), max(at.values()), *ACROSS)
    except ValueError:
        at = {value: float(index) for index, value in enumerate(values)}
        bare = Axis(-0.5, len(values) - 0.5, (), *ACROSS)
        across = bare._replace(ticks=tuple((bare.at(at[value]), value) for value in values))
    points = tuple(
        SweepPoint(
            across.at(at[value]),
            down.at(line.shown_elo),
            down.at(line.shown_elo - (line.plus_minus or 0)),
            down.at(line.shown_elo + (line.plus_minus or 0)),
            f"{name} {value}: {format_row_rating(line)} Elo",
        )
        for _, value, line in rated
    )
    return SweepCurve(name, across, down, points, percent(pool.level))
