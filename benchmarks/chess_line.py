"""A game of chess of a given length, for engines that know it by heart.

It ends with a mate and not before. No position occurs three times, although mostly knights move:
they go out and back, in four plies, once for each position of the pawns.
"""

from itertools import zip_longest

__all__ = ["LONGEST", "SHORTEST", "make_line"]

_PAWNS = (
    "a2a3",
    "a7a6",
    "b2b3",
    "b7b6",
    "c2c3",
    "c7c6",
    "a3a4",
    "a6a5",
    "b3b4",
    "b6b5",
    "c3c4",
    "c6c5",
)
"""Pawn moves that open no way to a king and do not prevent either mate."""

_KNIGHTS = {"white": ("g1f3", "g8f6", "f3g1", "f6g8"), "black": ("g8f6", "g1f3", "f6g8", "f3g1")}
"""Knight moves out and back, by the side to move."""

_MATES = {
    "black": ("f2f3", "e7e5", "g2g4", "d8h4"),
    "white": ("e2e4", "f7f6", "h2h3", "g7g5", "d1h5"),
}
"""The last moves of the game, by the side that mates; White begins."""

SHORTEST = len(_MATES["black"])
LONGEST = 61
"""The largest length for which pawn moves suffice for every number of plies."""


def make_line(plies: int) -> tuple[str, ...]:
    """Return a game of this many plies as UCI moves, from `SHORTEST` to `LONGEST`.

    White mates if the number is odd, otherwise Black. Raises ValueError for other lengths.
    """
    if not SHORTEST <= plies <= LONGEST:
        raise ValueError(f"the game can have from {SHORTEST} to {LONGEST} plies, not {plies}")
    end = _MATES["white" if plies % 2 else "black"]
    before = plies - len(end)
    # As few pawn moves as possible: an even number, until the knights can fill the rest.
    pawns = next(
        count
        for count in range(0, len(_PAWNS) + 1, 2)
        if (before - count) % 4 == 0 and (before - count) // 4 <= count + 1
    )
    turns = [
        _KNIGHTS["black" if number % 2 else "white"] for number in range((before - pawns) // 4)
    ]
    steps = [(pawn,) for pawn in _PAWNS[:pawns]]
    mixed = [(*turn, *step) for turn, step in zip_longest(turns, steps, fillvalue=())]
    return (*(move for moves in mixed for move in moves), *end)
