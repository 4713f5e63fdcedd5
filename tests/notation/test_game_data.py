"""The game data for pages: changes, applied one by one, give the positions of the rules."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.errors import IllegalActionError
from pwtourney.notation.game import Game, Ply
from pwtourney.notation.game_data import (
    Change,
    change_data,
    follow_game,
    position_data,
    taken_patch,
)
from pwtourney.notation.game_text import replay
from pwtourney.notation.marks import Marks
from pwtourney.rules import ADVANCE, Edition, Player, State, leather
from pwtourney.rules.automa import LEVELS, Automa
from tests.notation.games import play_solo
from tests.notation.test_record import ALL, played
from tests.rules.positions import EDITIONS, LONG, ORIGINAL, START, position

UNSEEN = ("quilt", "micros")
"""The keys that a change omits, because the action's text and the record have them."""


def apply(before: dict[str, Any], change: Change) -> dict[str, Any]:
    """Return the position after a packed change, as documented; quilt boards are left out."""
    packed = change.pack()
    gains, turn = packed[:4], packed[4]
    index = packed[5] if len(packed) > 5 else -1
    others = packed[6] if len(packed) > 6 else {}
    seat, circle = before["toMove"], before["circle"]
    players = [dict(player) for player in before["players"]]
    for key, gain in zip(("buttons", "income", "space", "score"), gains, strict=True):
        if players[seat][key] is not None:
            players[seat][key] += gain
    if index >= 0:
        circle = circle[index + 1 :] + circle[:index]
    if "late" in others:
        circle = circle + before["late"]
    changed = {
        key: list(value) if isinstance(value, tuple) else value for key, value in others.items()
    }
    to_move = 1 - seat if turn else seat
    return before | changed | {"players": players, "circle": circle, "toMove": to_move}


def describe(state: State, *, automa: bool) -> dict[str, Any]:
    """Return the data of a position without the keys that changes omit."""
    data = position_data(state, automa=automa)
    for player in data["players"]:
        for key in UNSEEN:
            del player[key]
    return data


def check(game: Game, edition: Edition) -> None:
    """Check that the changes of a game lead to the positions of the rules."""
    automa = game.automa is not None
    states = list(replay(game, edition))
    start, changes = follow_game(game, edition)
    assert start == states[0]
    position = describe(start, automa=automa)
    for change, state in zip(changes, states[1:], strict=True):
        position = apply(position, change)
        assert position == describe(state, automa=automa)


@given(st.sampled_from((*ALL, LONG)), st.integers(0, 2**32))
@pytest.mark.slow
def test_changes_of_a_game_lead_to_the_positions_of_the_rules(edition: Edition, seed: int) -> None:
    """The games have income, special patches, declined ones, the tile, late patches and an end."""
    check(played(edition, seed), edition)


@given(
    st.sampled_from([edition for edition in EDITIONS if edition.tile]),
    st.builds(Automa, st.sampled_from(LEVELS), st.booleans()),
    st.integers(0, 2**32),
)
@pytest.mark.slow
def test_changes_against_the_automa_lead_to_the_positions_of_the_rules(
    edition: Edition, automa: Automa, seed: int
) -> None:
    """The Automa pays nothing, earns what its card says, and drops special patches."""
    check(play_solo(edition, automa, seed), edition)


def test_follow_game_starts_from_the_position_of_the_record() -> None:
    """The record has a start position other than the start of its deal."""
    begun = START.apply(START.legal_actions()[0])
    game = played(ORIGINAL, 1)._replace(start=begun, plies=(Ply(1, "advance"),))
    start, changes = follow_game(game, ORIGINAL)
    assert start == begun
    # from space 0 over space 1 to space 2, a button for each; then the first seat is behind
    assert [change.pack() for change in changes] == [[2, 0, 2, 2, 1]]


def test_illegal_ply_is_reported_with_its_number() -> None:
    """The changes before it are yielded first."""
    game = played(ORIGINAL, 1)._replace(plies=(Ply(0, "advance"), Ply(0, "advance")))
    _, changes = follow_game(game, ORIGINAL)
    assert next(changes).pack() == [1, 0, 1, 1, 1]
    with pytest.raises(IllegalActionError, match="ply 2: seat 1 is to move"):
        next(changes)


def test_last_change_has_what_both_scores_consist_of() -> None:
    """The first seat has 9 buttons, the second 5, the tile and 3 empty squares."""
    full = (1 << 81) - 1
    start = position(Player(full, 8, 0, 52), Player(full >> 3, 5, 0, 53), tile=1)
    end = start.apply(ADVANCE)
    points = ((9, 0, 0), (5, 7, -6))
    assert dict(change_data(start, end, "advance").others)["points"] == points
    assert position_data(end)["points"] == [*points]
    assert position_data(end, automa=True)["points"] == [points[0], None]
    assert "points" not in position_data(start)


def test_rare_changes_are_packed_by_their_names() -> None:
    """Trailing defaults are omitted, which gives the fewest characters."""
    assert Change(1, 0, 1, 1, 1).pack() == [1, 0, 1, 1, 1]
    assert Change(-2, 0, 1, 2, 0, 2).pack() == [-2, 0, 1, 2, 0, 2]
    others = (("pending", 1), ("late", ()))
    packed = [5, 0, 5, 5, 0, -1, {"pending": 1, "late": ()}]
    assert Change(5, 0, 5, 5, 0, -1, others).pack() == packed


@pytest.mark.parametrize(
    ("action", "patch"),
    [
        ("12:r90:b4", 12),
        ("card:4:15", 15),
        ("card:4:pass", 0),
        ("leather:e5", 0),
        ("advance", 0),
        ("decline", 0),
    ],
)
def test_taken_patch_of_each_kind_of_action(action: str, patch: int) -> None:
    """The patch is taken by a bot or by the Automa; 0 means no patch."""
    assert taken_patch(action) == patch


def test_squares_are_marked_by_what_covers_them() -> None:
    """A patch marks its squares with its number, a special patch with its negative square - 1."""
    after = START.apply(START.legal_actions()[1])
    action = START.legal_actions()[1]
    assert action.kind == "take"
    marks = Marks.of(START).follow(START, action, after)
    covered = {square for square in range(81) if after.players[0].quilt >> square & 1}
    assert {square for square, mark in enumerate(marks.quilts[0]) if mark} == covered
    assert {marks.quilts[0][square] for square in covered} == {action.patch}
    assert set(marks.quilts[1]) == {0}
    pending = START._replace(pending=1)
    placed = pending.apply(leather(40))
    assert Marks.of(pending).follow(pending, leather(40), placed).quilts[0][40] == -41


def test_the_automa_has_no_score_before_the_end() -> None:
    """Its level computes the score; an empty board of 81 squares costs a player 162 points."""
    scores = [player["score"] for player in position_data(START, automa=True)["players"]]
    assert scores == [5 - 162, None]
    assert position_data(START)["players"][1]["score"] == 5 - 162
