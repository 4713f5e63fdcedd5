"""The Automa, card by card, in positions that can be checked by hand."""

from collections import Counter

import pytest

from pwtourney.errors import EditionError
from pwtourney.rules import ADVANCE, State
from pwtourney.rules.automa import LEVELS, Automa, Card, Solo, find_level
from tests.rules.positions import ANNIVERSARY, EXPRESS, player

START = State.start(ANNIVERSARY, 1)


def solo(
    card: Card,
    circle: tuple[int, ...],
    *,
    human: int = 10,
    automa: int = 0,
    level: str = "legend",
    buttons: int = 0,
    tile: int | None = None,
) -> Solo:
    """Return a position in which the Automa turns over a given card."""
    base = Solo.start(START, Automa(level), 1)
    players = (player(space=human), player(space=automa, buttons=buttons))
    state = START._replace(players=players, circle=circle, to_move=1, tile=tile)
    return base._replace(state=state, face_down=(card, *base.face_down))


def test_automa_takes_the_only_patch_that_it_can_afford() -> None:
    """A budget of 2 affords 3 (2) but not 19 (10) or 18 (7); the neutral token moves."""
    after, turn = solo(Card(2, 2, 4, ("NO", "MB", "FAR")), (19, 3, 18, 5, 1)).turn()
    assert (turn.affordable, turn.patch, turn.steps) == ((3,), 3, ())
    assert after.state.circle == (18, 5, 1, 19)
    assert after.state.players[1].space == 2
    assert after.patches == (3,)
    assert after.state.to_move == 1


def test_automa_passes_without_being_paid_for_spaces() -> None:
    """With nothing affordable it moves to the space in front of the human, past the mark at 11."""
    after, turn = solo(Card(12, 0, 5, ()), (19, 18, 20, 1)).turn()
    assert (turn.affordable, turn.patch, turn.space) == ((), None, 11)
    assert after.state.players[1].buttons == 2 * 5  # marks at 5 and 11, five buttons each
    assert after.state.circle == (19, 18, 20, 1)
    assert after.state.to_move == 0


def test_automa_gets_income_when_it_takes_a_patch() -> None:
    """Patch 3 moves it from 10 to 12, past the mark at 11; the card pays 4."""
    after, turn = solo(Card(2, 2, 4, ("NO", "MB", "FAR")), (3, 19), human=20, automa=10).turn()
    assert (turn.patch, turn.space) == (3, 12)
    assert after.state.players[1].buttons == 4


def test_card_twelve_affords_the_one_patch_that_is_free() -> None:
    """Patch 21 costs nothing and takes 3 time."""
    _, turn = solo(Card(12, 0, 5, ()), (21, 18, 3, 1)).turn()
    assert (turn.affordable, turn.patch, turn.space) == ((21,), 21, 3)


def test_card_without_filters_takes_the_furthest_free_patch() -> None:
    """In an edition where 3 and 18 are free as well as 21, patch 3 is the third in line."""
    free = [
        patch._replace(cost=0) if patch.id in (3, 18) else patch for patch in START.edition.patches
    ]
    game = solo(Card(12, 0, 5, ()), (21, 18, 3, 1))
    game = game._replace(state=game.state._replace(edition=ANNIVERSARY.replace(patches=free)))
    _, turn = game.turn()
    assert (turn.affordable, turn.patch, turn.steps) == ((21, 18, 3), 3, ())


def test_filters_apply_top_to_bottom_while_more_than_one_is_left() -> None:
    """NO drops patch 9 (6 time from 5 passes 10); LG keeps 15 (5 squares) over 6 (4 squares)."""
    card = Card(6, 6, 0, ("NO", "LG", "FAR"))
    _, turn = solo(card, (6, 9, 15, 1), automa=5).turn()
    assert turn.steps == (("NO", (6, 15)), ("LG", (15,)))
    assert turn.patch == 15


def test_landing_on_the_humans_space_is_not_overtaking() -> None:
    """From 8 with 2 time the token reaches 10, where the human stands."""
    card = Card(6, 6, 0, ("NO", "LG", "FAR"))
    _, turn = solo(card, (6, 9, 8, 1), automa=8).turn()
    assert turn.steps[0] == ("NO", (6, 8))


