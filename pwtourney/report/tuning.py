"""Options that were tuned: values to paste, and their path as numbers."""

from typing import Any

from pwtourney.sanitize import sanitize
from pwtourney.schedule.tune import Tuned

__all__ = ["tuned_yaml", "tuning_json"]

_DIGITS = 6


def tuned_yaml(tuned: Tuned) -> str:
    """Return the tuned values as the `set` of a bot in a tournament file, with comments."""
    width = max(len(f"{name}: {value}") for name, value in tuned.values)
    effort = f"{tuned.probes} of {tuned.planned} probes ({tuned.games} games)"
    lines = [
        f"# {sanitize(tuned.bot)} after {effort} by {tuned.method}.",
        "# Paste it into the entry of the bot; each line ends with the value at the start.",
        "set:",
    ]
    starts = {option.name: option.start for option in tuned.options}
    for name, value in tuned.values:
        lines.append(f"  {f'{name}: {value}':<{width}}  # {starts[name]:g}")
    return "\n".join([*lines, ""])


def tuning_json(tuned: Tuned) -> dict[str, Any]:
    """Return what came of a tuning, as plain data; ``docs/reports.md`` explains the keys."""
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
