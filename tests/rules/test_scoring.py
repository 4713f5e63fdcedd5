"""The special tile, the scores and the end of a game, in positions that can be counted."""

import pytest

from pwtourney.errors import IllegalActionError
from pwtourney.rules import ADVANCE, DECLINE, Edition, State, leather, take
from tests.rules.positions import (
    EXPRESS,
    ORIGINAL,
    START,
    covered,
    player,
    position,
)

FULL = ORIGINAL.full
R0 = 0


def test_taking_that_completes_a_seven_by_seven_square_earns_the_tile() -> None:
    """Six rows of seven are full; patch 18 completes the seventh with the two squares there."""
    quilt = covered(range(6), range(7)) | covered(range(6, 7), range(2))
    after = position(player(quilt=quilt, buttons=9), circle=(18, 1)).apply(take(18, R0, 6 * 9 + 2))
    assert after.tile == 0


def test_squares_outside_the_seven_by_seven_do_not_affect_the_tile() -> None:
    """A further row and column do not prevent it; 46 squares without seven rows do not earn it."""
    quilt = covered(range(8), range(8)) & ~1
    state = position(player(quilt=quilt, space=20), player(space=19), pending=1)
    assert state.apply(leather(0)).tile == 0
    sparse = covered(range(5), range(9)) | 1 << 80  # 46 squares, and no seven rows
    state = position(player(quilt=sparse, space=20), player(space=19), pending=1)
    assert state.apply(leather(79)).tile is None


def test_a_special_patch_may_complete_the_seven_by_seven_square() -> None:
    """The tile is earned by any placement that covers the last square."""
    quilt = covered(range(2, 9), range(2, 9)) & ~(1 << 80)
    state = position(player(quilt=quilt, space=20), player(space=19), pending=1)
    assert state.apply(leather(80)).tile == 0


def test_seven_rows_with_a_gap_do_not_earn_the_tile() -> None:
    """Enough covered squares do not suffice; they must form the square."""
    quilt = (covered(range(7), range(9)) & ~(1 << 3 * 9 + 4)) | 1 << 80
    state = position(player(quilt=quilt, space=20), player(space=19), pending=1)
    assert state.apply(leather(79)).tile is None


def test_player_who_has_the_tile_keeps_it() -> None:
    """A second seven-by-seven square earns nothing."""
    quilt = covered(range(7), range(7)) & ~1
    state = position(player(quilt=quilt, space=20), player(space=19), pending=1, tile=1)
    assert state.apply(leather(0)).tile == 1


def test_express_has_no_tile() -> None:
    """A full 7 × 7 board earns no points beyond its squares."""
    state = State.start(EXPRESS, 1)
    full = EXPRESS.full & ~1
    state = state._replace(players=(player(quilt=full, space=7), player(space=6)), pending=1)
    after = state.apply(leather(0))
    assert (after.tile, after.score(0)) == (None, 5)


@pytest.mark.parametrize(
    ("edition", "buttons", "tile", "empty", "score"),
    [
        (ORIGINAL, 14, 0, 5, 11),
        (ORIGINAL, 18, None, 2, 14),
        (EXPRESS, 14, None, 4, 6),
        (EXPRESS, 8, None, 1, 6),
    ],
)
def test_scores_match_the_examples_of_the_rulebooks(
    edition: Edition, buttons: int, tile: int | None, empty: int, score: int
) -> None:
    """For example, 14 buttons, the tile and 5 empty squares are 11 points."""
    state = State.start(edition, 1)
    quilt = edition.full & ~((1 << empty) - 1)
    state = state._replace(players=(player(quilt, buttons), player()), tile=tile)
    assert state.score(0) == score
    bonus = 7 if tile == 0 else 0
    assert state.points(0) == (buttons, bonus, -2 * empty)


def test_scores_can_be_negative() -> None:
    """At the start a score is 5 buttons minus two for each of 81 empty squares."""
    assert START.scores == (-157, -157)


def test_the_higher_score_wins_in_either_order() -> None:
    """Seat 0 has 14 points and seat 1 has 11; the order of arrival does not matter."""
    first, second = player(FULL, 14, space=53), player(FULL, 11, space=53)
    assert position(first, second, to_move=0).winner == 0
    assert position(first, second, to_move=1).winner == 0


@pytest.mark.parametrize("later", [0, 1])
def test_a_tie_goes_to_the_first_on_the_last_space(later: int) -> None:
    """There are no draws: the seat that arrived last, whose token lies on top, loses the tie."""
    tied = player(FULL, 6, space=52 if later == 0 else 53), player(FULL, 6, space=53)
    if later == 1:
        tied = tied[0], player(FULL, 6, space=52)
    after = position(*tied, to_move=later).apply(ADVANCE)
    after = after._replace(
        players=(after.players[0]._replace(buttons=6), after.players[1]._replace(buttons=6))
    )
    assert after.is_over
    assert after.scores == (6, 6)
    assert after.winner == 1 - later


def test_player_on_the_last_space_does_not_move_again() -> None:
    """Seat 1 is behind and moves until it arrives."""
    state = position(player(space=53), player(space=40), to_move=1, circle=(3, 1))
    after = state.apply(take(3, R0, 0))
    assert after.to_move == 1
    assert after.apply(ADVANCE).is_over


def test_nothing_is_legal_once_the_game_is_over() -> None:
    """An advance is illegal too."""
    over = position(player(space=53), player(space=53), circle=(3, 1))
    assert len(over.legal_actions()) == 0
    for action in (ADVANCE, take(3, R0, 0), leather(0), DECLINE):
        with pytest.raises(IllegalActionError, match=r"^the game is over$"):
            over.apply(action)
