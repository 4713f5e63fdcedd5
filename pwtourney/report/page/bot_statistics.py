"""The statistics of one bot as the page draws them: rows with bars, and two charts of curves."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pwtourney.report.game_statistics import BotStatistics, Expectation, GameStatistics
from pwtourney.report.page.addresses import game_address, games_address
from pwtourney.report.page.charts import Axis, Curve, draw_curves, make_axis
from pwtourney.report.text.field_comparison import describe_differences, describe_expectation
from pwtourney.report.text.statistic_rows import TRACK_PARTS, StatisticRow, list_statistics

__all__ = ["Bar", "Chart", "describe_statistics"]

_HALF, _LINE = 36.0, 2.0
"""The widths of each half of the drawing of a bar, and of the line between them."""

_FULL = 0.4
"""The difference that fills a half, as a share of the larger value: most bots differ by less."""

_MARGIN = 20.0
"""The points by which margins differ if their bar fills its half."""

_ACROSS = (34.0, 350.0)
_DOWN = (150.0, 12.0)
"""Start and end of the axes of a chart, which is 360 wide."""

_MOST_TICKS = 12
_LAST = 9_999
"""A ply beyond the end of any game, which opens it at its end."""


class Bar(NamedTuple):
    """A bar from the middle, which is the field's value, towards the bot's: left if it is lower."""

    x: float
    width: float


class Chart(NamedTuple):
    """Curves with their axes, the height of the line of zero, and a description in words."""

    across: Axis
    down: Axis
    curves: tuple[Curve, ...]
    zero: float
    text: str


def describe_statistics(statistics: GameStatistics, bot: str) -> dict[str, Any] | None:
    """Return what the page shows of a bot; None if it has played no game to its end."""
    bot_statistics = statistics.find(bot)
    if bot_statistics is None:
        return None
    expected = bot_statistics.expectation
    return {
        "games": bot_statistics.own.games,
        "sentences": list(describe_differences(bot_statistics, statistics)),
        "rows": [
            _describe_row(row, bot_statistics, statistics)
            for row in list_statistics(bot_statistics, statistics.field)
        ],
        "income": _draw_income(bot_statistics, statistics),
        "expected": expected and _draw_expectation(expected),
        "expected_text": describe_expectation(bot, expected) if expected else "",
    }


def _describe_row(
    row: StatisticRow, bot_statistics: BotStatistics, statistics: GameStatistics
) -> dict[str, Any]:
    """Return a row of the table.

    The share of games won leads to these games, and the worst values to the ends of their games.
    """
    key = row.measure.key
    own, field = (getattr(means, key) for means in (bot_statistics.own, statistics.field))
    return {
        "label": row.measure.label,
        "own_address": games_address(bot_statistics.bot, result="won") if key == "won" else "",
        "cells": (row.own, row.opponents, row.field),
        "bar": _draw_bar(own, field, _MARGIN if row.measure.is_signed else None),
        "verdict": _judge(row, own, field),
        "worst": [
            {"text": text, "game": game, "address": game_address(game, _LAST)}
            for text, game in ((row.worst, row.game), *row.next_worst)
            if game
        ],
    }


def _judge(row: StatisticRow, own: float | None, field: float | None) -> str:
    """Return whether a value is better or worse than the field's; empty if neither is clear."""
    if own is None or field is None or row.own == row.field:
        return ""
    gain = row.measure.gain * (own - field)
    if not gain:
        return ""
    return "better" if gain > 0 else "worse"


def _draw_bar(own: float | None, field: float | None, most: float | None = None) -> Bar:
    """Return the bar of a difference, without width if a value is unknown.

    It fills its half of the drawing at a difference of 40 % of the larger value, or of `most` for
    values around zero.
    """
    if own is None or field is None:
        return Bar(_HALF + _LINE, 0.0)
    scale = most or _FULL * max(own, field)
    share = min(abs(own - field) / scale, 1.0) if scale else 0.0
    width = round(share * _HALF, 1)
    if own < field:
        return Bar(round(_HALF - width, 1), width)
    return Bar(_HALF + _LINE, width)


def _draw_income(bot_statistics: BotStatistics, statistics: GameStatistics) -> Chart | None:
    """Return the buttons that were collected at each income mark; None without such marks."""
    marks = statistics.income_marks
    if not marks:
        return None
    paid = {
        bot_statistics.bot: bot_statistics.own.income_at_marks,
        "its opponents": bot_statistics.opponents.income_at_marks,
        "the field": statistics.field.income_at_marks,
    }
    series = {name: [*zip(marks, values, strict=False)] for name, values in paid.items()}
    bare = Axis(0, statistics.last_space, (), *_ACROSS)
    step = -(-len(marks) // _MOST_TICKS)
    across = bare._replace(ticks=tuple((bare.at(mark), str(mark)) for mark in marks[::step]))
    said = ", ".join(
        f"{value:.1f} at {mark}"
        for mark, value in zip(marks, bot_statistics.own.income_at_marks, strict=True)
    )
    return _draw_chart(series, across, f"Buttons collected by {bot_statistics.bot}: {said}")


def _draw_expectation(expectation: Expectation) -> Chart:
    """Return the margin that a bot expected in lost games, along the track."""
    bare = Axis(0, len(TRACK_PARTS) - 1, (), *_ACROSS)
    names = ("start", "¼", "½", "¾", "result")
    ticks = tuple((bare.at(index), name) for index, name in enumerate(names))
    said = ", ".join(
        f"{part} {step:+.1f}" for part, step in zip(TRACK_PARTS, expectation.steps, strict=True)
    )
    series = {"expected": list(enumerate(expectation.steps))}
    return _draw_chart(series, bare._replace(ticks=ticks), f"Expected margin: {said}")


def _draw_chart(series: dict[str, list[tuple[int, float]]], across: Axis, text: str) -> Chart:
    values: Sequence[float] = [value for points in series.values() for _, value in points]
    down = make_axis(min(0.0, *values), max(0.0, *values), *_DOWN)
    return Chart(across, down, tuple(draw_curves(series, across, down)), down.at(0), text)
