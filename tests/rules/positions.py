"""Hand-made positions whose squares a reader of a test can count."""

from pwtourney.rules import Player, State, Tile, find_edition, parse_shape
from pwtourney.rules.edition import Patch

ORIGINAL = find_edition("original")
ANNIVERSARY = find_edition("anniversary")
HALLOWEEN = find_edition("halloween")
EXPRESS = find_edition("express")
EDITIONS = (ORIGINAL, ANNIVERSARY, HALLOWEEN, EXPRESS)

LONG = ORIGINAL.replace(
    name="long",
    rows=8,
    columns=16,
    last_space=240,
    income_marks=(1, 2, 30, 60, 150, 240),
    leather_marks=(2, 30, 77, 100, 239),
    patches=(
        *ORIGINAL.patches,
        Patch(700, parse_shape(["#"]), 1, 1, 5),
        Patch(701, parse_shape(["##########", "#........."]), 1, 1, 8),
    ),
    tile=Tile(3, 12),
    offer=5,
)
"""An edition with 128 squares, a long track, and marks of both kinds on the same spaces."""

START = State.start(ORIGINAL, 1)


def covered(rows: range, columns: range, width: int = 9) -> int:
    """Return a quilt board on which a rectangle is covered."""
    return sum(1 << row * width + column for row in rows for column in columns)


def position(
    first: Player = START.players[0],
    second: Player = START.players[1],
    *,
    base: State = START,
    circle: tuple[int, ...] | None = None,
    to_move: int = 0,
    pending: int = 0,
    tile: int | None = None,
) -> State:
    """Return a position with the given players; everything else is as in `base`."""
    return base._replace(
        players=(first, second),
        circle=base.circle if circle is None else circle,
        to_move=to_move,
        pending=pending,
        tile=tile,
    )


def player(quilt: int = 0, buttons: int = 5, income: int = 0, space: int = 0) -> Player:
    """Return a player with the given values; the others are as at the start."""
    return Player(quilt, buttons, income, space)
