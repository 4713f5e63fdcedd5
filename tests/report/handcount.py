"""A small game whose amounts were counted by hand from its actions.

The board is 3 × 3, the track has 12 spaces, with income marks at 3, 4, 8 and 12 and special patches
at 2, 5, 6, 7, 10 and 11; each player starts with 4 buttons, and a square of 2 × 2 earns 3 points.
"""

from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.report.game_statistics.accounts import Amounts
from pwtourney.rules import Deal, find_edition
from tests.rules.test_many_games import TINY as TINY_FILE

__all__ = ["CROW", "GAME", "MAGPIE", "TINY"]

TINY = find_edition(TINY_FILE)

_PLIES = (
    (0, "5:r0:a1"),  # 2 × 2 squares: the special tile; 3 buttons, to space 3, no income at 3
    (0, "leather:c1"),  # that of space 2
    (1, "2:r0:a1"),  # 2 squares, 1 button, to space 2, income 1
    (1, "3:r0:a2"),  # 3 squares, 2 buttons, to space 3, income 2: 2 buttons at 3
    (1, "advance"),  # it arrived later on space 3; to 4: 1 button, and 2 at 4
    (0, "advance"),  # to 5: 2 buttons, nothing at 4
    (0, "leather:c2"),  # that of space 5
    (1, "1:r0:c1"),  # 1 square, free, to space 5
    (1, "advance"),  # to 6: 1 button
    (1, "leather:c2"),  # that of space 6
    (0, "4:r0:a3"),  # 3 squares, 1 button, to space 9, income 2: 2 buttons at 8; the quilt is full
    (1, "6:r0:b3"),  # 1 square, 1 button, no time
    (1, "advance"),  # to 10: 4 buttons, and 2 at 8
    (1, "leather:c3"),  # that of space 10; the quilt is full
    (0, "advance"),  # to 11: 2 buttons
    (1, "advance"),  # to 12: 2 buttons, and 2 at 12
    (0, "advance"),  # to 12: 1 button, and 2 at 12
)

GAME = Game(
    bots=("magpie", "crow"),
    edition="tiny",
    deal=Deal((5, 2, 4, 3, 6, 7, 1), ()),
    seeds=(1, 2),
    # each ply takes as many milliseconds as its number
    plies=tuple(Ply(*ply, micros=1000 * number) for number, ply in enumerate(_PLIES, 1)),
    verdict=Verdict.FINISHED,
    winner=1,
    # 9 buttons and the tile; 16 buttons; no square is empty
    scores=(12, 16),
    pair=7,
)
"""The game, which crow wins by 4 points."""

MAGPIE = Amounts(
    games=1,
    wins=0,
    score=12,
    margin=-4,
    first_games=1,
    first_margin=-4,
    empty_squares=0,
    buttons=9,
    tile=1,
    special_patches=2,
    income=2,
    income_collected=4,
    advance_buttons=5,
    advances=3,
    patches=2,
    patch_cost=4,
    patch_time=7,
    patch_squares=7,
    # plies 1, 2, 6, 7, 11, 15 and 17
    moves=7,
    micros=59_000,
    payments=(0, 0, 2, 2),
)
"""The amounts of the first seat."""

CROW = Amounts(
    games=1,
    wins=1,
    score=16,
    margin=4,
    first_games=0,
    first_margin=0,
    empty_squares=0,
    buttons=16,
    tile=0,
    special_patches=2,
    income=2,
    income_collected=8,
    advance_buttons=8,
    advances=4,
    patches=4,
    patch_cost=4,
    patch_time=4,
    patch_squares=7,
    # plies 3, 4, 5, 8, 9, 10, 12, 13, 14 and 16
    moves=10,
    micros=94_000,
    payments=(2, 2, 2, 2),
)
"""The amounts of the second seat."""
