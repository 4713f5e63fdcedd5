"""Changes in the editor of positions: what the server fills in equals what the rules say."""

from typing import Any

import pytest

from pwtourney.arena.analyse.editor import check_form
from pwtourney.notation.game_data import position_data
from pwtourney.notation.marks import UNKNOWN, Marks
from pwtourney.rules import ORIENTATIONS, Action, State
from pwtourney.rules.possible import why_impossible
from tests.rules.positions import ORIGINAL, START, covered, player, position

SEEDS = range(4)


def make_form(state: State, marks: Marks | None = None, **others: Any) -> dict[str, Any]:
    """Return the values of the editor for a position."""
    shape = position_data(state, marks or Marks.of(state))
    players = [
        {key: str(player[key]) for key in ("buttons", "income", "space")}
        | {"quilt": list(player["quilt"])}
        for player in shape["players"]
    ]
    form = {
        "players": players,
        "toMove": str(state.to_move),
        "pending": str(state.pending),
        "tile": None if state.tile is None else str(state.tile),
        "circle": list(state.circle),
        "late": False,
    }
    return form | others


def read_numbers(form: dict[str, Any]) -> tuple[Any, ...]:
    """Return all of a form but the order of its circle, which a placement in the editor keeps."""
    players = [
        (player["quilt"], player["buttons"], player["income"], player["space"])
        for player in form["players"]
    ]
    return players, form["toMove"], form["pending"], form["tile"], sorted(form["circle"])


def name_change(state: State, action: Action) -> dict[str, Any]:
    """Return the change of the editor that does what an action does."""
    if action.kind == "leather":
        return {"kind": "square", "seat": state.to_move, "square": action.square}
    orientation = ORIENTATIONS[action.orientation]
    where = {"orientation": orientation, "square": action.square}
    return {"kind": "place", "seat": state.to_move, "patch": action.patch, **where}


def play(seed: int) -> list[tuple[State, Marks, Action]]:
    """Return the placements of a game, each with the position before it."""
    plies: list[tuple[State, Marks, Action]] = []
    state = State.start(ORIGINAL, seed)
    marks = Marks.of(state)
    while not state.is_over:
        legal = state.legal_actions()
        action = legal[(len(plies) * 7919 + seed * 31) % len(legal)]
        plies.append((state, marks, action))
        after = state.apply(action)
        state, marks = after, marks.follow(state, action, after)
    return [ply for ply in plies if ply[2].kind != "advance"]


@pytest.mark.parametrize("seed", SEEDS)
def test_placement_fills_in_what_the_rules_say(seed: int) -> None:
    """Cost, time, income on the way, special patches, the tile and the turn equal `State.apply`."""
    for state, marks, action in play(seed):
        change = name_change(state, action)
        answer = check_form(make_form(state, marks, change=change), ORIGINAL)
        after = state.apply(action)
        expected = make_form(after, marks.follow(state, action, after))
        assert read_numbers(answer["values"]) == read_numbers(expected)
        assert answer["suggested"] == {}
        assert ("problem" in answer) == bool(why_impossible(after))


def test_games_of_this_test_have_special_patches() -> None:
    """The placements of the test above are of both kinds."""
    kinds = {action.kind for seed in SEEDS for _, _, action in play(seed)}
    assert kinds == {"take", "leather"}


@pytest.mark.parametrize("seed", SEEDS)
def test_patch_that_is_put_back_takes_all_along(seed: int) -> None:
    """All numbers are those before it was taken; only the token at the end has moved less."""
    for state, marks, action in play(seed):
        after = state.apply(action)
        if action.kind != "take" or max(player.space for player in after.players) == 53:
            continue
        change = {"kind": "back", "patch": action.patch}
        followed = marks.follow(state, action, after)
        answer = check_form(make_form(after, followed, change=change), ORIGINAL)
        assert read_numbers(answer["values"]) == read_numbers(make_form(state, marks))


def test_patch_that_nobody_has_only_joins_the_circle() -> None:
    """A patch that was taken out of the circle returns to its end, and costs nobody anything."""
    form = make_form(START, circle=list(START.circle[1:]))
    answer = check_form(form | {"change": {"kind": "back", "patch": START.circle[0]}}, ORIGINAL)
    assert answer["values"]["circle"] == [*START.circle[1:], START.circle[0]]
    assert answer["said"] == ""
    assert answer["legal"] > 0


BIG = covered(range(7), range(7)) & ~1
"""A square of seven by seven without its corner a1."""


def cover(seat: int, square: int) -> dict[str, Any]:
    """Return the change that covers a square, or uncovers it."""
    return {"kind": "square", "seat": seat, "square": square}


def test_first_seven_by_seven_earns_the_special_tile() -> None:
    """The corner completes the square; without it the tile is nobody's again."""
    state = position(player(BIG, space=30), player(BIG, space=30))
    earned = check_form(make_form(state, change=cover(1, 0)), ORIGINAL)
    assert earned["values"]["tile"] == "1"
    assert "The second seat has the special tile." in earned["said"]
    second = check_form(earned["values"] | {"change": cover(0, 0)}, ORIGINAL)
    assert second["values"]["tile"] == "1", "the first seat is too late"
    lost = check_form(second["values"] | {"change": cover(1, 0)}, ORIGINAL)
    assert lost["values"]["tile"] is None


