"""The course of a game for its page: where it starts, and what each ply changes."""

from typing import Any

from pwtourney.arena.play.seating import Seat, Seating
from pwtourney.arena.play.trail import Trail
from pwtourney.match import PlayedGame
from pwtourney.notation import action_text
from pwtourney.notation.game import Ply
from pwtourney.rules import deal
from pwtourney.rules.automa import Automa
from tests.arena.seated import ANN_AND_BEN, DEALT, seat_people
from tests.rules.positions import EXPRESS, ORIGINAL


def play(game: PlayedGame, *plies: Ply) -> dict[str, Any]:
    """Play plies one by one; return what a page then shows."""
    trail = Trail(game)
    for ply in plies:
        game.follow(ply)
        trail.extend()
    return trail.describe()


def test_page_shows_all_plies_with_their_changes() -> None:
    """Three advances of 1, 2 and 2 spaces, for a button a space, and the other seat moves next."""
    micros = (5, -1, 11)
    plies = [Ply(number % 2, "advance", spent) for number, spent in enumerate(micros)]
    shown = play(seat_people().play(), *plies)
    # a ply without a time (-1) took none
    assert shown["plies"] == [
        [0, "advance", 5, ""],
        [1, "advance", 0, ""],
        [0, "advance", 11, ""],
    ]
    # buttons, income, spaces, score, and whether the other seat moves next
    assert shown["changes"] == [[1, 0, 1, 1, 1], [2, 0, 2, 2, 1], [2, 0, 2, 2, 1]]
    start = shown["start"]
    assert [player["buttons"] for player in start["players"]] == [5, 5]
    assert [player["space"] for player in start["players"]] == [0, 0]


def test_ply_that_was_taken_back_leaves_no_change() -> None:
    """The next ply has its own change in that place."""
    game = seat_people().play()
    trail = Trail(game)
    for action in ("advance", "21:r0:a1"):
        game.follow(Ply(0, action))
        trail.extend()
        if action == "advance":
            game.take_back()
            assert trail.describe()["changes"] == []
    # patch 21 is free, takes three spaces and brings an income of 1; it is third in the circle
    assert trail.describe()["changes"] == [[0, 1, 3, 12, 1, 2]]


def test_info_of_a_bot_is_harmless_and_short() -> None:
    """Control characters become question marks, and at most 200 characters are shown."""
    infos = ("a\x1b[0m\u202e", "b" * 200 + "c")
    plies = [Ply(seat, "advance", 1, 0, info) for seat, info in enumerate(infos)]
    shown = play(seat_people().play(), *plies)["plies"]
    assert [ply[3] for ply in shown] == ["a?[0m?", "b" * 200]


def test_score_of_the_automa_is_hidden() -> None:
    """Its level counts it at the end of the game, so that no change tells of it."""
    seats = (Seat("person", "Ann"), Seat("automa", "automa"))
    game = Seating(ORIGINAL, DEALT, seats, (0, 5), Automa("intern")).play()
    trail = Trail(game)
    game.follow(Ply(0, "advance", 3))
    trail.extend()
    game.follow(game.draw_card())
    trail.extend()
    shown = trail.describe()
    assert [player["score"] for player in shown["start"]["players"]] == [5 - 162, None]
    assert shown["plies"][1][1].startswith("card:")
    assert shown["changes"][0][3] == 1
    assert shown["changes"][1][3] == 0


def test_order_of_the_late_patches_is_shown_when_they_join_the_circle() -> None:
    """The eight blue patches of Express are zeros until 3 patches are left in the circle."""
    dealt = deal(EXPRESS, 81)
    game = Seating(EXPRESS, dealt, ANN_AND_BEN, (0, 0)).play()
    trail = Trail(game)
    joined = None
    while joined is None:
        state = game.state
        actions = list(state.legal_actions())
        action = next((candidate for candidate in actions if candidate.patch), actions[0])
        game.follow(Ply(state.to_move, action_text(action, EXPRESS)))
        trail.extend()
        *_, last = trail.describe()["changes"][-1]
        joined = last.get("circle") if isinstance(last, dict) else None
    shown = trail.describe()
    assert shown["start"]["late"] == [0] * 8
    assert joined[-8:] == list(dealt.late)
    earlier = [change[-1] for change in shown["changes"][:-1] if isinstance(change[-1], dict)]
    assert not any("circle" in others or "late" in others for others in earlier)
