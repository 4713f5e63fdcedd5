"""The tables of the standings on a page: the columns that matter, all columns, and drawings."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from pwtourney.report.figures import format_row_rating
from pwtourney.report.page.addresses import games_address
from pwtourney.report.page.bot_pages import list_anchors
from pwtourney.report.page.charts import draw_heat_map, draw_los_map, draw_whiskers
from pwtourney.report.season_description import label_bot
from pwtourney.report.summary import Summary
from pwtourney.report.text.rows import (
    describe_columns,
    format_brief_row,
    format_row,
    interval_heading,
)
from pwtourney.schedule.season import Season
from pwtourney.standings import Pool, Row, Standings

__all__ = ["describe_pool", "gather_idle_bots", "list_bots", "list_few_columns"]

_HEAT = 40
"""The most bots in a heat map; a larger one is neither readable nor fast to load."""

_FEW = ("#", "Bot", "Elo", "Score", "Games", "Margin")
"""The columns that matter; one of faults follows if there are any."""


def list_few_columns(summary: Summary) -> dict[str, str]:
    """Return the headings of the columns that matter, and what each of them means."""
    meanings = describe_columns(summary.level)
    columns = {heading: meanings[heading] for heading in _FEW}
    columns["Elo"] += f". ± {meanings[interval_heading(summary.level)]}"
    rows = (row for pool in summary.standings.pools for row in pool.rows)
    if any(row.resources.faults for row in rows):
        columns["Faults"] = meanings["Faults"]
    return columns


def list_bots(summary: Summary) -> Iterator[dict[str, str]]:
    """Yield the bots that have a section of their own, best first: what a list shows of each."""
    season = summary.season
    anchors, newest = list_anchors(season), season.newest_members
    for pool in summary.standings.pools:
        for row in pool.rows:
            member = season.find(row.bot)
            if member.name in anchors and newest[member.name].bot == row.bot:
                cells = _format_few(row, format_row(row, pool.level, season))
                yield {
                    "anchor": anchors[member.name],
                    "bot": row.bot,
                    "name": member.name,
                    "label": label_bot(member),
                    "rank": cells["#"],
                    "rating": cells["Elo"],
                }


def gather_idle_bots(standings: Standings) -> Standings:
    """Return standings with one table for all bots that have no game that counts.

    Each of them is alone, and would have a table of its own.
    """
    idle = [pool for pool in standings.pools if _is_idle(pool)]
    if len(idle) < 2:
        return standings
    others = [pool for pool in standings.pools if not _is_idle(pool)]
    rows = tuple(row for pool in idle for row in pool.rows)
    return standings._replace(pools=(*others, idle[0]._replace(rows=rows)))


def _is_idle(pool: Pool) -> bool:
    """Return True if no bot of a table has a game that counts."""
    return not pool.deals


def describe_pool(pool: Pool, season: Season) -> dict[str, Any]:
    """Return one table of the standings with its drawings; bots without games have none."""
    anchors = list_anchors(season)
    rows = []
    for row in pool.rows:
        member, cells = season.find(row.bot), format_row(row, pool.level, season)
        who = {"anchor": anchors.get(member.name), "bot": member.bot, "status": member.status}
        rows.append(_describe_row(row, cells) | who)
    drawn = len(pool.rows) > 1 and not _is_idle(pool)
    mapped = drawn and len(pool.rows) <= _HEAT
    return {
        "rows": rows,
        "whiskers": draw_whiskers(pool, season) if drawn else None,
        "intervals": not pool.paired_by_results,
        "heat": draw_heat_map(pool, season) if mapped else [],
        "los": draw_los_map(pool, season) if mapped and not pool.paired_by_results else [],
    }


def _describe_row(row: Row, cells: Mapping[str, str]) -> dict[str, Any]:
    """Return the cells of a bot in the short and in the whole table, with sort keys and links."""
    return {
        "few": _format_few(row, cells),
        "all": cells,
        "sort": _list_keys(row),
        "addresses": _list_addresses(row),
    }


def _list_addresses(row: Row) -> dict[str, str]:
    """Return the addresses of the games that are counted in columns, by their headings."""
    addresses = {}
    if row.tally.game_count:
        addresses["Games"] = games_address(row.bot)
        addresses["Score"] = games_address(row.bot, result="won")
    if row.resources.faults:
        addresses["Faults"] = games_address(row.bot, result="fault")
    return addresses


def _format_few(row: Row, cells: Mapping[str, str]) -> dict[str, str]:
    """Return the cells of the columns that matter; a bot without games has neither rank nor Elo."""
    few = {heading: cells[heading] for heading in _FEW} | format_brief_row(row)
    if cells["Elo"] == "–":
        return few | {"#": "–"}
    return few | {"Elo": format_row_rating(row)}


def _list_keys(row: Row) -> dict[str, str]:
    """Return the sort keys of columns whose cells have more than one number."""
    return {
        "Ranks": str(row.ranks.best),
        "Elo": "" if math.isnan(row.shown_elo) else f"{row.shown_elo:.4f}",
        "W–L": str(row.tally.wins),
        "Pairs": str(row.tally.pairs[2]),
        "Margin": str(row.margin.mean if row.margin else ""),
        "Faults": str(sum(row.resources.faults.values())),
    }
