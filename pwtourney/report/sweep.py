"""Values of a bot's options that were compared, and the table of their ratings."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from pwtourney.report.figures import format_rating, percent
from pwtourney.schedule import FormatTable
from pwtourney.standings import Pool, Row, Standings

__all__ = ["Sweep", "describe_values", "find_rows", "read_sweep", "tabulate_sweep", "write_elo"]


class _StoredSweep(BaseModel):
    """The sweep in a store, which may come from anybody."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bot: StrictStr
    options: dict[StrictStr, list[StrictStr]]


class Sweep(NamedTuple):
    """The compared values of one or two `options` of a bot, and the player of each.

    `players` maps values, in the order of the options, to players.
    """

    bot: str
    options: Mapping[str, list[str]]
    players: Mapping[tuple[str, ...], str]


def read_sweep(facts: Mapping[str, Any]) -> Sweep | None:
    """Return the sweep in a tournament's facts; None if they have none."""
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
    rated = find_rows(sweep, standings)
    if not rated:
        return None
    pool, lines = rated
    best = pool.rows[0]
    level = percent(pool.level)
    notes = (
        f"Best so far: {describe_values(sweep, best.bot)}",
        f"Elo 0 = average of these values; ranks at {level} %",
    )
    first, *second = sweep.options
    if second:
        columns = sweep.options[second[0]]
        rows = tuple(
            (value, *(write_elo(lines.get((value, other))) for other in columns))
            for value in sweep.options[first]
        )
        title = f"{sweep.bot}: Elo by {first} (rows) and {second[0]} (columns)"
        return FormatTable(title, (first, *columns), rows, notes)
    rows = tuple(
        (
            value,
            write_elo(line),
            "–" if line is None or line.plus_minus is None else f"{line.plus_minus:.0f}",
            "–" if line is None else f"{line.ranks.best}–{line.ranks.worst}",
            "0" if line is None else str(line.tally.game_count),
        )
        for value in sweep.options[first]
        for line in (lines.get((value,)),)
    )
    headings = (first, "Elo", f"±{level}%", "Ranks", "Games")
    leaving = ("Games", "Ranks", headings[2])
    return FormatTable(f"{sweep.bot}: Elo by {first}", headings, rows, notes, leaving=leaving)


def find_rows(
    sweep: Sweep, standings: Standings
) -> tuple[Pool, Mapping[tuple[str, ...], Row]] | None:
    """Return the largest pool and its rows by values; None if it has fewer than two bots."""
    if not standings.pools or len(standings.pools[0].rows) < 2:
        return None
    pool = standings.pools[0]
    values = {bot: chosen for chosen, bot in sweep.players.items()}
    return pool, {values[row.bot]: row for row in pool.rows if row.bot in values}


def describe_values(sweep: Sweep, bot: str) -> str:
    """Return the values that a player of a sweep stands for; the name of any other bot."""
    for chosen, player in sweep.players.items():
        if player == bot:
            return ", ".join(
                f"{name} {value}" for name, value in zip(sweep.options, chosen, strict=True)
            )
    return bot


def write_elo(line: Row | None) -> str:
    """Return the rating of a value in a table, a dash if there is none."""
    if line is None:
        return "–"
    return format_rating(line.shown_elo, None, line.bound) or "–"
