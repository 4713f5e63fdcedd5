"""Reports of tuned options: values to paste, their path as numbers, and drawings."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from pwtourney.report.page.charts import ACROSS, Axis, Curve, draw_curves, make_axis, make_elo_axis
from pwtourney.sanitize import sanitize
from pwtourney.schedule.tuned import Tuned, TunedOption

__all__ = [
    "PathDrawing",
    "SensitivityBar",
    "TuningDrawings",
    "draw_tuning",
    "tuned_yaml",
    "tuning_json",
]

_DIGITS = 6
_YAML_WORDS = ("false", "n", "no", "null", "off", "on", "true", "y", "yes")
"""Lower-case words that YAML 1.1 or 1.2 does not read as a text."""

# the template uses these sizes, too
_DOWN = (230.0, 10.0)
_BAR = 380.0
_ROW = 26
_LABEL = 20


def tuned_yaml(tuned: Tuned) -> str:
    """Return the tuned values as the `set` of a bot in a tournament file, with comments."""
    entries = [(name, f"{_quote_name(name)}: {value}") for name, value in tuned.values]
    width = max(len(entry) for _, entry in entries)
    effort = f"{tuned.probes} of {tuned.planned} probes ({tuned.games} games)"
    lines = [
        f"# {sanitize(tuned.bot)} after {effort} by {tuned.method}.",
        "# Paste it into the entry of the bot; each line ends with the value at the start.",
        "set:",
    ]
    starts = {option.name: option.start for option in tuned.options}
    lines += [f"  {entry:<{width}}  # {starts[name]:g}" for name, entry in entries]
    return "\n".join([*lines, ""])


def _quote_name(name: str) -> str:
    """Return a name as a key that YAML of any version reads as this text.

    A name consists of lower-case letters, digits, dots, hyphens and underscores.
    """
    is_plain = name[0].isalpha() and name not in _YAML_WORDS
    return name if is_plain else f'"{name}"'


def tuning_json(tuned: Tuned) -> dict[str, Any]:
    """Return the result of a tuning as plain data; ``docs/reports.md`` explains the keys."""
    names = [option.name for option in tuned.options]
    return {
        "bot": tuned.bot,
        "against": list(tuned.against),
        "method": tuned.method,
        "probes": tuned.probes,
        "probes_planned": tuned.planned,
        "games": tuned.games,
        "elo_expected": _round(tuned.elo),
        "set": dict(tuned.values),
        "options": [
            {key: _round(value) for key, value in option._asdict().items()}
            for option in tuned.options
        ],
        "path": [
            {
                "probes": point.probes,
                "values": dict(zip(names, map(_round, point.values), strict=True)),
                "spreads": dict(zip(names, map(_round, point.spreads), strict=True)),
                "elo_expected": _round(point.elo),
            }
            for point in tuned.path
        ],
    }


def _round(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value


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
    """How much an option matters: a bar as long as its Elo, in a row of its own."""

    label: str
    text: str
    y: float
    width: float


class TuningDrawings(NamedTuple):
    """The drawings of a tuning; `elo` is the curve of the expected rating, None without probes."""

    tuned: Tuned
    paths: tuple[PathDrawing, ...]
    elo: tuple[Axis, Axis, list[Curve]] | None
    bars: tuple[SensitivityBar, ...]


def draw_tuning(tuned: Tuned) -> TuningDrawings:
    """Return the drawings of a tuning; they are empty without a probe."""
    if not tuned.path:
        return TuningDrawings(tuned, (), None, ())
    across = make_axis(0, tuned.path[-1].probes, *ACROSS)
    paths = tuple(_draw_path(tuned, place, across) for place in range(len(tuned.options)))
    elos = [(0.0, 0.0), *((float(point.probes), point.elo) for point in tuned.path)]
    down = make_elo_axis([elo for _, elo in elos])
    curves = draw_curves({"expected": elos}, across, down)
    return TuningDrawings(tuned, paths, (across, down, curves), tuple(_draw_bars(tuned)))


def _draw_path(tuned: Tuned, place: int, across: Axis) -> PathDrawing:
    """Draw the path of one option over its whole range."""
    option = tuned.options[place]
    down = make_axis(option.low, option.high, *_DOWN)
    places = [(0, option.start, 0.0)]
    places += [(point.probes, point.values[place], point.spreads[place]) for point in tuned.path]
    marks = [(across.at(probes), down.at(value)) for probes, value, _ in places]
    # the spread of an estimate may exceed its range
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
    """Draw the sensitivities, the largest first; negative ones are not known yet and drawn as 0."""
    options = sorted(tuned.options, key=lambda option: -option.sensitivity)
    most = max(1.0, *(option.sensitivity for option in options))
    for row, option in enumerate(options):
        width = round(max(0.0, option.sensitivity) / most * _BAR, 1)
        name = option.name if len(option.name) <= _LABEL else f"{option.name[: _LABEL - 1]}…"
        yield SensitivityBar(name, f"{option.sensitivity:.1f} Elo", _ROW * row + 6, width)


def _join(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)
