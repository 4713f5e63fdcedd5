"""The form of a position: what is in the fields of the editor, as far as it can be read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pwtourney.notation.marks import Quilt
from pwtourney.rules import Edition, Player

__all__ = ["MOST_DIGITS", "NUMBERS", "Form", "Numbers", "pack_quilt", "read_form", "read_quilt"]

NUMBERS = ("buttons", "income", "space")
"""The fields of a player, by their keys."""

MOST_DIGITS = 9
"""More digits than any number of a game has, and fewer than the text of a position may have."""


class Numbers(NamedTuple):
    """The numbers of a form, with the covered squares of both players."""

    players: tuple[Player, Player]
    to_move: int
    pending: int
    tile: int | None

    def seat(self, seat: int, player: Player, **others: Any) -> "Numbers":
        """Return the numbers with another player in a seat, and other values of `others`."""
        players = (self.players[0], player) if seat else (player, self.players[1])
        return self._replace(players=players, **others)

    def follow(self, seat: int, player: Player, **others: Any) -> "Numbers":
        """Return the numbers with another player in a seat; the player behind is to move.

        On the same space it is `seat`, which moved its token last. Nobody else moves before the
        special patches are placed.
        """
        after = self.seat(seat, player, **others)
        if after.pending:
            return after._replace(to_move=seat if after.pending > self.pending else self.to_move)
        is_ahead = player.space > self.players[1 - seat].space
        return after._replace(to_move=1 - seat if is_ahead else seat)

    def list_fields(self) -> dict[str, str | None]:
        """Return the fields of the form by their names."""
        fields: dict[str, str | None] = {
            f"{key}:{seat}": str(getattr(player, key))
            for seat, player in enumerate(self.players)
            for key in NUMBERS
        }
        tile = None if self.tile is None else str(self.tile)
        return fields | {"toMove": str(self.to_move), "pending": str(self.pending), "tile": tile}


class Form(NamedTuple):
    """A form: the marks of both quilts, the circle, and the numbers, if all of them can be read."""

    quilts: tuple[Quilt, Quilt]
    circle: tuple[int, ...]
    numbers: Numbers | None

    def lay(self, seat: int, quilt: Quilt, circle: tuple[int, ...] | None = None) -> "Form":
        """Return the form with other marks in a seat, and another circle."""
        quilts = (self.quilts[0], quilt) if seat else (quilt, self.quilts[1])
        return self._replace(quilts=quilts, circle=self.circle if circle is None else circle)


def read_quilt(values: Any, edition: Edition) -> Quilt:
    """Return the marks of a quilt in a form; raises `ValueError` if it has another size."""
    marks = tuple(map(int, values))
    if len(marks) != edition.rows * edition.columns:
        raise ValueError("a quilt has another number of squares")
    return marks


def pack_quilt(marks: Quilt) -> int:
    """Return the covered squares as bits."""
    return sum(1 << square for square, mark in enumerate(marks) if mark)


def read_form(values: Mapping[str, Any], edition: Edition) -> Form:
    """Return a form from the values that a page has sent.

    Raises `KeyError`, `IndexError`, `TypeError`, `ValueError` or `OverflowError` if its quilts or
    its circle are malformed.
    """
    players = [values["players"][seat] for seat in (0, 1)]
    first, second = (read_quilt(player["quilt"], edition) for player in players)
    circle = tuple(int(patch) for patch in values["circle"])
    try:
        numbers = _read_numbers(values, (first, second), edition)
    except (KeyError, TypeError, ValueError):
        numbers = None  # the check of the position names the wrong one
    return Form((first, second), circle, numbers)


def _read_numbers(
    values: Mapping[str, Any], quilts: tuple[Quilt, Quilt], edition: Edition
) -> Numbers:
    """Return the numbers of a form; raises `ValueError` if one of them cannot be read."""
    first, second = (
        _read_player(quilt, player) for quilt, player in zip(quilts, values["players"], strict=True)
    )
    if not all(0 <= player.space <= edition.last_space for player in (first, second)):
        raise ValueError("a token is not on the track")
    to_move, pending = _read_number(values["toMove"]), _read_number(values["pending"])
    tile = None if values["tile"] is None else _read_number(values["tile"])
    if to_move not in (0, 1) or pending < 0 or tile not in (None, 0, 1):
        raise ValueError("a number is out of its range")
    return Numbers((first, second), to_move, pending, tile)


def _read_player(quilt: Quilt, values: Mapping[str, Any]) -> Player:
    buttons, income, space = (_read_number(values[key]) for key in NUMBERS)
    return Player(pack_quilt(quilt), buttons, income, space)


def _read_number(typed: Any) -> int:
    """Return a number of a form, which may be below 0: more was paid than the player had."""
    text = str(typed).strip()
    digits = text.removeprefix("-")
    if len(text) > MOST_DIGITS or not (digits.isascii() and digits.isdecimal()):
        raise ValueError("it is no number of a game")
    return int(text)
