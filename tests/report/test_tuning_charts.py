"""Drawings of a tuning, whose positions are computed by hand.

Curves are drawn from 60 to 620 across, and from 230 up to 10.
"""

from pwtourney.report.page.tuning_charts import SensitivityBar, draw_tuning
from pwtourney.schedule.tuned import PathPoint, Tuned, TunedOption


def option(name: str, sensitivity: float | None) -> TunedOption:
    """Return an option from 0 to 10 that was tuned from 4 to 7."""
    return TunedOption(name, "int", 4.0, 0.0, 10.0, 7, 6.75, 0.51249, sensitivity)


def tuned(*options: TunedOption, path: tuple[PathPoint, ...]) -> Tuned:
    """Return the result of a tuning with these options and this path."""
    return Tuned("magpie", (), "bayes", 20, 20, 40, options, path)


def test_path_of_an_option_is_drawn_over_its_range() -> None:
    """It goes from 4 to 6 after 10 probes and 9 after 20; ten points are 220 high."""
    second = option("second", 1.0)._replace(low=-20.0, high=0.0, start=-15.0, value=-5, spread=2.0)
    tuning = tuned(
        option("first", 1.0),
        second,
        path=(
            PathPoint(10, (6.0, -10.0), (2.0, 5.0)),
            PathPoint(20, (9.0, -5.0), (3.0, 0.0)),
        ),
    )
    drawn = draw_tuning(tuning)
    assert drawn.tuned is tuning
    first_path, second_path = drawn.paths
    assert first_path.option is tuning.options[0]
    assert (first_path.across.ticks[0], first_path.across.ticks[-1]) == ((60, "0"), (620, "20"))
    assert (first_path.down.ticks[0], first_path.down.ticks[-1]) == ((230, "0"), (10, "10"))
    assert first_path.line == "60,142 340,98 620,32"
    # to the end above, which is at most the range, and back below
    assert first_path.band == "60,142 340,54 620,10 620,98 340,142 60,142"
    assert (first_path.start, first_path.last) == (142, (620, 32))
    assert first_path.text == "first: 7 ± 0.512, from 4; range 0 to 10"
    assert second_path.across == first_path.across
    assert (second_path.down.ticks[0], second_path.down.ticks[-1]) == ((230, "-20"), (10, "0"))
    # 11 for each of 20 points
    assert second_path.line == "60,175 340,120 620,65"
    assert second_path.band == "60,175 340,65 620,65 620,65 340,175 60,175"
    assert second_path.text == "second: -5 ± 2, from -15; range -20 to 0"


def test_band_stays_within_the_range_of_the_option() -> None:
    """The spread of 3 around 1 ends at 0 below and at 4 above."""
    path = (PathPoint(10, (1.0,), (3.0,)),)
    (drawn,) = draw_tuning(tuned(option("pace", 1.0), path=path)).paths
    assert drawn.band == "60,142 620,142 620,230 60,142"


def test_sensitivities_are_bars_with_the_largest_first() -> None:
    """Half of the largest is half as long; one that is negative or not known has no length."""
    options = (
        option("abcdefghijklmnopqrst", 2.04),
        option("abcdefghijklmnopqrstu", 4.08),
        option("nook", -0.5),
        option("pace", None),
    )
    path = (PathPoint(10, (4.0,) * 4, (1.0,) * 4),)
    assert draw_tuning(tuned(*options, path=path)).bars == (
        SensitivityBar("abcdefghijklmnopqrstu", "4.1 Elo", 100),
        SensitivityBar("abcdefghijklmnopqrst", "2.0 Elo", 50),
        SensitivityBar("nook", "-0.5 Elo", 0),
        SensitivityBar("pace", "not known", 0),
    )


def test_small_sensitivities_are_compared_with_one_elo() -> None:
    """A third of an Elo is a third of the longest bar, although it is the largest."""
    path = (PathPoint(10, (4.0,), (1.0,)),)
    (bar,) = draw_tuning(tuned(option("pace", 1 / 3), path=path)).bars
    assert (bar.text, bar.share) == ("0.3 Elo", 33.3)


def test_tuning_without_a_probe_is_empty() -> None:
    """It has no path and no bars."""
    tuning = tuned(option("pace", 1.0), path=())
    assert tuple(draw_tuning(tuning)) == (tuning, (), ())
