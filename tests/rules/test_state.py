"""The rules, sentence by sentence, in positions that can be checked by counting."""

import pytest

from pwtourney.errors import IllegalActionError
from pwtourney.rules import ADVANCE, DECLINE, Action, Edition, State, leather, take
from pwtourney.rules.edition import Late
from tests.rules.positions import (
    ANNIVERSARY,
    EDITIONS,
    EXPRESS,
    HALLOWEEN,
    ORIGINAL,
    START,
    covered,
    player,
    position,
)

FULL = ORIGINAL.full
R0 = 0


def custom(**changes: object) -> Edition:
    """Return the original edition with changed fields."""
    fields: dict[str, object] = {
        "name": "custom",
        "rows": 9,
        "columns": 9,
        "last_space": 53,
        "start_buttons": 5,
        "income_marks": ORIGINAL.income_marks,
        "leather_marks": ORIGINAL.leather_marks,
        "patches": ORIGINAL.patches,
        "start_patch": 1,
        "tile": ORIGINAL.tile,
    }
    return Edition(**(fields | changes))  # type: ignore[arg-type]


def test_the_game_starts_with_empty_quilts_and_five_buttons() -> None:
    """Both tokens stand on 0, seat 0 begins, and no player has the tile."""
    assert START.players == (player(), player())
    assert (START.to_move, START.pending, START.tile) == (0, 0, None)
    assert len(START.circle) == 33


def test_the_first_seat_starts_in_every_deal_of_every_edition() -> None:
    """Seat 0 moves first; after it advances, seat 1 is behind and moves."""
    for edition in EDITIONS:
        for seed in range(20):
            state = State.start(edition, seed)
            assert state.to_move == 0
            assert state.apply(ADVANCE).to_move == 1


def test_buttons_do_not_run_out() -> None:
    """The box holds 162 in buttons (32 of 1, 12 of 5, 5 of 10, 1 of 20); both may have more."""
    rich = player(buttons=162, income=10, space=5)
    after = position(rich, player(buttons=162, space=10)).apply(ADVANCE)
    assert after.players[0].buttons == 162 + 6 + 10  # six spaces, and income at 11


def test_patches_need_not_touch() -> None:
    """With the first square covered, a patch of two may lie in the opposite corner."""
    state = position(player(quilt=1), circle=(1, 2))
    assert take(1, R0, 79) in state.legal_actions()
    assert state.apply(take(1, R0, 79)).players[0].quilt == 1 | 1 << 79 | 1 << 80


def test_advancing_is_legal_on_the_first_turn_and_moves_one_space() -> None:
    """From a shared space the token moves one space ahead and earns one button."""
    after = START.apply(ADVANCE)
    assert after.players[0] == player(buttons=6, space=1)
    assert after.to_move == 1


def test_advancing_goes_just_past_the_opponent_for_a_button_a_space() -> None:
    """From 10 with the opponent on 14 the token moves to 15: 5 buttons, and income at 11."""
    after = position(player(income=3, space=10), player(space=14)).apply(ADVANCE)
    assert after.players[0] == player(buttons=5 + 5 + 3, income=3, space=15)


def test_advancing_onto_the_last_space_pays_for_the_spaces_moved() -> None:
    """From 51 to the last space 53, with the opponent there: 2 buttons and the last income."""
    after = position(player(income=4, space=51), player(space=53)).apply(ADVANCE)
    assert after.players[0] == player(buttons=5 + 2 + 4, income=4, space=53)
    assert after.is_over


def test_the_player_behind_moves_and_may_move_again() -> None:
    """A taking that leaves the token behind keeps the turn."""
    state = position(player(space=0), player(space=20), circle=(3, 2, 1))
    after = state.apply(take(3, R0, 0))
    mover = player(quilt=0b111, buttons=3, space=2)
    assert after == position(mover, player(space=20), circle=(2, 1))


def test_on_a_shared_space_the_token_that_arrived_later_moves() -> None:
    """Patch 3 takes 2 time: seat 1 lands on seat 0's space, lies on top and moves again."""
    state = position(player(space=2), player(space=0), to_move=1, circle=(3, 2, 1))
    assert state.apply(take(3, R0, 0)).to_move == 1


def test_taking_pays_places_moves_the_neutral_token_and_the_own_token() -> None:
    """The second patch on offer is taken, so the first goes to the end of the line."""
    state = position(circle=(9, 13, 10, 2, 1))
    after = state.apply(take(13, R0, 0))
    assert after.circle == (10, 2, 1, 9)
    assert after.players[0] == player(quilt=0b11 << 9 | 0b111, buttons=3, income=0, space=2)


