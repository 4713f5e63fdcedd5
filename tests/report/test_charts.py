"""The positions of the marks in charts, computed by hand from the size of the drawing.

Curves are drawn from 60 to 620 across, and from 230 up to 10.
"""

import math

import pytest

from pwtourney.report.collectors import GameIndex, HistoryPoint
from pwtourney.report.page.charts import (
    ACROSS,
    Axis,
    Cell,
    Curve,
    Ring,
    Whisker,
    draw_curves,
    draw_heat_map,
    draw_histogram,
    draw_los_map,
    draw_rating_curves,
    draw_thinking_curves,
    draw_whiskers,
    make_axis,
    make_elo_axis,
)
from pwtourney.schedule.season import NO_LEAGUE
from tests.report.tables import SEASON, make_pool, make_row, meet

NAN = math.nan


def test_axis_maps_its_ends_to_its_start_and_end() -> None:
    """Between them a position is proportional to the value, rounded to a tenth, in either way."""
    assert Axis(10, 20, (), 100, 50).at(10) == 100
    assert Axis(10, 20, (), 100, 50).at(13) == 85
    assert Axis(0, 3, (), 0, 100).at(1) == 33.3
    assert Axis(-3, 3, (), 150, 620).at(2) == 541.7


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        # a sixth of the span is 1, 2, 5 or 10, and each of them is a step itself
        (0, 6, ["0", "1", "2", "3", "4", "5", "6"]),
        (0, 12, ["0", "2", "4", "6", "8", "10", "12"]),
        (0, 30, ["0", "5", "10", "15", "20", "25", "30"]),
        (0, 60, ["0", "10", "20", "30", "40", "50", "60"]),
        # a sixth of the span lies between two steps: the larger one is taken
        (3, 11, ["2", "4", "6", "8", "10", "12"]),
        (-7, 8, ["-10", "-5", "0", "5", "10"]),
        (1, 39, ["0", "10", "20", "30", "40"]),
        (0, 3900, ["0", "1000", "2000", "3000", "4000"]),
        (0.13, 0.87, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 0.1, ["0.00", "0.02", "0.04", "0.06", "0.08", "0.10"]),
    ],
)
def test_ticks_are_multiples_of_a_round_step(low: float, high: float, texts: list[str]) -> None:
    """The step is the smallest of 1, 2, 5 times a power of ten that has six steps at most."""
    axis = make_axis(low, high, 0, 100)
    assert [text for _, text in axis.ticks] == texts
    assert (axis.low, axis.high) == pytest.approx((float(texts[0]), float(texts[-1])))
    assert (axis.start, axis.end) == (0, 100)
    steps = len(texts) - 1
    positions = [round(100 * number / steps, 1) for number in range(steps + 1)]
    assert [position for position, _ in axis.ticks] == positions


def test_axis_of_a_single_value_has_one_step() -> None:
    """A span of 0 is taken as a billionth, which makes an axis with two ticks."""
    axis = make_axis(0, 0, 0, 100)
    assert axis.low == 0
    assert axis.high == pytest.approx(2e-10)
    assert axis.ticks == ((0, "0.0000000000"), (100, "0.0000000002"))


def test_axis_of_ratings_spans_twenty_elo_at_least() -> None:
    """Ratings that are ten Elo apart get five more on both sides, and others no more room."""
    narrow = make_elo_axis([10, 0, 4])
    assert narrow.ticks == (
        (230, "-5"),
        (175, "0"),
        (120, "5"),
        (65, "10"),
        (10, "15"),
    )
    # nine more on both sides are from −9 to 11
    assert [text for _, text in make_elo_axis([2, 0]).ticks] == ["-10", "-5", "0", "5", "10", "15"]
    exact = make_elo_axis([20, 0])
    assert [text for _, text in exact.ticks] == ["0", "5", "10", "15", "20"]
    wide = make_elo_axis([10, 50, 30], 150, 620)
    assert wide.ticks == ((150, "10"), (267.5, "20"), (385, "30"), (502.5, "40"), (620, "50"))


def test_axis_of_ratings_contains_their_fractions() -> None:
    """A rating of −0.4 is below the tick at 0, and a sixth of 30.4 is more than a step of 5."""
    assert [text for _, text in make_elo_axis([-0.4, 29]).ticks] == [
        "-5",
        "0",
        "5",
        "10",
        "15",
        "20",
        "25",
        "30",
    ]
    assert [text for _, text in make_elo_axis([0, 30.4]).ticks] == ["0", "10", "20", "30", "40"]


