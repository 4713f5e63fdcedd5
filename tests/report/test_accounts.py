"""The accounts of games: counted by hand, and compared with a replay by the rules."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pwtourney.notation.game import Game, Ply, Verdict
from pwtourney.notation.game_text import replay
from pwtourney.report.game_statistics.accounts import Accountant
from pwtourney.rules import Edition, State
from pwtourney.rules.automa import LEVELS, Automa
from tests.notation.games import play_solo
from tests.notation.test_record import ALL, played
from tests.report.handcount import CROW, GAME, MAGPIE, TINY
from tests.rules.positions import EDITIONS, LONG, ORIGINAL


def test_amounts_of_a_small_game_are_those_counted_by_hand() -> None:
    """The plies are legal, and each space is that of the token before its ply."""
    *_, final = replay(GAME, TINY)
    assert final.scores == (12, 16)
    account = Accountant(TINY).add_up(GAME)
    assert account is not None
    assert account.sides == (MAGPIE, CROW)
    assert account.spaces == (0, 3, 0, 2, 3, 3, 5, 4, 5, 6, 5, 6, 6, 10, 9, 10, 11)


def test_game_of_advances_pays_a_button_for_each_space() -> None:
    """The tokens leapfrog over 53 spaces; the second seat reaches all five special patches first.

    It lands on even spaces, where these patches are, and on 53 at the end: 27 advances each.
    """
    plies: list[Ply] = []
    state = State.start(ORIGINAL, 1)
    while not state.is_over:
        seat, square = state.to_move, sum(ply.action != "advance" for ply in plies)
        action = f"leather:{'abcde'[square]}1" if state.pending else "advance"
        plies.append(Ply(seat, action))
        state = state.apply(state.legal_actions()[0])
    # 5 + 53 buttons; 81 empty squares, and 76 next to 5 special patches
    scores = (58 - 2 * 81, 58 - 2 * 76)
    game = GAME._replace(plies=tuple(plies), scores=scores, edition="original")
    account = Accountant(ORIGINAL).add_up(game)
    assert account is not None
    first, second = account.sides
    assert second is not None
    assert (first.advances, first.advance_buttons, first.special_patches) == (27, 53, 0)
    assert (second.advances, second.advance_buttons, second.special_patches) == (27, 53, 5)
    assert (first.score, second.score) == scores
    assert first.payments == second.payments == (0,) * 9
    assert (first.moves, first.micros) == (0, 0), "no time was measured"


def count(game: Game, edition: Edition, seat: int) -> dict[str, Any]:
    """Return the amounts of a seat that follow from the positions of a replay."""
    states = list(replay(game, edition))
    seen: dict[str, Any] = dict.fromkeys(("advances", "patches", "special_patches"), 0)
    seen |= {"patch_cost": 0, "advance_buttons": 0}
    paid: list[int] = []
    for ply, before, after in zip(game.plies, states, states[1:], strict=False):
        if ply.seat != seat:
            continue
        was, now = before.players[seat], after.players[seat]
        collected = [now.income for mark in edition.income_marks if was.space < mark <= now.space]
        paid += collected
        gained = now.buttons - was.buttons - sum(collected)
        if ply.action == "advance":
            seen["advances"] += 1
            seen["advance_buttons"] += gained
        elif ply.action.startswith("leather"):
            seen["special_patches"] += 1
        elif ply.action != "decline":
            seen["patches"] += 1
            seen["patch_cost"] -= gained
    final = states[-1].players[seat]
    empty = (edition.full & ~final.quilt).bit_count()
    return seen | {
        "payments": tuple(paid),
        "income_collected": sum(paid),
        "buttons": final.buttons,
        "income": final.income,
        "empty_squares": empty,
        "tile": int(states[-1].tile == seat),
        "patch_squares": final.quilt.bit_count() - seen["special_patches"],
        "score": game.scores[seat],
        "wins": int(states[-1].winner == seat),
        "micros": sum(max(ply.micros, 0) for ply in game.plies if ply.seat == seat),
    }


def check(game: Game, edition: Edition, seats: tuple[int, ...] = (0, 1)) -> None:
    """Check the account of a game against its replay."""
    account = Accountant(edition).add_up(game)
    assert account is not None
    spaces = [
        before.players[ply.seat].space
        for ply, before in zip(game.plies, replay(game, edition), strict=False)
    ]
    assert list(account.spaces) == spaces
    for seat in seats:
        side = account.sides[seat]
        assert side is not None
        expected = count(game, edition, seat)
        amounts = {key: getattr(side, key) for key in expected}
        assert amounts == expected | {"wins": int(game.winner == seat)}


@given(st.sampled_from((*ALL, LONG)), st.integers(0, 2**32))
@pytest.mark.slow(3)
def test_amounts_agree_with_a_replay_by_the_rules(edition: Edition, seed: int) -> None:
    """Random games of every edition, of small boards with a tile, and of a long track."""
    check(played(edition, seed), edition)


@given(
    st.sampled_from([edition for edition in (*EDITIONS, LONG, TINY) if edition.tile]),
    st.builds(Automa, st.sampled_from(LEVELS), st.booleans()),
    st.integers(0, 2**32),
)
@pytest.mark.slow(3)
def test_amounts_against_the_automa_agree_with_a_replay(
    edition: Edition, automa: Automa, seed: int
) -> None:
    """The Automa has no quilt board, so it has no amounts; it may earn the tile first."""
    game = play_solo(edition, automa, seed)
    check(game, edition, seats=(0,))
    account = Accountant(edition).add_up(game)
    assert account is not None
    assert account.sides[1] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"verdict": Verdict.CRASH},
        {"verdict": Verdict.DISQUALIFIED, "winner": None},
        {"plies": ()},
        {"plies": GAME.plies[:-1]},
        {"plies": (Ply(0, "5:r0:c3"), *GAME.plies[1:])},
        {"plies": (Ply(0, "99:r0:a1"), *GAME.plies[1:])},
        {"plies": (Ply(0, "nonsense"), *GAME.plies[1:])},
        {"plies": (Ply(0, "card:1:99"), *GAME.plies[1:])},
        {"scores": (13, 16)},
        {"scores": (12, 15)},
        {"start": State.start(TINY, 1)},
    ],
    ids=range(11),
)
def test_game_that_did_not_end_by_the_rules_has_no_account(changes: dict[str, Any]) -> None:
    """A fault, a void game, missing or wrong plies, other scores, or another start."""
    accountant = Accountant(TINY)
    assert accountant.add_up(GAME._replace(**changes)) is None
    assert accountant.add_up(GAME) is not None


def test_amounts_are_added_field_by_field() -> None:
    """The payments are added mark by mark."""
    both = MAGPIE.plus(CROW)
    assert [*both[:-1]] == [sum(pair) for pair in zip(MAGPIE[:-1], CROW[:-1], strict=True)]
    assert both.payments == (2, 2, 4, 4)
    assert (both.games, both.score, both.advances, both.micros) == (2, 28, 7, 153_000)