@pytest.mark.parametrize(
    ("circle", "offer"), [((9, 8, 7, 6), (9, 8, 7)), ((9, 8), (9, 8)), ((), ())]
)
def test_up_to_three_patches_are_on_offer(circle: tuple[int, ...], offer: tuple[int, ...]) -> None:
    """Fewer than three patches are all on offer; with none, only advancing is legal."""
    state = position(player(buttons=99), circle=circle)
    assert state.offer == offer
    assert {action.patch for action in state.legal_actions()} == {0, *offer}


def test_patch_that_costs_too_much_cannot_be_taken() -> None:
    """Patch 18 costs 7 buttons and the player has 5."""
    state = position(circle=(18, 1))
    with pytest.raises(IllegalActionError, match="costs 7 buttons and you have 5"):
        state.apply(take(18, R0, 0))
    assert all(action.patch != 18 for action in state.legal_actions())


def test_a_patch_beyond_the_three_cannot_be_taken() -> None:
    """The fourth patch in line is not on offer."""
    state = position(circle=(3, 2, 5, 4, 1))
    with pytest.raises(IllegalActionError, match=r"not among those on offer \(3, 2, 5\)"):
        state.apply(take(4, R0, 0))


def test_a_patch_that_fits_nowhere_cannot_be_taken() -> None:
    """Only the bottom row is free, and patch 10 is two rows high."""
    state = position(player(quilt=covered(range(8), range(9)), buttons=50), circle=(10, 7, 1))
    assert {action.patch for action in state.legal_actions()} == {0, 7, 1}
    with pytest.raises(IllegalActionError, match="overlaps another patch at a8"):
        state.apply(take(10, R0, 63))


def test_a_patch_must_lie_on_the_board() -> None:
    """Patch 7 is four squares wide, so it cannot start in column g."""
    state = position(circle=(7, 1))
    with pytest.raises(IllegalActionError, match="reaches outside the board"):
        state.apply(take(7, R0, 6))


def test_patches_may_be_flipped() -> None:
    """Patch 14 (###. over ..##) also lies mirrored, which no turning gives."""
    state = position(circle=(14, 1))
    flipped = 0b1110 | 0b0011 << 9
    masks = {
        ORIGINAL.lays[14][action.orientation].mask << action.square
        for action in state.legal_actions()
        if action.patch == 14
    }
    assert flipped in masks


def test_income_counts_the_patch_placed_in_the_same_action() -> None:
    """Patch 6 (income 1, time 2) carries the token from 4 over 5: the new button pays too."""
    after = position(player(income=2, space=4), player(space=9), circle=(6, 1)).apply(
        take(6, R0, 0)
    )
    assert after.players[0].buttons == 5 - 3 + 3


def test_one_move_that_passes_two_income_marks_is_paid_twice() -> None:
    """Both a taking and an advance are paid at each mark that they pass."""
    edition = custom(income_marks=(5, 6, 7))
    state = position(player(income=1, space=4), player(space=9), circle=(6, 1))
    after = state._replace(edition=edition).apply(take(6, R0, 0))
    assert after.players[0].buttons == 5 - 3 + 2 * 2
    after = position(player(income=3, space=10), player(space=16)).apply(ADVANCE)
    assert after.players[0].buttons == 5 + 7 + 2 * 3


def test_a_mark_that_the_token_stands_on_has_paid_already() -> None:
    """A mark pays when the token reaches it, not when the token leaves it."""
    after = position(player(income=9, space=5), player(space=5)).apply(ADVANCE)
    assert after.players[0].buttons == 6


def test_taking_that_would_pass_the_last_space_gets_its_income() -> None:
    """From 50 with 6 time the token stops on 53, and the mark there pays."""
    after = position(player(income=2, space=50), player(space=51), circle=(9, 1)).apply(
        take(9, R0, 0)
    )
    assert after.players[0] == player(
        quilt=after.players[0].quilt, buttons=5 - 4 + 4, income=4, space=53
    )


def test_special_patch_is_placed_before_the_turn_passes() -> None:
    """Seat 0 passes 20 first, so it must place a special patch before seat 1 moves."""
    state = position(player(space=18), player(space=19), circle=(3, 1)).apply(take(3, R0, 0))
    assert (state.to_move, state.pending) == (0, 1)
    assert {action.kind for action in state.legal_actions()} == {"leather"}
    after = state.apply(leather(80))
    assert (after.to_move, after.pending) == (1, 0)
    assert after.players[0].quilt == 0b111 | 1 << 80
    assert after.players[0].buttons == state.players[0].buttons