def test_a_filter_that_would_leave_none_is_skipped() -> None:
    """From the human's space every patch overtakes, so NO is skipped and MB chooses among all."""
    card = Card(5, 5, 1, ("NO", "MB", "FAR"))
    _, turn = solo(card, (6, 9, 8, 1), automa=10).turn()
    assert turn.steps[0] == ("NO", (6, 9, 8))
    assert turn.patch == 9


def test_most_buttons_then_the_furthest_from_the_neutral_token() -> None:
    """Patches 9, 10 and 16 have two buttons each; the third in line is furthest."""
    card = Card(10, 10, 0, ("MB", "LG", "FAR"))
    _, turn = solo(card, (9, 10, 16, 1), human=20).turn()
    assert turn.steps == (("MB", (9, 10, 16)), ("LG", (16,)))
    _, turn = solo(card, (9, 8, 10, 1), human=20).turn()
    assert turn.steps == (("MB", (9, 10)), ("LG", (9, 10)), ("FAR", (10,)))


@pytest.mark.parametrize(
    ("level", "space"),
    [("intern", 52), ("apprentice", 44), ("fellow", 41), ("master", 38), ("legend", 35)],
)
def test_each_level_earns_the_tile_at_its_own_space(level: str, space: int) -> None:
    """The spaces are 1, 9, 12, 15 and 18 before the last one, 53; the human may earn it first."""
    card = Card(12, 0, 0, ())
    here = solo(card, (19, 18, 20, 1), level=level, human=space - 1, automa=space - 5)
    assert here.level.tile_space(ANNIVERSARY) == space
    assert here.turn()[0].state.tile == 1
    short = solo(card, (19, 18, 20, 1), level=level, human=space - 2, automa=space - 5)
    assert short.turn()[0].state.tile is None
    earned = solo(card, (19,), level=level, human=space, automa=space - 5, tile=0)
    assert earned.turn()[0].state.tile == 0


def test_special_patch_that_the_automa_reaches_leaves_the_board() -> None:
    """The Automa passes 26 first, so the human cannot get that special patch."""
    after, _ = solo(Card(12, 0, 0, ()), (19,), human=26, automa=24).turn()
    assert after.state.players[1].space == 27
    assert after.state.pending == 0
    assert after.state.leather_left == (32, 38, 44, 50)
    assert after.state.players[1].quilt == 0


@pytest.mark.parametrize(
    ("level", "score"),
    [("intern", 7), ("apprentice", 17), ("fellow", 19), ("master", 22), ("legend", 24)],
)
def test_each_level_scores_by_its_own_rule(level: str, score: int) -> None:
    """The Automa has the tile, 10 buttons and patches 9 (2 buttons), 11 (3) and 3 (none)."""
    game = solo(Card(1, 1, 4, ()), (1,), level=level, buttons=10, tile=1)
    assert game._replace(patches=(9, 11, 3)).scores[1] == score


def test_a_tie_goes_to_the_first_on_the_last_space() -> None:
    """Both have 7 points; the player whose token arrived last loses the tie."""
    base = Solo.start(START, Automa("intern"), 1)
    players = (player(ANNIVERSARY.full, 7, space=53), player(space=53))
    state = START._replace(players=players, tile=1, to_move=1)
    assert base._replace(state=state).scores == (7, 7)
    assert base._replace(state=state).winner == 0
    assert base._replace(state=state._replace(to_move=0)).winner == 1


def test_two_cards_are_laid_aside_and_all_twelve_come_back() -> None:
    """Ten cards are turned over first; from then on all twelve are shuffled for each round."""
    game = Solo.start(START, Automa("master", tactical=True), 9)
    assert len(game.face_down) == 10
    assert {card.number for card in game.cards} == set(range(13, 25))
    state = START._replace(players=(player(space=0), player(space=0)), to_move=1, circle=())
    numbers = []
    for _ in range(22):
        game, turn = game._replace(state=state).turn()
        numbers.append(turn.card.number)
    assert len(set(numbers[:10])) == 10
    assert Counter(numbers[10:]) == Counter(range(13, 25))