def test_whiskers_show_ratings_with_their_intervals() -> None:
    """The axis from −150 to 150 is 470 wide from 150 on, and each bot has a row of 26."""
    pool = make_pool(
        make_row(1, "ant", 100, 50),
        make_row(2, "bee", 80, bound=">"),
        make_row(3, "cat", -100, 50),
        make_row(4, "dog", NAN, bound="?"),
    )
    axis, whiskers = draw_whiskers(pool, SEASON)
    assert [text for _, text in axis.ticks] == ["-150", "-100", "-50", "0", "50", "100", "150"]
    assert [position for position, _ in axis.ticks] == [150, 228.3, 306.7, 385, 463.3, 541.7, 620]
    assert whiskers == [
        Whisker("ant (old)", "ant (old)", "+100 ± 50", 18, 541.7, 463.3, 620, bound="", known=True),
        Whisker("bee", "bee", "> +80", 44, 510.3, 510.3, 510.3, bound=">", known=True),
        Whisker(
            "cat (removed)",
            "cat (removed)",
            "-100 ± 50",
            70,
            228.3,
            150,
            306.7,
            bound="",
            known=True,
        ),
        Whisker("dog", "dog", "no rating", 96, 150, 150, 150, bound="?", known=False),
    ]


def test_axis_of_whiskers_ends_at_ratings_without_interval() -> None:
    """A bound of 300 Elo has no interval, so the axis ends at 300; without ratings it is at 0."""
    bounded = make_pool(make_row(1, "ant", 300, bound=">"), make_row(2, "bee", -100))
    axis, _ = draw_whiskers(bounded, NO_LEAGUE)
    assert [text for _, text in axis.ticks] == ["-100", "0", "100", "200", "300"]
    unknown = make_pool(make_row(1, "ant", NAN), make_row(2, "bee", NAN))
    axis, _ = draw_whiskers(unknown, NO_LEAGUE)
    assert [text for _, text in axis.ticks] == ["-10", "-5", "0", "5", "10"]


def test_long_name_next_to_a_whisker_keeps_both_ends() -> None:
    """A name of 21 letters is cut to its first 9 and last 10; one of 20 letters stays."""
    names = ("abcdefghijklmnopqrst", "abcdefghijklmnopqrstu")
    _, whiskers = draw_whiskers(make_pool(*(make_row(1, name, 0) for name in names)), NO_LEAGUE)
    assert [whisker.label for whisker in whiskers] == [names[0], "abcdefghi…lmnopqrstu"]
    assert [whisker.bot for whisker in whiskers] == [*names]


def test_heat_map_shows_shares_from_both_sides() -> None:
    """The ant has 1 of 3 points against the bee, which leaves two thirds to the bee."""
    rows = (make_row(1, "ant", 50), make_row(2, "bee", 0), make_row(3, "cat", -50))
    drawn = draw_heat_map(
        make_pool(*rows, meetings=[meet("ant", "bee", 3, 1.0), meet("cat", "ant", 8, 1.0)]), SEASON
    )
    assert [(row.number, row.label) for row in drawn] == [
        (1, "ant (old)"),
        (2, "bee"),
        (3, "cat (removed)"),
    ]
    ant, bee, cat = (row.cells for row in drawn)
    empty = Cell("", "", None, None)
    assert ant == [
        empty,
        Cell("33", "ant got 33.3% in 3 games against bee", 1 / 3, ("ant", "bee")),
        Cell("88", "ant got 87.5% in 8 games against cat", 7 / 8, ("ant", "cat")),
    ]
    assert bee == [
        Cell("67", "bee got 66.7% in 3 games against ant", 1 - 1 / 3, ("bee", "ant")),
        empty,
        Cell("–", "bee and cat have not met", None, None),
    ]
    assert cat == [
        Cell("12", "cat got 12.5% in 8 games against ant", 1 / 8, ("cat", "ant")),
        Cell("–", "cat and bee have not met", None, None),
        empty,
    ]


def test_bots_that_share_a_rank_have_numbers_of_their_own() -> None:
    """A number heads the column of a bot."""
    drawn = draw_heat_map(make_pool(make_row(1, "ant", 0), make_row(1, "bee", 0)), SEASON)
    assert [row.number for row in drawn] == [1, 2]


