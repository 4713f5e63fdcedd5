"""Ratings over time in a league, and their positions, computed by hand.

The axis of time is drawn from 60 to 620, and that of ratings from 230 up to 10.
"""

import calendar
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from pwtourney.report import summarise
from pwtourney.report.collectors import GameIndex
from pwtourney.report.page.charts import Curve, Ring
from pwtourney.report.page.timelines import (
    Moment,
    Point,
    RatingThen,
    Timeline,
    draw_career,
    draw_season_curves,
    trace_ratings,
)
from pwtourney.report.summary import Summary
from pwtourney.schedule.season import Change, Season
from pwtourney.standings import Anchor, RatingOptions
from tests.report.leagues import make_league

PLAIN = RatingOptions()
SECOND_OF_MARCH = calendar.timegm((2026, 3, 2, 0, 0, 0))
DAY = 24 * 60 * 60


def change(number: int, began: str | None, *bots: str, first: int = 0) -> Change:
    """Return a version of a league with these bots."""
    return Change(number, first, began, 0, bots, (), (), ())


def moments(*dates: str | None) -> list[Moment]:
    """Return three versions of a league: ant and bee, then ant#2 and bee, and then only bee."""
    line_ups = (("ant", "bee"), ("bee", "ant#2"), ("bee",))
    elos: Sequence[dict[str, tuple[float, float | None]]] = (
        {"ant": (50.0, 10.0), "bee": (-50.0, None)},
        {"ant": (70.0, 1.0), "ant#2": (0.0, 20.0)},
        {"bee": (25.0, 5.0), "ant#2": (10.0, 20.0)},
    )
    return [
        Moment(change(number, began, *bots), then)
        for number, (began, bots, then) in enumerate(zip(dates, line_ups, elos, strict=True), 1)
    ]


DATED = ("2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z", "2026-03-06T00:00:00Z")


def read(folder: Path, weeks: int, level: float = 0.95) -> tuple[Summary, GameIndex]:
    """Return the summary of a league of simulated games, and the index of its games."""
    index = GameIndex()
    with closing(make_league(folder, weeks)) as store:
        return summarise(store, index.add, level=level), index


def test_timeline_contains_the_ratings_of_the_bots_that_played_then() -> None:
    """Versions of a bot share its name, and ratings of bots that had left are not shown."""
    given = moments(*DATED)
    timeline = Timeline.of(given)
    assert timeline.moments == tuple(given)
    assert timeline.unit == "date"
    first, second, third = (moment.change for moment in given)
    assert timeline.ratings == {
        "ant": [
            RatingThen(SECOND_OF_MARCH, first, "ant", 50, 10),
            RatingThen(SECOND_OF_MARCH + DAY, second, "ant#2", 0, 20),
        ],
        "bee": [
            RatingThen(SECOND_OF_MARCH, first, "bee", -50, None),
            RatingThen(SECOND_OF_MARCH + 4 * DAY, third, "bee", 25, 5),
        ],
    }
    assert (timeline.across.low, timeline.across.high) == (
        SECOND_OF_MARCH,
        SECOND_OF_MARCH + 4 * DAY,
    )
    assert timeline.across.ticks == tuple(
        (60 + 140 * number, f"2026-03-0{number + 2}") for number in range(5)
    )


def test_timeline_without_a_date_counts_versions() -> None:
    """Three versions are on an axis from 1 to 3, and none at all on one from 0 to 1."""
    timeline = Timeline.of(moments(DATED[0], None, DATED[2]))
    assert timeline.unit == "version of the league"
    assert timeline.across.ticks[0] == (60, "1.0")
    assert timeline.across.ticks[-1] == (620, "3.0")
    assert [rating.time for rating in timeline.ratings["bee"]] == [1, 3]
    empty = Timeline.of([])
    assert (empty.moments, empty.ratings) == ((), {})
    assert empty.unit == "version of the league"
    assert (empty.across.ticks[0], empty.across.ticks[-1]) == ((60, "0.0"), (620, "1.0"))


def test_single_date_is_in_the_middle_of_a_day() -> None:
    """The axis begins half a day before and ends half a day after."""
    timeline = Timeline.of(moments(*DATED)[:1])
    assert timeline.across.low == SECOND_OF_MARCH - DAY / 2
    assert timeline.across.high == SECOND_OF_MARCH + DAY / 2
    assert timeline.across.at(SECOND_OF_MARCH) == 340
    assert (340, "03-02 00:00") in timeline.across.ticks


def test_season_curves_have_a_point_for_each_rating() -> None:
    """The axis of ratings spans −50 to 50, and names keep their colours if they have no rating."""
    timeline = Timeline.of(moments(*DATED))
    drawn = draw_season_curves(timeline, ["cat", "bee", "ant"])
    assert drawn is not None
    across, down, curves = drawn
    assert across == timeline.across
    assert (down.ticks[0], down.ticks[-1]) == ((230, "-60"), (10, "60"))
    ring = Ring(200, 120, "2026-03-03: ant#2, no longer ant")
    # 220 for 120 Elo, and 560 for 4 days
    assert curves == [
        Curve("bee", ("60,211.7 620,74.2",), 1, 0, (620, 74.2), first=True),
        # ant#2 is another program, so it has a line and a ring of its own
        Curve("ant", ("60,28.3", "200,120"), 2, 0, (200, 120), first=True, rings=(ring,)),
    ]


def test_season_of_one_moment_has_no_curves() -> None:
    """Neither have bots without ratings."""
    assert draw_season_curves(Timeline.of(moments(*DATED)[:1]), ["ant", "bee"]) is None
    assert draw_season_curves(Timeline.of(moments(*DATED)[:2]), ["ant", "bee"]) is not None
    assert draw_season_curves(Timeline.of(moments(*DATED)), ["cat"]) is None