def test_the_deck_depends_on_its_seed_only() -> None:
    """The same seed gives the same order; a different seed gives a different one."""
    orders = [Solo.start(START, Automa("1"), seed).face_down for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.slow
def test_whole_solo_games_end_and_the_human_starts() -> None:
    """300 games with a human who only advances: every one ends with a winner."""
    for seed in range(300):
        state = State.start(ANNIVERSARY, seed)
        game = Solo.start(state, Automa(LEVELS[seed % 5], seed % 2 == 0), seed)
        assert game.state.to_move == 0
        while not game.state.is_over:
            if game.state.to_move == 0:
                game = game._replace(state=game.state.apply(game.state.legal_actions()[0]))
            else:
                game, _ = game.turn()
        assert game.winner in (0, 1)
        assert not set(game.patches) & set(game.state.circle)
    with pytest.raises(ValueError, match="not the Automa's turn"):
        game.turn()


def test_level_is_found_by_number_and_by_name() -> None:
    """Level 1 is the easiest, level 5 the hardest."""
    for number, name in enumerate(("intern", "apprentice", "fellow", "master", "legend"), 1):
        assert find_level(str(number)) == find_level(name)
        assert find_level(name).name == name


def test_on_a_short_track_the_tile_lies_on_the_first_space() -> None:
    """A legend earns it 18 spaces before the end, and a track of 10 is shorter than that."""
    short = ANNIVERSARY.replace(last_space=10, income_marks=(5,), leather_marks=())
    assert find_level("legend").tile_space(short) == 1
    assert find_level("intern").tile_space(short) == 9
    assert find_level("legend").tile_space(short.replace(last_space=20)) == 2


def test_human_starts_as_usual_and_automa_without_buttons() -> None:
    """The Automa never pays for patches, so it needs no buttons at the start."""
    rich = START._replace(players=(player(buttons=9, space=3), player(space=1)))
    game = Solo.start(rich, Automa("1"), 1)
    assert game.state.players == (player(buttons=9, space=3), player(buttons=0, space=1))
    after, _ = solo(Card(12, 0, 0, ()), (19,), human=10).turn()
    assert after.state.players[1] == player(buttons=0, space=11)
    assert after.state.late == ()


def test_move_that_starts_on_the_tile_space_does_not_earn_the_tile() -> None:
    """Only a move that begins below the space earns the tile."""
    space = find_level("legend").tile_space(ANNIVERSARY)
    game = solo(Card(12, 0, 0, ()), (19,), human=space + 3, automa=space)
    assert game.turn()[0].state.tile is None


def test_every_round_of_cards_is_shuffled_again() -> None:
    """The second and the third round of twelve differ, and both follow from the seed."""
    game = Solo.start(START, Automa("1"), 4)
    state = START._replace(players=(player(), player()), to_move=1, circle=())
    numbers = []
    for _ in range(10 + 12 + 12):
        game, turn = game._replace(state=state).turn()
        numbers.append(turn.card.number)
    assert sorted(numbers[10:22]) == sorted(numbers[22:]) == list(range(1, 13))
    assert numbers[10:22] != numbers[22:]


def test_invalid_use_of_the_automa_is_reported() -> None:
    """The cases are an unknown level, an edition without a tile, and a turn that is not its own."""
    levels = "it has 1 to 5 or intern, apprentice, fellow, master, legend"
    for wrong in ("6", "0", "", "Intern"):
        with pytest.raises(EditionError, match=f"the Automa has no level '{wrong}'; {levels}"):
            find_level(wrong)
    with pytest.raises(EditionError, match="it has no special tile"):
        Solo.start(State.start(EXPRESS, 1), Automa("1"), 1)
    game = Solo.start(START, Automa("1"), 1)
    with pytest.raises(ValueError, match=r"^it is not the Automa's turn$"):
        game.turn()
    assert game.winner is None
    assert game.state.apply(ADVANCE).to_move == 1