def test_lone_covered_square_is_a_special_patch() -> None:
    """Next to it a second square makes both a part of an unknown patch: all patches have more."""
    alone = check_form(make_form(START, change=cover(0, 40)), ORIGINAL)["values"]
    assert alone["players"][0]["quilt"][40] == -41
    both = check_form(alone | {"change": cover(0, 41)}, ORIGINAL)["values"]
    assert both["players"][0]["quilt"][40:42] == [UNKNOWN, UNKNOWN]
    none = check_form(alone | {"change": cover(0, 40)}, ORIGINAL)["values"]
    assert none == {**make_form(START)}, "nobody has passed a special patch that could be due"


def test_special_patch_that_is_uncovered_is_due_again() -> None:
    """Covering another square instead is as good."""
    state, marks, action = next(ply for ply in play(0) if ply[2].kind == "leather")
    after = state.apply(action)
    form = make_form(after, marks.follow(state, action, after))
    change = cover(state.to_move, action.square)
    again = check_form(form | {"change": change}, ORIGINAL)
    assert again["values"]["pending"] == "1"
    assert again["values"]["toMove"] == str(state.to_move)
    assert read_numbers(check_form(again["values"] | {"change": change}, ORIGINAL)["values"]) == (
        read_numbers(form)
    )


def place_first(form: dict[str, Any]) -> dict[str, Any]:
    """Place patch 1, which costs 2, takes 1 space and has no income, on a1 of the first seat."""
    change = {"kind": "place", "seat": 0, "patch": 1, "orientation": "r0", "square": 0}
    return check_form(form | {"change": change}, ORIGINAL)


def test_what_follows_is_said() -> None:
    """The sentence names each field that was filled in, with its old and its new value."""
    cheap = ORIGINAL.patch[1]
    assert (cheap.cost, cheap.time, cheap.income) == (2, 1, 0)
    answer = place_first(make_form(START))
    seat = "First seat: buttons 5 → 3, space 0 → 1."
    assert answer["said"] == f"{seat} The second seat is to move."
    assert answer["kept"] == ""
    passing = make_form(START)
    passing["players"][0] |= {"space": "4", "income": "6"}
    assert "buttons 5 → 9 (+6 of income), space 4 → 5" in place_first(passing)["said"]
    poor = make_form(START)
    poor["players"][0] |= {"buttons": "1"}
    answer = place_first(poor)
    assert "buttons 1 → −1" in answer["said"]
    assert "type the buttons of the first seat as a whole number" in answer["problem"]


def test_typed_fields_are_kept_and_their_values_suggested() -> None:
    """The position is checked as it is kept."""
    form = make_form(START, typed=["buttons:0", "toMove"])
    answer = place_first(form)
    first = answer["values"]["players"][0]
    assert (first["buttons"], first["space"], answer["values"]["toMove"]) == ("5", "1", "0")
    assert answer["suggested"] == {"buttons:0": "3", "toMove": "1"}
    assert answer["kept"] == "First seat: buttons 5 → 3. The second seat is to move."
    assert answer["said"] == "First seat: space 0 → 1."
    assert answer["problem"] == "the first seat is in front, so it is not its turn"


@pytest.mark.parametrize("typed", ["", "x", "1.5", "9" * 30])
def test_nothing_follows_from_a_number_that_cannot_be_read(typed: str) -> None:
    """The patch lies there, the field stays as it was typed, and the problem names it."""
    form = make_form(START)
    form["players"][0]["buttons"] = typed
    answer = place_first(form)
    assert answer["values"]["players"][0]["quilt"][:3] == [1, 1, 0]
    assert answer["values"]["players"][0]["buttons"] == typed
    assert answer["said"] == ""
    assert "the buttons of the first seat" in answer["problem"]


def test_patch_that_does_not_fit_changes_nothing() -> None:
    """On other squares and beyond the edge; the answer is the reason alone."""
    change = {"kind": "place", "seat": 0, "patch": 1, "orientation": "r0", "square": 8}
    answer = check_form(make_form(START, change=change), ORIGINAL)
    assert answer == {"misfit": "patch 1 does not fit on i1"}
    laid = place_first(make_form(START))["values"] | {"circle": list(START.circle)}
    assert place_first(laid) == {"misfit": "patch 1 does not fit on a1"}


@pytest.mark.parametrize(
    "change",
    [
        None,
        {},
        {"kind": "burn"},
        {"kind": ["place"]},
        {"kind": "back", "patch": 99},
        {"kind": "square", "seat": 2, "square": 0},
        {"kind": "square", "seat": 0, "square": 81},
        {"kind": "square", "seat": 0, "square": -1},
        {"kind": "place", "seat": 0, "patch": 99, "orientation": "r0", "square": 0},
        {"kind": "place", "seat": 0, "patch": 1, "orientation": "r45", "square": 0},
    ],
)
def test_malformed_change_is_refused(change: object) -> None:
    """The error is one sentence, as for any other part of the form."""
    answer = check_form(make_form(START, change=change), ORIGINAL)
    assert answer == {"misfit": "the form of the position is not complete"}
