"""Drawings of a tuning: the path and the sensitivity of each option."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pwtourney.report.page.charts import ACROSS, Axis, make_axis
from pwtourney.schedule.tuned import Tuned, TunedOption

__all__ = ["PathDrawing", "SensitivityBar", "TuningDrawings", "draw_tuning"]

# the template draws the start line at these heights, too
_DOWN = (230.0, 10.0)


class PathDrawing(NamedTuple):
    """The path of one option: its line, the band of its spread, and where it started and ended.

    `text` describes it in words.
    """

    option: TunedOption
    across: Axis
    down: Axis
    line: str
    band: str
    start: float
    last: tuple[float, float]
    text: str


class SensitivityBar(NamedTuple):
    """The sensitivity of an option, with the length of its bar in per cent of the longest one's."""

    option: str
    text: str
    share: float


class TuningDrawings(NamedTuple):
    """The drawings of a tuning."""

    tuned: Tuned
    paths: tuple[PathDrawing, ...]
    bars: tuple[SensitivityBar, ...]


def draw_tuning(tuned: Tuned) -> TuningDrawings:
    """Return the drawings of a tuning; they are empty without a probe."""
    if not tuned.path:
        return TuningDrawings(tuned, (), ())
    across = make_axis(0, tuned.path[-1].probes, *ACROSS)
    paths = tuple(_draw_path(tuned, index, across) for index in range(len(tuned.options)))
    return TuningDrawings(tuned, paths, tuple(_draw_bars(tuned)))


def _draw_path(tuned: Tuned, index: int, across: Axis) -> PathDrawing:
    """Draw how the option at this `index` moved, with its spread as a band.

    The axis shows the range of the option, to which the band is clipped.
    """
    option = tuned.options[index]
    down = make_axis(option.low, option.high, *_DOWN)
    places = [(0, option.start, 0.0)]
    places += [(point.probes, point.values[index], point.spreads[index]) for point in tuned.path]
    marks = [(across.at(probes), down.at(value)) for probes, value, _ in places]
    # a value plus or minus its spread may lie outside the range
    ends = [
        [
            (across.at(probes), down.at(min(max(value + sign * spread, option.low), option.high)))
            for probes, value, spread in places
        ]
        for sign in (1, -1)
    ]
    text = (
        f"{option.name}: {option.value:g} ± {option.spread:.3g}, from {option.start:g}; range"
        f" {option.low:g} to {option.high:g}"
    )
    return PathDrawing(
        option,
        across,
        down,
        _join(marks),
        _join([*ends[0], *ends[1][::-1]]),
        down.at(option.start),
        marks[-1],
        text,
    )


def _draw_bars(tuned: Tuned) -> Iterator[SensitivityBar]:
    """Draw the sensitivities, the largest first; those that are not known or negative as 0."""
    lengths = {option.name: max(0.0, option.sensitivity or 0.0) for option in tuned.options}
    options = sorted(tuned.options, key=lambda option: -lengths[option.name])
    most = max(1.0, *lengths.values())
    for option in options:
        known = option.sensitivity is not None
        text = f"{option.sensitivity:.1f} Elo" if known else "not known"
        yield SensitivityBar(option.name, text, round(100 * lengths[option.name] / most, 1))


def _join(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
