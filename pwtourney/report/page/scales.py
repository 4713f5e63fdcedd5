"""What ratings over time are relative to, and what a chart of them can therefore not show.

Ratings are differences. If the average of the bots is 0 at each time, the rating of a bot that
never changed falls when stronger ones join. So a league without an anchor is drawn relative to a
bundled bot that plays all the time, if it has one.
"""

import math
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, groupby
from typing import NamedTuple

from pwtourney.bots.identity import is_bundled
from pwtourney.ratings.anchors import Anchor
from pwtourney.report.collectors import History, HistoryPoint
from pwtourney.report.summary import Summary
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.season import Change
from pwtourney.standings import RatingOptions, Row

__all__ = ["SLOW", "Scale", "find_scale"]

SLOW = (
    "A rating counts all games of that version of the bot so far, so a change that made no new"
    " version shows late."
)
"""The sentence on what the ratings over time of a league cannot show."""

_FREE = "The average of the bots is 0 each time, so a line may fall because stronger bots joined."


class Scale(NamedTuple):
    """The scale of the ratings over time of a league with these `changes`.

    The anchors of the `options` have their present names. The anchor is `chosen` if the tournament
    file names none.
    """

    options: RatingOptions
    changes: Sequence[Change] = ()
    chosen: bool = False

    def find_options(self, change: Change) -> RatingOptions:
        """Return the options at that time: the anchors are the versions of them that played."""
        playing = {base_name(bot): bot for bot in reversed(change.bots)}
        played = ((playing.get(base_name(anchor.bot)), anchor) for anchor in self.options.anchors)
        anchors = tuple(anchor._replace(bot=bot) for bot, anchor in played if bot)
        return self.options._replace(anchors=anchors)

    def rate(
        self, history: History, ends: Sequence[int], *, level: float, paired_by_results: bool
    ) -> list[HistoryPoint]:
        """Return the ratings after each of these numbers of games, in ascending order."""
        starts = [history.count_before(change.first) for change in self.changes[1:]]

        def find_then(end: int) -> RatingOptions:
            return self.find_options(self.changes[bisect_left(starts, end)])

        if not starts:
            groups: Iterable[tuple[RatingOptions, Iterable[int]]] = [(self.options, ends)]
        else:
            groups = groupby(ends, find_then)
        return [
            point
            for options, group in groups
            for point in history.points_at(
                [*group], options, level=level, paired_by_results=paired_by_results
            )
        ]

    def explain(self, given: Sequence[tuple[str, ...]]) -> str:
        """Return what is fixed, by the bots with given ratings at each time, and what may jump.

        Returns an empty text for a tournament whose bots never changed.
        """
        if len(self.changes) < 2:
            return ""
        versions = {*chain.from_iterable(given)}
        names = {*map(base_name, versions)}
        if not names or not self.options.anchors:
            return _FREE
        sentences = [self._name_anchors(names)]
        it = "it" if len(names) == 1 else "one of them"
        if len(versions) > len(names):
            sentences.append(f"Where another version of {it} begins, all lines may jump.")
        if () in given:
            none = "it has no rating" if len(names) == 1 else "none of them has a rating"
            sentences.append(f"Where {none}, the average is 0, and all lines may jump.")
        elif any(len(bots) < len(names) for bots in given):
            sentences.append("Where one of them has no rating, all lines may jump.")
        return " ".join(sentences)

    def _name_anchors(self, names: Collection[str]) -> str:
        anchors = [anchor for anchor in self.options.anchors if base_name(anchor.bot) in names]
        if self.chosen:
            name = base_name(anchors[0].bot)
            return (
                f"No anchor was set, so {name}, a bundled bot, is fixed at its rating of the table."
            )
        if len(anchors) == 1 and anchors[0].is_exact:
            return f"{base_name(anchors[0].bot)} is fixed at {anchors[0].elo:g}."
        given = " and ".join(f"{base_name(anchor.bot)} ({anchor.elo:g})" for anchor in anchors)
        return f"The ratings of these bots are given: {given}."


def find_scale(summary: Summary, options: RatingOptions) -> Scale:
    """Return the scale of the ratings over time of a tournament with these options.

    If a league has no anchor, it is the bundled bot whose rating is known best, among those that
    play in each version of the league. It is fixed at its rating of the table, so the last ratings
    over time are those of the table.
    """
    changes = summary.season.changes
    if options.anchors or len(changes) < 2:
        return Scale(options, changes)
    rows = (row for pool in summary.standings.pools[:1] for row in pool.rows)
    steady = [row for row in rows if _is_steady(row, summary)]
    if not steady:
        return Scale(options, changes)
    best = min(steady, key=lambda row: row.plus_minus or math.inf)
    anchor = Anchor(best.bot, best.elo)
    return Scale(options._replace(anchors=(anchor,)), changes, chosen=True)


def _is_steady(row: Row, summary: Summary) -> bool:
    """Return True if a row is that of a rated bundled bot that has always played by this name."""
    name = base_name(row.bot)
    return (
        is_bundled(summary.contents.get(row.bot, ""))
        and not row.bound
        and row.plus_minus is not None
        and summary.season.has(row.bot)
        and all(name in map(base_name, change.bots) for change in summary.season.changes)
    )