def test_map_of_superiority_shows_likelihoods_from_both_sides() -> None:
    """A lead of one standard error on two deals is 75 %: the quartile of Student's t with one."""
    pool = make_pool(
        make_row(1, "ant", 100),
        make_row(2, "bee", 0),
        make_row(3, "cat", 90, bound="<"),
        covariance=((5000, 0, 0), (0, 5000, 0), (0, 0, 0)),
    )
    drawn = draw_los_map(pool, SEASON)
    assert [(row.number, row.label) for row in drawn] == [
        (1, "ant (old)"),
        (2, "bee"),
        (3, "cat (removed)"),
    ]
    cells = [
        [(cell.text, cell.title, cell.share and round(cell.share, 9)) for cell in row.cells]
        for row in drawn
    ]
    assert cells == [
        [
            ("", "", None),
            ("75", "ant is stronger than bee with 75.0%", 0.75),
            ("–", "ant and cat: not known", None),
        ],
        [
            ("25", "bee is stronger than ant with 25.0%", 0.25),
            ("", "", None),
            ("–", "bee and cat: not known", None),
        ],
        [
            ("–", "cat and ant: not known", None),
            ("–", "cat and bee: not known", None),
            ("", "", None),
        ],
    ]
    assert {cell.games for row in drawn for cell in row.cells} == {None}


