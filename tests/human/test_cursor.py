"""The effect of keys on a placement; expected values were counted on a drawing of the patch."""

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from pwtourney.human import Cursor, Question
from pwtourney.human.screen import draw
from pwtourney.notation import action_text
from pwtourney.notation.game import Ply
from pwtourney.rules import ADVANCE, State
from pwtourney.rules.geometry import all_orientations
from tests.rules.positions import EXPRESS, ORIGINAL, START, player, position
from tests.rules.walks import walks

KEYS = st.lists(
    st.sampled_from(["next", "back", "turn", "flip", "up", "down", "left", "right"]), max_size=30
)


def pressed(cursor: Cursor, keys: list[str]) -> Cursor:
    """Return a cursor after keys."""
    moves = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
    for key in keys:
        if key in moves:
            cursor = cursor.move(*moves[key])
        elif key in ("next", "back"):
            cursor = cursor.next(1 if key == "next" else -1)
        else:
            cursor = cursor.rotate() if key == "turn" else cursor.flip()
    return cursor


@given(walks(), KEYS)
def test_any_keys_keep_the_patch_on_the_board(state: State, keys: list[str]) -> None:
    """It is shown as legal exactly if it is among the legal actions."""
    if state.is_over:
        return
    cursor = pressed(Cursor.at_start(state), keys)
    ghost = cursor.ghost()
    assert (cursor.action in list(state.legal_actions())) == (not cursor.problem) == ghost.legal
    if cursor.action.kind == "take":
        assert len(ghost.squares) == len(state.edition.patch[cursor.action.patch].shape)
    if ghost.legal:
        assert ghost.squares <= ghost.within


@given(walks())
def test_turn_starts_with_a_legal_action(state: State) -> None:
    """Enter plays it at once; it is an advance only if nothing can be placed."""
    if state.is_over:
        return
    cursor = Cursor.at_start(state)
    assert not cursor.problem
    only_advance = len(state.legal_actions()) == 1 and not state.pending
    assert (cursor.action == ADVANCE) == only_advance


def test_rotating_and_flipping_match_the_picture() -> None:
    """Four rotations and two flips lead back; a flip shows the mirror image of the patch."""
    cursor = Cursor.at_start(State.start(ORIGINAL, 7))._replace(choice=0, turn=0)
    assert pressed(cursor, ["turn"] * 4).turn == cursor.turn
    for turns in range(4):
        seen = pressed(cursor, ["turn"] * turns)
        flipped = seen.flip()
        shape = all_orientations(ORIGINAL.patch[seen.action.patch].shape)
        width = 1 + max(column for _, column in shape[seen.turn])
        mirror = frozenset((row, width - 1 - column) for row, column in shape[seen.turn])
        assert shape[flipped.turn] == mirror
        assert flipped.flip().turn == seen.turn


def test_edge_of_the_board_stops_a_patch() -> None:
    """Ten steps right and down move its bounding box into the corner."""
    state = State.start(ORIGINAL, 7)
    cursor = pressed(Cursor.at_start(state), ["right"] * 10 + ["down"] * 10)
    lay = ORIGINAL.lays[cursor.action.patch][cursor.action.orientation]
    assert (cursor.row + lay.height, cursor.column + lay.width) == (9, 9)


def test_special_patch_can_be_placed_or_declined() -> None:
    """The edition determines whether it can be declined."""
    due = position(player(space=20), player(space=19), pending=1)
    assert Cursor.at_start(due).next().action.kind == "leather"
    base = State.start(EXPRESS, 1)
    mark = EXPRESS.leather_marks[0]
    due = position(player(space=mark), player(space=mark - 1), pending=1, base=base)
    assert Cursor.at_start(due).next().action.kind == "decline"


def test_only_less_important_text_is_dim() -> None:
    """Prices, quilt boards and the action of Enter are bright; past plies and hints are dim."""
    for plies in ((), (Ply(0, "advance", 0),)):
        question = Question(START, ("one", "two"), plies, "nothing was played yet")
        picture = draw(question, Cursor.at_start(START), 80)
        shown = [segment for segment in Console(width=80).render(picture) if segment.text.strip()]
        is_dim = {
            segment.text.strip(): bool(segment.style and segment.style.dim) for segment in shown
        }
        bright = [text for text in is_dim if text.startswith(("Enter plays", "> one"))]
        assert len(bright) == 2, is_dim
        assert not any(is_dim[text] for text in bright)
        assert all(is_dim[text] for text in is_dim if "or type:" in text or "1. one" in text)


def test_picture_fits_a_small_terminal() -> None:
    """It fits into 24 rows of 80 columns with two input lines; a larger terminal shows more."""
    question = Question(START, ("one", "two"), ())
    small, large = (draw(question, Cursor.at_start(START), 80, rows) for rows in (22, 46))
    assert small.plain.count("\n") <= 22
    assert large.plain.count("\n") > 22
    for text in (small, large):
        assert "Enter plays" in text.plain
        assert "\n  0 12" in f"\n{text.plain}", "the tokens of both seats"
        assert action_text(Cursor.at_start(START).action, ORIGINAL) in text.plain
        assert max(map(len, text.plain.splitlines())) <= 86
