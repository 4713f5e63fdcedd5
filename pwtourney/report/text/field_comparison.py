"""Say in plain sentences how a bot's games differ from those of the field."""

from collections.abc import Iterator

from pwtourney.report.figures import amount
from pwtourney.report.game_statistics import Averages, BotStatistics, Expectation, GameStatistics
from pwtourney.report.text.measures import find_measure
from pwtourney.rules import EMPTY_SQUARE

__all__ = ["describe_differences", "describe_expectation"]

_LEAST_POINTS = 0.5
"""Parts of the score that differ by less are not mentioned."""

_LEAST_SHARE = 0.1
"""Habits that differ from the field's by a smaller share of it are not mentioned."""

_MOST_HABITS = 2

_NAMES = ("first", "second", "third", "last")


_HABITS = {
    "patches": "takes {} patches",
    "advance_share": "advances in {} of its turns",
    "income_collected": "collects {} buttons of income",
    "special_patches": "places {} special patches",
    "cost_per_square": "pays {} buttons for a square",
    "time_per_square": "spends {} spaces of time on a square",
}
"""The predicates of sentences about a bot, each by the average that it quotes."""


def describe_differences(
    bot_statistics: BotStatistics, statistics: GameStatistics
) -> Iterator[str]:
    """Yield sentences: the score, its parts, and up to two habits of the bot.

    The parts are empty squares, buttons and the special tile, if they differ by half a point or
    more, the largest difference first. All differences sum to that of the score. Yields nothing
    without a game that was played to its end.
    """
    own, field = bot_statistics.own, statistics.field
    if own.score is None or field.score is None:
        return
    games, behind = amount(own.games, "game"), own.score - field.score
    score = f"{bot_statistics.bot} scores {_number(own.score)} points a game in {games}"
    if abs(behind) < _LEAST_POINTS:
        yield f"{score}, as many as the field."
    else:
        yield f"{score}, {_compare(behind, 'more', 'less')} than the field."
    parts = sorted(_list_parts(own, statistics), key=lambda part: -abs(part[0]))
    yield from (text for points, text in parts if abs(points) >= _LEAST_POINTS)
    habits = _list_habits(own, field)
    if habits:
        yield f"It {' and '.join(habits)}."


def _list_parts(own: Averages, statistics: GameStatistics) -> Iterator[tuple[float, str]]:
    """Yield the points by which each part of the score differs, and a sentence."""
    field = statistics.field
    if own.empty_squares is not None and field.empty_squares is not None:
        squares = own.empty_squares - field.empty_squares
        left = f"It leaves {own.empty_squares:.1f} squares empty"
        points = EMPTY_SQUARE * squares
        than = f"{_compare(squares, 'more', 'fewer')} than the field"
        yield points, f"{left}, {than}: {_worth(points)}."
    if own.buttons is not None and field.buttons is not None:
        points = own.buttons - field.buttons
        left = f"It has {_number(own.buttons)} buttons at the end"
        than = f"{_compare(points, 'more', 'fewer')} than the field"
        yield points, f"{left}, {than}: {_worth(points)}."
    if own.tile is not None and field.tile is not None:
        points = statistics.tile_points * (own.tile - field.tile)
        shares = f"in {own.tile:.0%} of its games, the field in {field.tile:.0%}"
        yield points, f"It gets the special tile {shares}: {_worth(points)}."


def _list_habits(own: Averages, field: Averages) -> list[str]:
    """Return the habits that differ most from the field's, relative to it."""
    habits = []
    for key, does in _HABITS.items():
        mine, usual = getattr(own, key), getattr(field, key)
        if mine is not None and usual:
            measure = find_measure(key)
            text = f"{does.format(measure.format(mine))} (the field: {measure.format(usual)})"
            habits.append((abs(mine - usual) / usual, text))
    habits.sort(key=lambda habit: -habit[0])
    return [text for share, text in habits[:_MOST_HABITS] if share >= _LEAST_SHARE]


def describe_expectation(bot: str, expectation: Expectation) -> str:
    """Return a sentence on where in its lost games a bot's expectation fell most."""
    games = amount(expectation.games, "lost game")
    first = f"In {games} {bot} expected {expectation.first:+.1f} points at first"
    worst = min(expectation.changes)
    if worst >= 0:
        return f"{first}, and its expectation fell in no quarter of the track."
    quarter = _NAMES[expectation.changes.index(worst)]
    where = f"its expectation fell most in the {quarter} quarter of the track"
    return f"{first}; {where}, by {-worst:.1f}."


def _number(value: float) -> str:
    """Return a number with one digit, and without a minus before zero."""
    return f"{value:z.1f}"


def _compare(difference: float, more: str, less: str) -> str:
    return f"{abs(difference):.1f} {more if difference >= 0 else less}"


def _worth(points: float) -> str:
    return f"{abs(points):.1f} points a game {'more' if points >= 0 else 'less'}"
