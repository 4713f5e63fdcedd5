"""A sentence that says who leads or has won a tournament, for the first page and spectators."""

from itertools import takewhile

from pwtourney.report.page.headline import list_level
from pwtourney.report.summary import Summary
from pwtourney.standings.table import Row

__all__ = ["describe_lead"]


def describe_lead(summary: Summary) -> str:
    """Return a sentence that says who leads or has won; empty without a result."""
    if not summary.stored or summary.conditions.explain_no_result():
        return ""
    table = summary.table
    if table and table.leader:
        return _say_first(table.leader, over=summary.over)
    if table:
        return f"{table.title}."
    rows = summary.standings.pools[0].rows
    if len(rows) < 2:
        return ""
    first, second = rows[:2]
    level = [row.bot for row in takewhile(first.is_level_with, rows)]
    if len(level) > 1:
        return f"{list_level(level)} share the first place."
    sentence = _say_first(first.bot, over=summary.over)
    if first.bound or second.bound or not _is_ahead(first, second):
        return sentence
    gap = f"{first.elo - second.elo:.0f} Elo ahead of {second.bot}"
    return f"{sentence.removesuffix('.')}, {gap}."


def _say_first(bot: str, *, over: bool) -> str:
    return f"{bot} won." if over else f"{bot} leads."


def _is_ahead(first: Row, second: Row) -> bool:
    """Return True if the ratings differ by half a point at least; NaN differs from nothing."""
    return first.elo - second.elo >= 0.5