def test_special_patch_can_be_reached_only_once() -> None:
    """Seat 1 passes 20 after seat 0 has passed it, and gets nothing."""
    after = position(player(space=22), player(space=19), to_move=1).apply(ADVANCE)
    assert (after.players[1].space, after.pending) == (23, 0)
    assert after.leather_left == (26, 32, 44, 50)


def test_a_special_patch_cannot_lie_on_a_covered_square() -> None:
    """The error names the square."""
    state = position(player(quilt=1, space=20), player(space=19), pending=1)
    with pytest.raises(IllegalActionError, match="a1 is already covered"):
        state.apply(leather(0))


def test_a_special_patch_is_lost_on_a_full_quilt() -> None:
    """With no empty square the special patch leaves the game at once."""
    after = position(player(quilt=FULL, space=19), player(space=19)).apply(ADVANCE)
    assert (after.pending, after.to_move) == (0, 1)


def test_special_patch_may_be_declined_only_where_the_edition_allows_it() -> None:
    """Halloween and Express allow it, the original does not; a declined patch leaves the game."""
    ahead, behind = player(space=20), player(space=19)
    state = position(ahead, behind, pending=1)
    with pytest.raises(IllegalActionError, match="does not allow"):
        state.apply(DECLINE)
    for edition in (HALLOWEEN, EXPRESS):
        declined = state._replace(edition=edition).apply(DECLINE)
        assert (declined.pending, declined.to_move) == (0, 1)
        assert declined.players == state.players


def test_one_move_can_pass_two_special_patches() -> None:
    """The same player places both, one after the other."""
    edition = custom(leather_marks=(20, 21))
    state = position(player(space=18), player(space=19), circle=(11, 1))
    state = state._replace(edition=edition, players=(player(space=18, buttons=9), player(space=19)))
    state = state.apply(take(11, R0, 0))
    assert (state.pending, state.to_move) == (2, 0)
    state = state.apply(leather(80))
    assert (state.pending, state.to_move) == (1, 0)
    assert state.apply(leather(79)).to_move == 1


def test_second_special_patch_is_lost_if_the_first_fills_the_board() -> None:
    """Two special patches are pending and one square is empty."""
    edition = custom(leather_marks=(20, 21))
    quilt = FULL & ~1
    state = position(player(quilt=quilt, space=19), player(space=20))._replace(edition=edition)
    state = state.apply(ADVANCE)
    assert state.pending == 1  # 20 had been passed by the opponent, 21 had not
    full = state._replace(pending=2).apply(leather(0))
    assert (full.players[0].quilt, full.pending, full.to_move) == (FULL, 0, 1)


def test_last_move_gets_its_income_and_places_its_special_patch() -> None:
    """A taking from 49 to the last space passes 50 and 53: it is paid, then the patch is placed."""
    state = position(player(income=1, space=49), player(space=49), circle=(9, 1))
    after = state.apply(take(9, R0, 0))
    assert after.players[0].buttons == 5 - 4 + 3
    assert (after.to_move, after.pending, after.is_over) == (0, 1, False)
    assert after.apply(leather(80)).to_move == 1


def test_blue_patches_enter_behind_the_five_that_are_left() -> None:
    """In Express, taking one of six patches adds the eight blue ones behind the other five."""
    state = State.start(EXPRESS, 3)
    six = tuple(number for number in state.circle if number not in EXPRESS.late.patches)[-6:]  # type: ignore[union-attr]
    state = state._replace(circle=six, players=(player(buttons=50), player()))
    patch = state.offer[1]
    action = next(action for action in state.legal_actions() if action.patch == patch)
    after = state.apply(action)
    assert after.circle == (*six[2:], six[0], *state.late)
    assert after.late == ()


def test_blue_patches_enter_between_the_patch_taken_and_a_special_patch() -> None:
    """Six are in the circle and the token passes the mark at 7: take, enter, place.

    The player takes the patch without knowing the order of the blue patches, and places the special
    patch knowing it.
    """
    state = State.start(EXPRESS, 3)
    six = (21, 1, 2, 4, 5, 3)  # 21: three squares in a row for no button and 3 time
    state = state._replace(circle=six, players=(player(space=5), player(space=6)))
    hidden = state.hide_late()
    assert list(hidden.legal_actions()) == list(state.legal_actions())
    after = state.apply(take(21, R0, 0))
    assert after.players[0] == player(quilt=0b111, income=1, space=8)
    assert (after.to_move, after.pending) == (0, 1)
    assert after.circle == (*six[1:], *state.late)
    placed = after.apply(leather(3))
    assert placed.players[0].quilt == 0b1111
    assert (placed.to_move, placed.circle) == (1, after.circle)


