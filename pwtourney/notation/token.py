"""Single tokens: numbers, lists of numbers and squares, read strictly.

Python's own `int` takes more than the notation does (other scripts' digits, underscores, signs,
any length), so nothing here reaches it before every character has been checked.
"""

from collections.abc import Iterable

from pwtourney.errors import NotationError
from pwtourney.rules import Edition

__all__ = ["ABSENT", "number_list", "parse_number", "parse_numbers", "parse_square", "quote"]

ABSENT = "-"
"""What stands in a field that has no value."""

_DIGITS = frozenset("0123456789")
_MAX_DIGITS = 18


def quote(text: str) -> str:
    """Quote a text for an error message: ASCII, and cut when it is long."""
    return ascii(text if len(text) <= 60 else text[:57] + "...")


def parse_number(token: str, what: str) -> int:
    """Read a whole number of at most 18 ASCII digits without leading zeros."""
    if not token or len(token) > _MAX_DIGITS or not _DIGITS.issuperset(token):
        raise NotationError(f"{what} must be a whole number, not {quote(token)}")
    if token[0] == "0" and token != "0":
        raise NotationError(f"{what} must not begin with a zero: {quote(token)}")
    return int(token)


def number_list(numbers: Iterable[int]) -> str:
    """Write numbers with commas between, ``-`` for none."""
    return ",".join(map(str, numbers)) or ABSENT


def parse_numbers(token: str, what: str) -> tuple[int, ...]:
    """Read what `number_list` writes."""
    if token == ABSENT:
        return ()
    return tuple(parse_number(each, what) for each in token.split(","))


def parse_square(token: str, edition: Edition) -> int:
    """Read a square such as ``b4`` on the edition's board."""
    column = ord(token[0]) - ord("a") if token else -1
    if not 0 <= column < 26 or not token.isascii():
        raise NotationError(f"a square is a column letter and a row number, not {quote(token)}")
    row = parse_number(token[1:], f"the row of the square {quote(token)}") - 1
    if not (column < edition.columns and 0 <= row < edition.rows):
        board = f"{edition.rows} rows and {edition.columns} columns"
        raise NotationError(f"the square {quote(token)} is not on a board of {board}")
    return row * edition.columns + column
