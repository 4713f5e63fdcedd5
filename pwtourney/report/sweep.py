"""Values of a bot's options that were compared: a table, and a map of their ratings."""

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from pwtourney.report.charts import ACROSS, Axis, make_axis, make_elo_axis
from pwtourney.report.text import format_rating, percent
from pwtourney.schedule import FormatTable
from pwtourney.standings import Line, Pool, Standings

__all__ = ["Sweep", "SweepCurve", "SweepMap", "draw_sweep", "read_sweep", "tabulate_sweep"]


class _StoredSweep(BaseModel):
    """What a store says of a sweep; it may come from anybody."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bot: StrictStr
    options: dict[StrictStr, list[StrictStr]]


class Sweep(NamedTuple):
    """What was compared: the values of one or two `options` of a bot, and the bot of each.

    `players` are by values, in the order of the options.
    """

    bot: str
    options: Mapping[str, list[str]]
    players: Mapping[tuple[str, ...], str]


class SweepPoint(NamedTuple):
    """A value with a rating, the ends of its interval, and what it says in words."""

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
    """A field of a map: the rating, how it is said in full, and a share for its colour."""

    text: str
    title: str
    share: float | None


class SweepMap(NamedTuple):
    """The ratings of two options: `rows` are by the values of the first, `heads` of the second."""

    down: str
    across: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[SweepCell, ...]], ...]


def read_sweep(facts: Mapping[str, Any]) -> Sweep | None:
    """Return what a tournament compares by its facts; None if that is no sweep."""
    try:
        stored = _StoredSweep.model_validate(facts.get("sweep"))
    except ValidationError:
        return None
    names = [*stored.options]
    players = {}
    for bot in facts.get("bots", ()):
        chosen = facts.get(f"bots.{bot}.set")
        if isinstance(chosen, dict):
            players[tuple(str(chosen.get(name)) for name in names)] = str(bot)
    return Sweep(stored.bot, stored.options, players) if 1 <= len(names) <= 2 else None


def tabulate_sweep(sweep: Sweep, standings: Standings) -> FormatTable | None:
    """Return the ratings by value, None as long as there are none."""
    found = _find_lines(sweep, standings)
    if not found:
        return None
    pool, lines = found
    best = pool.lines[0]
    level = percent(pool.level)
    notes = (
        f"Best so far: {_describe(sweep, best.bot)}",
        f"Elo 0 = average of these values; ranks at {level} %",
    )
    first, *second = sweep.options
    if second:
        columns = sweep.options[second[0]]
        rows = tuple(
            (value, *(_write_elo(lines.get((value, other))) for other in columns))
            for value in sweep.options[first]
        )
        title = f"{sweep.bot}: Elo by {first} (rows) and {second[0]} (columns)"
        return FormatTable(title, (first, *columns), rows, notes)
    rows = tuple(
        (
            value,
            _write_elo(line),
            "–" if line is None or line.plus_minus is None else f"{line.plus_minus:.0f}",
            "–" if line is None else f"{line.ranks.best}–{line.ranks.worst}",
            "0" if line is None else str(line.tally.game_count),
        )
        for value in sweep.options[first]
        for line in (lines.get((value,)),)
    )
    headings = (first, "Elo", f"±{level}%", "Ranks", "Games")
    return FormatTable(f"{sweep.bot}: Elo by {first}", headings, rows, notes)


def draw_sweep(sweep: Sweep, standings: Standings) -> SweepCurve | SweepMap | None:
    """Return a curve over one option, a map of two; None as long as nothing is rated."""
    found = _find_lines(sweep, standings)
    if not found:
        return None
    pool, lines = found
    return _draw_map(sweep, lines) if len(sweep.options) == 2 else _draw_curve(sweep, pool, lines)


def _find_lines(
    sweep: Sweep, standings: Standings
) -> tuple[Pool, Mapping[tuple[str, ...], Line]] | None:
    """Return the largest pool and its lines by values, if more than one has a rating."""
    if not standings.pools or len(standings.pools[0].lines) < 2:
        return None
    pool = standings.pools[0]
    values = {bot: chosen for chosen, bot in sweep.players.items()}
    return pool, {values[line.bot]: line for line in pool.lines if line.bot in values}


def _describe(sweep: Sweep, bot: str) -> str:
    for chosen, player in sweep.players.items():
        if player == bot:
            return ", ".join(
                f"{name} {value}" for name, value in zip(sweep.options, chosen, strict=True)
            )
    return bot


def _write_elo(line: Line | None) -> str:
    if line is None:
        return "–"
    return format_rating(line.elo, None, line.bound) or "–"


def _draw_map(sweep: Sweep, lines: Mapping[tuple[str, ...], Line]) -> SweepMap:
    down, across = sweep.options
    elos = [line.elo for line in lines.values() if math.isfinite(line.elo)]
    low, width = min(elos, default=0.0), max(max(elos, default=0.0) - min(elos, default=0.0), 1.0)

    def draw_cell(chosen: tuple[str, str]) -> SweepCell:
        line = lines.get(chosen)
        what = f"{down} {chosen[0]}, {across} {chosen[1]}"
        if line is None or not math.isfinite(line.elo):
            return SweepCell(_write_elo(line), f"{what}: no rating", None)
        rating = format_rating(line.elo, line.plus_minus, line.bound)
        title = f"{what}: {rating} Elo in {line.tally.game_count} games"
        return SweepCell(_write_elo(line), title, (line.elo - low) / width)

    heads = sweep.options[across]
    rows = tuple(
        (value, tuple(draw_cell((value, other)) for other in heads))
        for value in sweep.options[down]
    )
    return SweepMap(down, across, tuple(heads), rows)


def _draw_curve(
    sweep: Sweep, pool: Pool, lines: Mapping[tuple[str, ...], Line]
) -> SweepCurve | None:
    """Draw ratings over the values of an option, or over their places if they are no numbers."""
    (name, values), *_ = sweep.options.items()
    rated = [
        (place, value, lines[value,])
        for place, value in enumerate(values)
        if (value,) in lines and math.isfinite(lines[value,].elo)
    ]
    if len(rated) < 2:
        return None
    ends = [line.elo + sign * (line.plus_minus or 0) for _, _, line in rated for sign in (-1, 1)]
    down = make_elo_axis(ends)
    try:
        at = {value: float(value) for value in values}
        across = make_axis(min(at.values()), max(at.values()), *ACROSS)
    except ValueError:
        at = {value: float(place) for place, value in enumerate(values)}
        bare = Axis(-0.5, len(values) - 0.5, (), *ACROSS)
        across = bare._replace(ticks=tuple((bare.at(at[value]), value) for value in values))
    points = tuple(
        SweepPoint(
            across.at(at[value]),
            down.at(line.elo),
            down.at(line.elo - (line.plus_minus or 0)),
            down.at(line.elo + (line.plus_minus or 0)),
            f"{name} {value}: {format_rating(line.elo, line.plus_minus, line.bound)} Elo",
        )
        for _, value, line in rated
    )
    return SweepCurve(name, across, down, points, percent(pool.level))