def test_the_order_of_the_blue_patches_is_hidden_until_they_enter() -> None:
    """The public state holds only their number, and a search continues without them."""
    state = State.start(EXPRESS, 3)
    public = state.hide_late()
    assert public.late == (0,) * 8
    assert public == State.start(EXPRESS, 3)._replace(late=(0,) * 8)
    six = public._replace(circle=public.circle[-6:], players=(player(buttons=50), player()))
    action = next(action for action in six.legal_actions() if action.patch == six.offer[0])
    after = six.apply(action)
    assert (len(after.circle), after.late) == (5, (0,) * 8)
    assert after.reveal(state.late).circle == after.circle + state.late
    known = after.reveal(state.late)
    assert known.late == ()
    assert known.hide_late() == known.reveal(()) == known  # nothing is hidden any more
    with pytest.raises(ValueError, match=r"the late patches are \[16, 17, .*, 23\], not \[1, 2\]"):
        after.reveal((2, 1))
    assert START.hide_late() == START.reveal(()) == START  # of what has no late patches
    with pytest.raises(ValueError, match=r"the late patches are \[\], not \[1\]"):
        START.reveal((1,))


def test_a_single_late_patch_enters_the_circle() -> None:
    """With two patches in the circle it enters when a taking leaves one."""
    late = Late(when_left=1, patches=(5,))
    patches = [ORIGINAL.patch[number] for number in (1, 2, 3, 5)]
    state = State.start(custom(patches=patches, late=late), 1)
    state = state._replace(circle=(2, 1), players=(player(buttons=9), player()))
    after = state.apply(take(2, R0, 0))
    assert (after.circle, after.late) == ((1, 5), ())


def test_the_two_full_games_differ_in_one_special_patch() -> None:
    """The original has a special patch at 20, the anniversary edition at 38."""
    for edition, at_20, at_38 in ((ORIGINAL, 1, 0), (ANNIVERSARY, 0, 1)):
        for space, due in ((19, at_20), (37, at_38)):
            state = position(player(space=space), player(space=space))._replace(edition=edition)
            assert state.apply(ADVANCE).pending == due


def test_malformed_actions_are_illegal() -> None:
    """Values that no notation can produce are rejected too."""
    pending = position(player(space=20), player(space=19), pending=1)
    declining = pending._replace(edition=HALLOWEEN)
    first = next(n for n in START.offer if ORIGINAL.patch[n].cost <= 5)
    outside = "the square is outside the board"
    special = "a special patch has no number and no orientation"
    for state, action, why in (
        (START, Action("jump"), "'jump' is not a kind of action"),
        (START, Action("advance", 3), "advancing takes no patch and no square"),
        (START, Action("take", 99), "the edition original has no patch 99"),
        (START._replace(circle=()), take(3, 0, 0), "patch 3 is not among those on offer (none)"),
        (START, Action("take", first, 0, -1), f"patch {first} turned r0 reaches outside the board"),
        (
            START,
            Action("take", first, 0, 500),
            f"patch {first} turned r0 reaches outside the board",
        ),
        (START, Action("take", first, 8), f"orientation 8 of patch {first} is not a canonical one"),
        (START, leather(0), "there is no special patch to place"),
        (START, DECLINE, "there is no special patch to place"),
        (pending, Action("leather", 0, 0, 81), outside),
        (pending, Action("leather", 0, 0, -1), outside),
        (pending, Action("leather", 5, 0, 3), special),
        (pending, Action("leather", 0, 1, 3), special),
        (pending, DECLINE, "this edition does not allow a special patch to be declined"),
        (declining, Action("decline", 0, 0, 3), "declining takes no square"),
        (pending, ADVANCE, "a special patch must be placed first"),
        (pending, take(first, 0, 0), "a special patch must be placed first"),
    ):
        assert action not in state.legal_actions()
        with pytest.raises(IllegalActionError) as caught:
            state.apply(action)
        assert str(caught.value) == why


def test_overlap_error_names_every_square() -> None:
    """A straight patch of three lies over two covered squares."""
    state = position(player(quilt=0b101), circle=(3, 1))
    with pytest.raises(IllegalActionError) as caught:
        state.apply(take(3, R0, 0))
    assert str(caught.value) == "patch 3 overlaps another patch at a1 c1"


def test_states_can_be_compared_hashed_and_pickled() -> None:
    """A position is a value: a copy made elsewhere is equal, edition included."""
    import pickle

    twin = pickle.loads(pickle.dumps(START))
    assert twin == START
    assert hash(twin) == hash(START)
    assert twin.edition is not START.edition
    assert twin.apply(ADVANCE) == START.apply(ADVANCE) != START
