"""The pages of single bots within the page, and what it shows of the league over time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pwtourney.report.badges import badge_name
from pwtourney.report.careers import MOST_PAGES, SeenGame
from pwtourney.report.charts import Moment, draw_career, draw_season_curves, name_time_axis
from pwtourney.report.collectors import GameIndex, list_opponents
from pwtourney.report.season import label_bot
from pwtourney.report.summary import Summary
from pwtourney.report.text import format_row
from pwtourney.schedule.season import Change, Season, base_name
from pwtourney.standings import RatingOptions, Standings

__all__ = ["describe_bots", "describe_league", "list_anchors", "trace_ratings"]

_FEWEST_MOMENTS, _MOST_MOMENTS = 12, 60
_MOST_RATED = 2_000_000
"""Games that are rated for all moments together: a fit takes longer the more there are."""

_MOST_ROWS = 2_000
_MOST_OPPONENTS, _FEWEST_OPPONENTS = 40, 10
"""Rows of opponents: of all pages together, and of one."""


def trace_ratings(summary: Summary, index: GameIndex, options: RatingOptions) -> tuple[Moment, ...]:
    """Return the ratings after each version of a league, the last of which are those of today.

    Of many versions some are left out, evenly; of a tournament that never changed there are none.
    """
    changes = summary.season.changes
    if len(changes) < 2:
        return ()
    history = index.history
    nexts = [*(change.first for change in changes[1:]), None]
    ends = [
        index.count if following is None else history.count_before(following) for following in nexts
    ]
    room = max(_FEWEST_MOMENTS, min(_MOST_MOMENTS, _MOST_RATED // max(1, index.count)))
    marks = min(room, len(changes))
    shown = [(mark + 1) * len(changes) // marks - 1 for mark in range(marks)]
    moments = []
    for place in shown:
        change, end = changes[place], ends[place]
        then = _find_scale(options, change)
        found = history.points_at([end] if end else [], then, level=summary.level)
        moments.append(Moment(change, found[0].elos if found else {}))
    return tuple(moments)


def _find_scale(options: RatingOptions, change: Change) -> RatingOptions:
    """Return how ratings were given then: by the version of the anchor that played."""
    if options.anchor is None:
        return options
    name, elo = base_name(options.anchor[0]), options.anchor[1]
    anchors = ((bot, elo) for bot in change.bots if base_name(bot) == name)
    return options._replace(anchor=next(anchors, None))


def list_anchors(season: Season) -> dict[str, str]:
    """Return where the page of each bot is, by name, in the page; none if there are too many."""
    anchors: dict[str, str] = {}
    for name in season.newest_members if len(season.newest_members) <= MOST_PAGES else ():
        anchor = f"bot-{badge_name(name)}"
        # names in a store may come from anybody, and be alike without what no address can hold
        anchors[name] = anchor if anchor not in anchors.values() else f"{anchor}-{len(anchors)}"
    return anchors


def describe_league(summary: Summary, moments: Sequence[Moment]) -> dict[str, Any] | None:
    """Return what each version of a league changed, and the curves; None if it never changed."""
    season = summary.season
    if len(season.changes) < 2:
        return None
    order = (line.bot for pool in summary.standings.pools for line in pool.lines)
    names = [base_name(bot) for bot in order if season.has(bot)]
    return {
        "curves": draw_season_curves(moments, names),
        "axis": name_time_axis(moments),
        "rows": [
            {
                "number": change.number,
                "began": _format_date(change.began),
                "added": ", ".join(change.added) or "–",
                "changed": ", ".join(f"{was} → {now}" for was, now in change.changed) or "–",
                "removed": ", ".join(change.removed) or "–",
                "bots": len(change.bots),
                "pairs": change.pairs,
            }
            for change in reversed(season.changes)
        ],
    }


def describe_bots(
    summary: Summary, index: GameIndex, moments: Sequence[Moment]
) -> Iterator[dict[str, Any]]:
    """Yield what is shown of each bot by name, best first.

    Nothing if there are too many bots for pages of their own.
    """
    season, standings = summary.season, summary.standings
    anchors = list_anchors(season)
    most = max(_FEWEST_OPPONENTS, min(_MOST_OPPONENTS, _MOST_ROWS // max(1, len(anchors))))
    rows = {
        line.bot: format_row(line, pool.level, season)
        for pool in standings.pools
        for line in pool.lines
    }
    newest = season.newest_members
    for bot in rows:
        member = season.find(bot)
        name = member.name
        if name not in anchors or newest[name].bot != bot:
            continue
        career = index.careers.find(name)
        yield {
            "anchor": anchors[name],
            "name": name,
            "bot": bot,
            "label": label_bot(member),
            "row": rows[bot],
            "career": draw_career(moments, name),
            "axis": name_time_axis(moments),
            "versions": [
                {
                    "member": each,
                    "joined": _format_date(each.joined),
                    "left": _format_date(each.left),
                    "row": rows[each.bot],
                }
                for each in [*season.members.values()][::-1]
                if each.name == name
            ],
            "opponents": _list_opponents(bot, standings, season, anchors, most),
            "games": [
                (title, [SeenGame.of(game, name) for game in games])
                for title, games in (("Best games", career.best), ("Worst games", career.worst))
            ],
            "faults": career.faults,
        }


def _list_opponents(
    bot: str, standings: Standings, season: Season, anchors: Mapping[str, str], most: int
) -> dict[str, Any]:
    """Return how a bot did against each other one, those with most games first."""
    table = list_opponents(standings, bot)
    rows = sorted(table.rows, key=lambda row: -int(row[1]))
    return {
        "title": table.title,
        "headings": table.headings,
        "rows": [
            {
                "against": label_bot(season.find(other)),
                "anchor": anchors.get(base_name(other)),
                "other": other,
                "cells": cells,
            }
            for other, *cells in rows[:most]
        ],
        "left": max(0, len(rows) - most),
    }


def _format_date(date: str | None) -> str:
    """Write the day of a date of the store; a dash if it is not known."""
    return date[:10] if date else "–"
