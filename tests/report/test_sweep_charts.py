"""Charts of compared values of options, whose positions are computed by hand.

Curves are drawn from 60 to 620 across, and from 230 up to 10.
"""

import math
from collections.abc import Mapping

from pwtourney.report.page.sweep_charts import (
    SweepCell,
    SweepCurve,
    SweepMap,
    SweepPoint,
    draw_sweep,
)
from pwtourney.report.sweep import Sweep
from pwtourney.standings import Pool
from tests.report.tables import make_pool, make_row, make_standings

NAN = math.nan


def compare(options: Mapping[str, list[str]], *chosen: tuple[str, ...]) -> Sweep:
    """Return a sweep whose players are called p0, p1 and so on."""
    return Sweep("magpie", options, {values: f"p{n}" for n, values in enumerate(chosen)})


def rate(*elos: tuple[float, float | None, str], level: float = 0.95) -> Pool:
    """Return a table of the players p0, p1 and so on with these ratings, of 3 games each."""
    rows = (
        make_row(number, f"p{number}", *elo, games=number + 1) for number, elo in enumerate(elos)
    )
    return make_pool(*rows, level=level)


def test_values_of_one_option_are_a_curve() -> None:
    """The values −1, 0 and 2 are on an axis from −1 to 2, and the ratings on one of 100 Elo."""
    sweep = compare({"pace": ["-1", "0", "2"]}, ("-1",), ("0",), ("2",))
    pool = rate((40, 10, ""), (-50, None, "<"), (20, 5, ""), level=0.9)
    drawn = draw_sweep(sweep, make_standings(pool))
    assert isinstance(drawn, SweepCurve)
    assert (drawn.name, drawn.level) == ("pace", "90")
    assert (drawn.across.ticks[0], drawn.across.ticks[-1]) == ((60, "-1.0"), (620, "2.0"))
    # from −50 to 50: 220 for 100 Elo
    assert (drawn.down.ticks[0], drawn.down.ticks[-1]) == ((230, "-60"), (10, "60"))
    points = (
        SweepPoint(60, 46.7, 65, 28.3, "pace -1: +40 ± 10 Elo"),
        SweepPoint(246.7, 211.7, 211.7, 211.7, "pace 0: < -50 Elo"),
        SweepPoint(620, 83.3, 92.5, 74.2, "pace 2: +20 ± 5 Elo"),
    )
    assert drawn.points == points


def test_values_that_are_no_numbers_are_drawn_in_their_order() -> None:
    """Each of four values has a quarter of the axis; one is not rated, one has not played."""
    sweep = compare({"style": ["calm", "1", "wild", "odd"]}, ("wild",), ("odd",), ("calm",))
    drawn = draw_sweep(sweep, make_standings(rate((30, None, ""), (NAN, None, "?"), (0, None, ""))))
    assert isinstance(drawn, SweepCurve)
    assert drawn.across.ticks == ((130, "calm"), (270, "1"), (410, "wild"), (550, "odd"))
    assert (drawn.across.low, drawn.across.high) == (-0.5, 3.5)
    assert (drawn.down.ticks[0], drawn.down.ticks[-1]) == ((230, "0"), (10, "30"))
    assert drawn.points == (
        SweepPoint(130, 230, 230, 230, "style calm: 0 Elo"),
        SweepPoint(410, 10, 10, 10, "style wild: +30 Elo"),
    )


def test_single_rated_value_is_no_curve() -> None:
    """Neither is a table of a single bot, or no table at all."""
    sweep = compare({"pace": ["1", "2"]}, ("1",), ("2",))
    assert draw_sweep(sweep, make_standings(rate((0, None, ""), (NAN, None, "?")))) is None
    assert draw_sweep(sweep, make_standings(rate((0, None, "")))) is None
    assert draw_sweep(sweep, make_standings()) is None
    assert draw_sweep(sweep, make_standings(rate((0, None, ""), (10, None, "")))) is not None


def test_values_of_two_options_are_a_map() -> None:
    """The share of 30 Elo between −50 and 50 is 0.8; unknown ratings have no share."""
    sweep = compare(
        {"pace": ["1", "2"], "nook": ["5", "6", "7"]},
        ("1", "5"),
        ("1", "6"),
        ("2", "5"),
        ("2", "7"),
    )
    pool = rate((30, 4, ""), (-50, None, ""), (50, None, ">"), (NAN, None, "?"))
    assert draw_sweep(sweep, make_standings(pool)) == SweepMap(
        "pace",
        "nook",
        ("5", "6", "7"),
        (
            (
                "1",
                (
                    SweepCell("+30", "pace 1, nook 5: +30 ± 4 Elo in 2 games", 0.8),
                    SweepCell("-50", "pace 1, nook 6: -50 Elo in 4 games", 0.0),
                    SweepCell("–", "pace 1, nook 7: no rating", None),
                ),
            ),
            (
                "2",
                (
                    SweepCell("> +50", "pace 2, nook 5: > +50 Elo in 6 games", 1.0),
                    SweepCell("–", "pace 2, nook 6: no rating", None),
                    SweepCell("?", "pace 2, nook 7: no rating", None),
                ),
            ),
        ),
    )


def test_map_of_ratings_within_one_elo_is_hardly_coloured() -> None:
    """Half an Elo above the worst is a share of a half, and without ratings no cell has one."""
    sweep = compare({"pace": ["1"], "nook": ["5", "6"]}, ("1", "5"), ("1", "6"))
    drawn = draw_sweep(sweep, make_standings(rate((10.5, None, ""), (10, None, ""))))
    assert isinstance(drawn, SweepMap)
    assert [cell.share for cell in drawn.rows[0][1]] == [0.5, 0.0]
    drawn = draw_sweep(sweep, make_standings(rate((NAN, None, ">"), (NAN, None, "<"))))
    assert isinstance(drawn, SweepMap)
    assert [(cell.text, cell.share) for cell in drawn.rows[0][1]] == [(">", None), ("<", None)]