def test_career_shows_intervals_and_new_versions() -> None:
    """The intervals end at 60 and −20 Elo, and the version is written where it changes."""
    timeline = Timeline.of(moments(*DATED))
    drawn = draw_career(timeline, "ant")
    assert drawn is not None
    across, down, points = drawn
    assert across == timeline.across
    assert (down.ticks[0], down.ticks[-1]) == ((230, "-20"), (10, "60"))
    # 220 for 80 Elo
    assert points == [
        Point(60, 37.5, 65, 10, "ant", "2026-03-02: ant +50 ± 10 Elo"),
        Point(200, 175, 230, 120, "ant#2", "2026-03-03: ant#2 0 ± 20 Elo"),
    ]


def test_career_without_dates_names_versions_of_the_league() -> None:
    """A rating without interval is a point, and the same bot is not named again."""
    drawn = draw_career(Timeline.of(moments(None, None, None)), "bee")
    assert drawn is not None
    _, down, points = drawn
    # from −50 to 30: a sixth of 80 is more than 10, so the step is 20
    assert (down.ticks[0], down.ticks[-1]) == ((230, "-60"), (10, "40"))
    assert points == [
        Point(60, 208, 208, 208, "bee", "version 1: bee -50 Elo"),
        Point(620, 43, 54, 32, "", "version 3: bee +25 ± 5 Elo"),
    ]


def test_axis_of_a_career_ends_at_ratings_without_interval() -> None:
    """Forty and eighty Elo are ticks themselves, so the axis has no more room than that."""
    elos: Sequence[dict[str, tuple[float, float | None]]] = (
        {"ant": (80.0, None)},
        {"ant": (40.0, None)},
    )
    timeline = Timeline.of(
        [Moment(change(number, None, "ant"), then) for number, then in enumerate(elos, 1)]
    )
    drawn = draw_career(timeline, "ant")
    assert drawn is not None
    assert (drawn[1].low, drawn[1].high) == (40, 80)


def test_bot_without_ratings_has_no_career() -> None:
    """Neither has a bot of a single moment."""
    assert draw_career(Timeline.of(moments(*DATED)[:1]), "ant") is None
    assert draw_career(Timeline.of(moments(*DATED)[:2]), "ant") is not None
    assert draw_career(Timeline.of(moments(*DATED)), "cat") is None


def test_last_ratings_of_a_league_are_those_of_its_table(tmp_path: Path) -> None:
    """With the intervals of the same level; those after the first week are that week's."""
    (tmp_path / "one").mkdir()
    summary, index = read(tmp_path, 2, level=0.8)
    before, _ = read(tmp_path / "one", 1, level=0.8)
    timeline = trace_ratings(summary, index, PLAIN)
    assert len(timeline.moments) == 2
    for moment, table in zip(timeline.moments, (before, summary), strict=True):
        rows = table.standings.pools[0].rows
        assert moment.elos.keys() == {row.bot for row in rows}
        for row in rows:
            elo, reach = moment.elos[row.bot]
            assert elo == pytest.approx(row.elo)
            assert row.plus_minus is not None
            assert reach == pytest.approx(row.plus_minus)


def test_league_that_never_changed_has_no_ratings_over_time(tmp_path: Path) -> None:
    """Its timeline is empty, although it has one version with games."""
    summary, index = read(tmp_path, 1)
    assert len(summary.season.changes) == 1
    assert trace_ratings(summary, index, PLAIN) == Timeline.of(())


def test_version_before_the_first_game_has_no_ratings(tmp_path: Path) -> None:
    """A league may change before it has played at all."""
    summary, _ = read(tmp_path, 2)
    timeline = trace_ratings(summary, GameIndex(), PLAIN)
    assert [moment.elos for moment in timeline.moments] == [{}, {}]


@pytest.mark.parametrize(
    ("games", "step"), [(0, 2), (20_000, 2), (50_000, 3), (100_000, 6), (200_000, 10)]
)
def test_many_versions_are_thinned_out_evenly(tmp_path: Path, games: int, step: int) -> None:
    """Sixty are rated at most, fewer if all games together are over 2,000,000, and at least 12.

    Of 120 versions, 50,000 games leave 40, 100,000 games 20, and 200,000 games 12, not 10.
    """
    summary, _ = read(tmp_path, 1)
    versions = tuple(change(number, None, "ant") for number in range(1, 121))
    index = GameIndex()
    index.count = games
    timeline = trace_ratings(summary._replace(season=Season({}, versions)), index, PLAIN)
    numbers = [moment.change.number for moment in timeline.moments]
    assert numbers == list(range(step, 121, step))


def test_all_of_a_few_versions_are_rated(tmp_path: Path) -> None:
    """Sixty versions are shown as they are, and of 61 the last one but one is left out."""
    summary, _ = read(tmp_path, 1)
    versions = tuple(change(number, None, "ant") for number in range(1, 62))
    for count, numbers in ((60, [*range(1, 61)]), (61, [*range(1, 60), 61])):
        season = Season({}, versions[:count])
        timeline = trace_ratings(summary._replace(season=season), GameIndex(), PLAIN)
        assert [moment.change.number for moment in timeline.moments] == numbers


def test_scale_is_the_average_before_the_anchor_has_joined(tmp_path: Path) -> None:
    """Owl joins in the third week, so only then it has the 500 Elo of the anchor."""
    summary, index = read(tmp_path, 3)
    timeline = trace_ratings(summary, index, PLAIN._replace(anchors=(Anchor("owl", 500.0),)))
    first, second, third = (moment.elos for moment in timeline.moments)
    assert third["owl"][0] == pytest.approx(500)
    for elos in (first, second):
        assert sum(elo for elo, _ in elos.values()) == pytest.approx(0)
