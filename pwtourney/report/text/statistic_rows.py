"""The statistics of one bot as rows of tables, with those of its opponents and of the field."""

from typing import NamedTuple

from pwtourney.report.figures import amount
from pwtourney.report.game_statistics import Averages, BotStatistics, Expectation, GameStatistics
from pwtourney.report.text.field_comparison import describe_differences, describe_expectation
from pwtourney.report.text.measures import MEASURES, UNKNOWN, Measure
from pwtourney.schedule.pairing import FormatTable

__all__ = [
    "TRACK_PARTS",
    "StatisticRow",
    "list_statistics",
    "tabulate_statistics",
]

TRACK_PARTS = ("start", "¼ of the track", "½ of the track", "¾ of the track", "result")
"""The moments of `Expectation.steps`."""


class StatisticRow(NamedTuple):
    """An average of a bot, of its opponents and of the field, as texts.

    `worst` is the bot's worst value in one game, the number of which is `game`; both are empty for
    an average without such a game. `next_worst` are the next ones.
    """

    measure: Measure
    own: str
    opponents: str
    field: str
    worst: str = ""
    game: str = ""
    next_worst: tuple[tuple[str, str], ...] = ()


def list_statistics(bot_statistics: BotStatistics, field: Averages) -> list[StatisticRow]:
    """Return the rows of a bot, without averages that are unknown for the whole field."""
    worst = {game.key: game for game in bot_statistics.worst}
    rows = []
    for measure in MEASURES:
        key, value = measure.key, getattr(field, measure.key)
        if value is None:
            continue
        row = StatisticRow(
            measure,
            measure.format(getattr(bot_statistics.own, key)),
            measure.format(getattr(bot_statistics.opponents, key)),
            measure.format(value),
        )
        if key in worst:
            following = (game for game in bot_statistics.next_worst if game.key == key)
            row = row._replace(
                worst=measure.format_one(worst[key].value),
                game=worst[key].game,
                next_worst=tuple((measure.format_one(game.value), game.game) for game in following),
            )
        rows.append(row)
    return rows


def tabulate_statistics(statistics: GameStatistics, bot: str) -> list[FormatTable]:
    """Return the tables of a bot's statistics; none if it has played no game to its end."""
    bot_statistics = statistics.find(bot)
    if bot_statistics is None:
        return []
    tables = [_tabulate_averages(bot_statistics, statistics)]
    if statistics.income_marks:
        tables.append(_tabulate_income(bot_statistics, statistics))
    if bot_statistics.expectation:
        tables.append(_tabulate_expectation(bot, bot_statistics.expectation))
    return tables


def _tabulate_averages(bot_statistics: BotStatistics, statistics: GameStatistics) -> FormatTable:
    games = amount(bot_statistics.own.games, "game")
    return FormatTable(
        f"{bot_statistics.bot} in terms of the game, in {games} played to the end",
        ("Statistic", "Own", "Opponents", "Field", "Worst", "Game"),
        tuple(
            (row.measure.label, *row[1:4], row.worst or UNKNOWN, row.game or UNKNOWN)
            for row in list_statistics(bot_statistics, statistics.field)
        ),
        tuple(describe_differences(bot_statistics, statistics)),
        words=("Statistic", "Game"),
    )


def _tabulate_income(bot_statistics: BotStatistics, statistics: GameStatistics) -> FormatTable:
    paid = [
        averages.income_at_marks
        for averages in (bot_statistics.own, bot_statistics.opponents, statistics.field)
    ]
    rows = []
    for mark, space in enumerate(statistics.income_marks):
        own, opponents, field = (f"{part[mark]:.1f}" if part else UNKNOWN for part in paid)
        rows.append((str(space), own, opponents, field))
    return FormatTable(
        "Buttons collected at each income mark",
        ("Space", "Own", "Opponents", "Field"),
        tuple(rows),
    )


def _tabulate_expectation(bot: str, expectation: Expectation) -> FormatTable:
    steps = zip(TRACK_PARTS, expectation.steps, strict=True)
    return FormatTable(
        f"Margin that {bot} expected in lost games",
        ("Track", "Expected"),
        tuple((part, f"{margin:+.1f}") for part, margin in steps),
        (describe_expectation(bot, expectation),),
        words=("Track",),
    )
