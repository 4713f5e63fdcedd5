"""The averages of games that are shown, with their labels and the formats of their values."""

from typing import NamedTuple

__all__ = ["MEASURES", "UNKNOWN", "Measure", "find_measure"]

UNKNOWN = "–"
"""The text of an unknown value."""


class Measure(NamedTuple):
    """One average of a table: its name in `Averages`, its label, and the format of its values.

    `gain` is 1 if more of it is clearly better, −1 if less is, and 0 if it is a matter of style.
    """

    key: str
    label: str
    form: str
    gain: int = 0

    @property
    def is_signed(self) -> bool:
        """True for values on both sides of zero."""
        return self.form.startswith("+")

    def format(self, value: float | None) -> str:
        """Return a value as text; a dash if it is unknown."""
        return UNKNOWN if value is None else format(value, self.form)

    def format_one(self, value: float) -> str:
        """Return the value of one game, most of which are whole numbers."""
        return f"{value:.0f}" if value == int(value) else self.format(value)


MEASURES = (
    Measure("won", "Games won", ".0%", 1),
    Measure("score", "Score", ".1f", 1),
    Measure("empty_squares", "Empty squares", ".1f", -1),
    Measure("buttons", "Buttons at the end", ".1f", 1),
    Measure("tile", "Special tile", ".0%", 1),
    Measure("special_patches", "Special patches", ".1f", 1),
    Measure("income_collected", "Income collected", ".1f", 1),
    Measure("income", "Income at the end", ".1f", 1),
    Measure("advance_buttons", "Buttons by advancing", ".1f"),
    Measure("advances", "Advances", ".1f"),
    Measure("advance_share", "Turns that advance", ".0%"),
    Measure("patches", "Patches taken", ".1f"),
    Measure("patch_cost", "Cost of a patch", ".2f"),
    Measure("patch_time", "Time of a patch", ".2f"),
    Measure("cost_per_square", "Cost of a square", ".2f"),
    Measure("time_per_square", "Time of a square", ".2f"),
    Measure("margin_first", "Margin, first seat", "+.1f", 1),
    Measure("margin_second", "Margin, second seat", "+.1f", 1),
    Measure("ms_per_move", "Milliseconds a move", ".1f"),
    Measure("seconds_per_game", "Seconds a game", ".2f"),
)
"""All measures, in the order in which tables list them."""


def find_measure(key: str) -> Measure:
    """Return the measure of an average of `Averages`."""
    return next(measure for measure in MEASURES if measure.key == key)
