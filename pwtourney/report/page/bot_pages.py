"""The sections of single bots within the page, and the history of the league."""

from collections.abc import Iterator, Mapping
from typing import Any

from pwtourney.notation.game import Verdict
from pwtourney.report.careers import MOST_PAGES, CareerGame
from pwtourney.report.collectors import (
    OPPONENT_HEADINGS,
    GameIndex,
    find_meetings,
    format_meeting,
    title_opponents,
)
from pwtourney.report.figures import describe_rating
from pwtourney.report.page.addresses import games_address
from pwtourney.report.page.bot_statistics import describe_statistics
from pwtourney.report.page.timelines import Timeline, draw_career, draw_season_curves
from pwtourney.report.season_description import label_bot
from pwtourney.report.summary import Summary
from pwtourney.report.text.badges import badge_name
from pwtourney.report.text.rows import format_row
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.season import Change, Season
from pwtourney.standings import Standings

__all__ = ["describe_bots", "describe_league", "explain_absences", "list_anchors"]

_MOST_ROWS = 2_000
"""The most rows of opponents of all bots together."""

_MOST_OPPONENTS = 40
"""The most rows of opponents of one bot; of `MOST_PAGES` bots, each still has 20."""


def list_anchors(season: Season) -> dict[str, str]:
    """Return the anchor of each bot's section by name; empty if there are too many bots."""
    anchors: dict[str, str] = {}
    for name in season.newest_members if len(season.newest_members) <= MOST_PAGES else ():
        anchor = f"bot-{badge_name(name)}"
        # names in a store may come from anybody, and may be equal once unsafe characters are
        # replaced
        anchors[name] = anchor if anchor not in anchors.values() else f"{anchor}-{len(anchors)}"
    return anchors


def explain_absences(season: Season) -> dict[str, str]:
    """Return why bots have no section, by the names that old links have: banned, or renamed."""
    renamed = {old: f"{old} is called {now} now." for old, now in season.former.items()}
    banned = {
        ban.bot: f"{ban.bot} is banned since {_format_date(ban.since)} ({ban.reason})."
        for ban in season.bans
    }
    return renamed | banned


def describe_league(summary: Summary, timeline: Timeline) -> dict[str, Any] | None:
    """Return what each version of a league changed, and the curves; None if it never changed."""
    season = summary.season
    if len(season.changes) < 2:
        return None
    order = (row.bot for pool in summary.standings.pools for row in pool.rows)
    names = [base_name(bot) for bot in order if season.has(bot)]
    return {
        "curves": draw_season_curves(timeline, names),
        "axis": timeline.unit,
        "limits": timeline.limits,
        "rows": [
            {
                "number": change.number,
                "began": _format_date(change.began),
                "added": ", ".join(change.added) or "–",
                "changed": ", ".join(
                    f"{was} → {now}" for was, now in (*change.changed, *change.renamed)
                )
                or "–",
                "removed": ", ".join(_name_removed(change, season)) or "–",
                "bots": len(change.bots),
                "pairs": change.pairs,
            }
            for change in reversed(season.changes)
        ],
    }


def _name_removed(change: Change, season: Season) -> Iterator[str]:
    """Yield the bots that a version of a league removed, with their status if they are not back."""
    for bot in change.removed:
        member = season.find(bot)
        has_left = member.status in ("withdrawn", "banned") and member.left == change.began
        yield label_bot(member) if has_left else bot


def describe_bots(
    summary: Summary, index: GameIndex, timeline: Timeline
) -> Iterator[dict[str, Any]]:
    """Yield the section of each bot by name, best first.

    Yields nothing if there are too many bots for sections of their own.
    """
    season, standings = summary.season, summary.standings
    anchors = list_anchors(season)
    most = min(_MOST_OPPONENTS, _MOST_ROWS // max(1, len(anchors)))
    rows = {
        row.bot: format_row(row, pool.level, season)
        for pool in standings.pools
        for row in pool.rows
    }
    ratings = {row.bot: describe_rating(row) for pool in standings.pools for row in pool.rows}
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
            "rating": ratings[bot],
            "career": draw_career(timeline, name),
            "axis": timeline.unit,
            "limits": timeline.limits,
            "versions": _list_versions(name, season, rows),
            "opponents": _list_opponents(bot, standings, season, anchors, most),
            "statistics": describe_statistics(summary.statistics, bot),
            "has_played": rows[bot]["Games"] != "0",
            "list_address": games_address(bot),
            "won_address": games_address(bot, result="won"),
            "games_address": games_address(bot, verdict=Verdict.FINISHED),
            "lost_address": games_address(bot, result="lost"),
            "won": [CareerGame.of(game, name) for game in career.best],
            "lost": [CareerGame.of(game, name) for game in career.worst],
            "faults": [
                (fault, games_address(fault.bot, result="fault", verdict=fault.verdict))
                for fault in career.faults
            ],
        }


def _list_versions(
    name: str, season: Season, rows: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Return the versions of a bot, the newest first, with their rows of the standings."""
    return [
        {
            "member": member,
            "joined": _format_date(member.joined),
            "left": _format_date(member.left),
            "row": rows[member.bot],
        }
        for member in [*season.members.values()][::-1]
        if member.name == name
    ]


def _list_opponents(
    bot: str, standings: Standings, season: Season, anchors: Mapping[str, str], most: int
) -> dict[str, Any]:
    """Return the results of a bot against each opponent, those with most games first."""
    level = standings.pools[0].level
    met = sorted(find_meetings(standings, bot).items(), key=lambda item: -item[1].games)
    return {
        "title": title_opponents(bot, level),
        "headings": OPPONENT_HEADINGS,
        "rows": [
            {
                "against": label_bot(season.find(other)),
                "anchor": anchors.get(base_name(other)),
                "address": games_address(bot, against=other),
                "cells": format_meeting(meeting, level),
            }
            for other, meeting in met[:most]
        ],
        "left": max(0, len(met) - most),
    }


def _format_date(date: str | None) -> str:
    """Format the day of a date of the store; a dash if it is unknown."""
    return date[:10] if date else "–"
