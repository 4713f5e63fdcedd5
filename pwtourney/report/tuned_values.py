"""Tuned options as text: values to paste, and their path as numbers."""

from typing import Any

from pwtourney.sanitize import sanitize
from pwtourney.schedule.tuned import Tuned

__all__ = ["tuned_yaml", "tuning_json"]

_DIGITS = 6
_YAML_WORDS = ("false", "n", "no", "null", "off", "on", "true", "y", "yes")
"""Lower-case words that YAML 1.1 or 1.2 does not read as a text."""


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
            }
            for point in tuned.path
        ],
    }


def _round(value: Any) -> Any:
    return round(value, _DIGITS) if isinstance(value, float) else value
