"""Tests of Magpie: first that it keeps to the rules, then that it plays as it is meant to."""

from magpie_bot import bot
from magpie_bot.bot import Magpie

from pwtourney.notation import parse_position
from pwtourney.rules import ADVANCE, find_edition
from pwtourney.testing import Scripted, ask, assert_conformant, play_out

ORIGINAL = find_edition("original")


def test_it_keeps_to_the_protocol() -> None:
    """The same steps as `pwtourney check`, with fewer games."""
    assert_conformant(bot.__file__, games=8)


def test_it_plays_a_whole_game_from_either_seat() -> None:
    """A game ends, from either seat."""
    for seat in (0, 1):
        _, final = play_out(Magpie(), seat=seat, seed=7)
        assert final.is_over


def test_it_plays_on_against_one_who_only_advances() -> None:
    """`Scripted` plays the actions it is given, and then the first that is legal."""
    game, final = play_out(Magpie(), Scripted("advance", "advance"), seed=7)
    assert game.plies[-1].action
    assert final.is_over


def test_it_advances_when_it_can_buy_nothing() -> None:
    """A position is one line of text; docs/notation.md of pwtourney explains it."""
    empty = "/".join(["9"] * 9)
    line = f"{empty} 0 0 0 {empty} 5 0 0 0 0 20,26,32,44,50 - 33,20,19 -"
    assert ask(Magpie(), parse_position(line, ORIGINAL)) == ADVANCE
