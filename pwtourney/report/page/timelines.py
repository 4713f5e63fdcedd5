"""Ratings over time in a league whose bots change: after each of its versions, and as curves."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple

from pwtourney.report.collectors import GameIndex
from pwtourney.report.figures import format_rating
from pwtourney.report.page.charts import ACROSS, Axis, Curve, draw_curves, make_axis, make_elo_axis
from pwtourney.report.page.dates import list_date_ticks, parse_date
from pwtourney.report.page.scales import SLOW, find_scale
from pwtourney.report.summary import Summary
from pwtourney.schedule.bot_names import base_name
from pwtourney.schedule.season import Change
from pwtourney.standings import RatingOptions

__all__ = [
    "Moment",
    "Point",
    "RatingThen",
    "Timeline",
    "draw_career",
    "draw_season_curves",
    "trace_ratings",
]

_FEWEST_MOMENTS, _MOST_MOMENTS = 12, 60
_MOST_RATED = 2_000_000
"""The most games that are rated for all moments together; rating time grows with their number."""

_HALF_A_DAY = 43_200


class Moment(NamedTuple):
    """A version of a league, and the ratings that its bots had after its last game.

    The ratings of `anchors` are given; without any, the average is 0.
    """

    change: Change
    elos: Mapping[str, tuple[float, float | None]]
    anchors: tuple[str, ...] = ()


class RatingThen(NamedTuple):
    """The rating of a version of a bot at a moment, with half of its interval.

    `time` is the position of the moment on the axis.
    """

    time: float
    change: Change
    bot: str
    elo: float
    reach: float | None

    @property
    def when(self) -> str:
        """The day on which the version of the league began, or its number."""
        began = self.change.began
        return began[:10] if began else f"version {self.change.number}"


class Timeline(NamedTuple):
    """Ratings over time, by the name of the bot, for the moments at which it has one.

    `across` is the axis of time. Its `unit` is a date in UTC, or the version of the league if a
    date is unknown. `limits` are sentences on what the ratings are relative to, and do not show.
    """

    moments: tuple[Moment, ...]
    across: Axis
    unit: str
    ratings: Mapping[str, Sequence[RatingThen]] = MappingProxyType({})
    limits: str = ""

    @classmethod
    def of(cls, moments: Sequence[Moment], limits: str = "") -> "Timeline":
        """Put moments, the earliest first, on an axis of time."""
        dates = [parse_date(moment.change.began) for moment in moments]
        times = [date for date in dates if date is not None]
        if len(times) == len(dates) and times:
            across, unit = _make_date_axis(times), "date"
        else:
            times = [float(moment.change.number) for moment in moments]
            across = make_axis(min(times, default=0), max(times, default=1), *ACROSS)
            unit = "version of the league"
        ratings = defaultdict[str, list[RatingThen]](list)
        for time, moment in zip(times, moments, strict=True):
            for bot in filter(moment.elos.__contains__, moment.change.bots):
                rating = RatingThen(time, moment.change, bot, *moment.elos[bot])
                ratings[base_name(bot)].append(rating)
        return cls(tuple(moments), across, unit, dict(ratings), limits)


class Point(NamedTuple):
    """A bot's rating at a moment, with the ends of its interval, if known.

    `version` is the bot's id if it differs from the previous point's, and `text` a full
    description.
    """

    x: float
    y: float
    low: float
    high: float
    version: str
    text: str


def trace_ratings(summary: Summary, index: GameIndex, options: RatingOptions) -> Timeline:
    """Return the ratings after each version of a league; the last ones are the current ratings.

    If there are many versions, some are left out evenly. A tournament that never changed has none.
    """
    changes = summary.season.changes
    if len(changes) < 2:
        return Timeline.of(())
    history = index.history
    nexts = [*(change.first for change in changes[1:]), None]
    ends = [
        index.count if following is None else history.count_before(following) for following in nexts
    ]
    scale = find_scale(summary, options)
    room = max(_FEWEST_MOMENTS, min(_MOST_MOMENTS, _MOST_RATED // max(1, index.count)))
    marks = min(room, len(changes))
    shown = [(mark + 1) * len(changes) // marks - 1 for mark in range(marks)]
    moments = []
    for position in shown:
        change, end = changes[position], ends[position]
        then = scale.find_options(change)
        points = history.points_at([end] if end else [], then, level=summary.level)
        moments += [Moment(change, point.elos, point.anchors) for point in points] or [
            Moment(change, {})
        ]
    given = [moment.anchors for moment in moments if moment.elos]
    return Timeline.of(moments, f"{scale.explain(given)} {SLOW}")


def draw_season_curves(
    timeline: Timeline, names: Sequence[str]
) -> tuple[Axis, Axis, list[Curve]] | None:
    """Return the ratings of bots over time, by name; None if there are fewer than two moments.

    Each version of a bot has a line of its own, because it is another program.
    """
    series = {
        name: [(rating.time, rating.elo) for rating in timeline.ratings.get(name, ())]
        for name in names
    }
    elos = [elo for points in series.values() for _, elo in points]
    if len(timeline.moments) < 2 or not elos:
        return None
    down = make_elo_axis(elos)
    breaks = {name: _find_breaks(timeline.ratings.get(name, ())) for name in names}
    return timeline.across, down, draw_curves(series, timeline.across, down, breaks)


def _find_breaks(ratings: Sequence[RatingThen]) -> dict[int, str]:
    """Return the numbers of the ratings with which another version begins, and what it is."""
    return {
        number: f"{now.when}: {now.bot}, no longer {before.bot}"
        for number, (before, now) in enumerate(pairwise(ratings), 1)
        if now.bot != before.bot
    }


def draw_career(timeline: Timeline, name: str) -> tuple[Axis, Axis, list[Point]] | None:
    """Return one bot's ratings over time, if there are any."""
    ratings = timeline.ratings.get(name, ())
    if len(timeline.moments) < 2 or not ratings:
        return None
    ends = [rating.elo + sign * (rating.reach or 0) for rating in ratings for sign in (-1, 1)]
    down = make_elo_axis(ends)
    points, before = [], ""
    for rating in ratings:
        time, _, bot, elo, reach = rating
        low, high = (down.at(elo + sign * (reach or 0)) for sign in (-1, 1))
        text = f"{rating.when}: {bot} {format_rating(elo, reach)} Elo"
        version = bot if bot != before else ""
        points.append(Point(timeline.across.at(time), down.at(elo), low, high, version, text))
        before = bot
    return timeline.across, down, points


def _make_date_axis(times: Sequence[float]) -> Axis:
    """Return the axis of dates, in seconds since 1970."""
    low, high = min(times), max(times)
    if low == high:
        low, high = low - _HALF_A_DAY, high + _HALF_A_DAY
    bare = Axis(low, high, (), *ACROSS)
    ticks = tuple((bare.at(date), text) for date, text in list_date_ticks(low, high))
    return bare._replace(ticks=ticks)