def count_margins(*margins: int) -> GameIndex:
    """Return the index of the games of one bot that ended with these margins."""
    index = GameIndex()
    for margin in margins:
        index.margins["ant"][margin // 10] += 1
    return index


def test_histogram_has_a_bar_for_each_step_of_ten_points() -> None:
    """The axis from −10 to 20 is 300 wide from 10 on, and the highest bar is 80 high above 90."""
    drawn = draw_histogram("ant", count_margins(-3, 7, 12, 15, 19))
    assert drawn is not None
    assert drawn.bot == "ant"
    assert [text for _, text in drawn.axis.ticks] == ["-10", "-5", "0", "5", "10", "15", "20"]
    assert drawn.zero == 110
    assert [tuple(bar) for bar in drawn.bars] == [
        (10.5, 63.3, 99, 26.7, "-10 to -1: 1 games"),
        (110.5, 63.3, 99, 26.7, "0 to 9: 1 games"),
        (210.5, 10, 99, 80, "10 to 19: 3 games"),
    ]


def test_histogram_always_contains_zero() -> None:
    """Bars to its left are losses, so a bot that always won has an axis that begins at 0."""
    won, lost = (draw_histogram("ant", count_margins(margin)) for margin in (25, -25))
    assert won is not None
    assert lost is not None
    assert (won.axis.low, won.axis.high, won.zero) == (0, 30, 10)
    assert (lost.axis.low, lost.axis.high, lost.zero) == (-30, 10, 235)
    assert draw_histogram("bee", count_margins(25)) is None


def test_bars_of_a_histogram_are_one_unit_apart() -> None:
    """On an axis of 80 points, ten are 37.5 units; bars never are narrower than half a unit."""
    drawn = draw_histogram("ant", count_margins(0, 65))
    assert drawn is not None
    assert [(bar.x, bar.width) for bar in drawn.bars] == [(10.5, 36.5), (235.5, 36.5)]
    wide = draw_histogram("ant", count_margins(0, 3005))
    assert wide is not None
    assert [bar.width for bar in wide.bars] == [0.5, 0.5]


def test_ratings_are_drawn_by_games_played() -> None:
    """The axes end at 6 games and at 100 Elo, and a bot is drawn from its first rating on."""
    history = [
        HistoryPoint(2, {"ant": (100.0, 5.0)}),
        HistoryPoint(4, {"ant": (50.0, None)}),
        HistoryPoint(6, {"ant": (80.0, 1.0), "bee": (-100.0, None)}),
    ]
    drawn = draw_rating_curves(history, ["bee", "cat", "ant"])
    assert drawn is not None
    across, down, curves = drawn
    assert across.ticks[0] == (60, "0")
    assert across.ticks[-1] == (620, "6")
    assert down.ticks == ((230, "-100"), (175, "-50"), (120, "0"), (65, "50"), (10, "100"))
    assert curves == [
        Curve("bee", ("620,230",), 0, 0, (620, 230), first=True),
        Curve("ant", ("246.7,10 433.3,65 620,32",), 2, 0, (620, 32), first=True),
    ]


def test_fewer_than_three_points_are_no_curve() -> None:
    """Neither are three points at which no bot has a rating."""
    rated, unrated = HistoryPoint(10, {"ant": (1.0, None)}), HistoryPoint(10, {})
    assert draw_rating_curves([rated] * 2, ["ant"]) is None
    assert draw_rating_curves([rated] * 3, ["ant"]) is not None
    assert draw_rating_curves([unrated] * 3, ["ant"]) is None


def think(*games: tuple[int, ...], bot: str = "ant") -> GameIndex:
    """Return the index of games in which a bot thought for these microseconds."""
    index = GameIndex()
    for game in games:
        index.thinking[bot].add(game)
    return index


def test_thinking_is_the_mean_time_by_number_of_the_move() -> None:
    """Five games with two moves and four with a third, which is too rare to be drawn."""
    index = think(*[(1000, 5000, 9000)] * 4, (6000, 10_000))
    drawn = draw_thinking_curves(index, ["bee", "ant"])
    assert drawn is not None
    across, down, curves = drawn
    # the means are 2 and 6 ms, of the first and the second move
    assert (across.ticks[0], across.ticks[-1]) == ((60, "0.0"), (620, "2.0"))
    assert (down.ticks[0], down.ticks[-1]) == ((230, "0"), (10, "6"))
    assert curves == [Curve("ant", ("340,156.7 620,10",), 0, 0, (620, 10), first=True)]


def test_late_move_is_drawn_if_a_twentieth_of_the_games_has_it() -> None:
    """Six of 120 games suffice and five do not; a twentieth of 119 games is five, rounded down."""
    index = GameIndex()
    for bot, short, long in (("ant", 114, 6), ("bee", 115, 5), ("cat", 114, 5)):
        for times in [*[(1000,)] * short, *[(1000, 500)] * long]:
            index.thinking[bot].add(times)
    drawn = draw_thinking_curves(index, ["bee", "ant", "cat"])
    assert drawn is not None
    assert {curve.bot: curve.lines for curve in drawn[2]} == {
        "ant": ("340,10 620,120",),
        "bee": ("340,10",),
        "cat": ("340,10 620,120",),
    }


def test_times_of_zero_are_not_drawn() -> None:
    """Neither are bots without moves, but half a millisecond is."""
    assert draw_thinking_curves(think(*[(0, 0)] * 5), ["ant"]) is None
    assert draw_thinking_curves(think(*[(900,)] * 4), ["ant"]) is None
    assert draw_thinking_curves(think(*[(900,)] * 5), ["bee"]) is None
    assert draw_thinking_curves(think(*[(500,)] * 5), ["ant"]) is not None


def test_curves_differ_by_colour_and_then_by_dashes() -> None:
    """Ten colours are used before the next of four patterns, and the first ten curves are shown."""
    across, down = make_axis(0, 10, *ACROSS), make_axis(0, 10, 230, 10)
    series = {f"bot{number}": [(0.0, 0.0), (5.0, 10.0)] for number in range(41)}
    series["bot1"] = []
    curves = {curve.bot: curve for curve in draw_curves(series, across, down)}
    assert len(curves) == 40
    assert "bot1" not in curves
    looks = {bot: (curve.colour, curve.dashes) for bot, curve in curves.items()}
    assert looks["bot0"] == looks["bot40"] == (0, 0)
    assert looks["bot2"] == (2, 0)
    assert looks["bot9"] == (9, 0)
    assert looks["bot10"] == (0, 1)
    assert looks["bot39"] == (9, 3)
    shown = [bot for bot, curve in curves.items() if curve.first]
    assert shown == ["bot0", *(f"bot{number}" for number in range(2, 10))]
    assert curves["bot0"].lines == ("60,230 340,10",)
    assert curves["bot0"].last == (340, 10)


def test_curve_is_broken_where_another_line_begins() -> None:
    """A ring says why at the first point of each later line; a bot without breaks has none."""
    across, down = make_axis(0, 10, *ACROSS), make_axis(0, 10, 230, 10)
    points = [(0.0, 0.0), (5.0, 10.0), (10.0, 0.0)]
    series = {"ant": points, "bee": points}
    ant, bee = draw_curves(series, across, down, {"ant": {1: "ant#2", 2: "ant#3"}})
    assert ant.lines == ("60,230", "340,10", "620,230")
    assert ant.rings == (Ring(340, 10, "ant#2"), Ring(620, 230, "ant#3"))
    assert ant.last == (620, 230)
    assert (bee.lines, bee.rings) == (("60,230 340,10 620,230",), ())
