"""The bundled bots: legal in every edition, and as strong as they are said to be."""

import itertools

import pytest
from pwtourney_bots.fit import exposed_edges
from pwtourney_bots.frugal import Frugal
from pwtourney_bots.greedy import Greedy
from pwtourney_bots.random_bot import RandomBot

from pwtourney.clock import Limit
from pwtourney.rules import Edition, State, deal
from pwtourney.sdk import Bot, GameStart, Turn
from tests.rules.positions import EDITIONS, ORIGINAL, covered


def play(one: type[Bot], two: type[Bot], edition: Edition, seed: int) -> State:
    """Play one game in this process; every action must be legal."""
    bots = (one(), two())
    for seat, bot in enumerate(bots):
        bot.new_game(GameStart(edition, seat, seed * 2 + seat))
    state = State.start(edition, deal(edition, seed))
    while not state.is_over:
        state = state.apply(bots[state.to_move].choose(Turn(state.public(), (), None, Limit())))
    return state


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_bot_plays_every_edition(edition: Edition) -> None:
    """Ten games of each pairing end without an illegal action."""
    for one, two in itertools.permutations((Greedy, Frugal, RandomBot), 2):
        for seed in range(10):
            assert play(one, two, edition, seed).winner in (0, 1)


def test_greedy_is_clearly_better_than_random() -> None:
    """Over 400 games in both seats: more than 95 % won, and more than 5 points on average."""
    wins, points = 0, 0
    for seed in range(200):
        for seat in (0, 1):
            bots = (Greedy, RandomBot) if seat == 0 else (RandomBot, Greedy)
            state = play(bots[0], bots[1], ORIGINAL, seed)
            wins += state.winner == seat
            points += state.score(seat)
    assert wins > 380
    assert points / 400 > 5


def test_frugal_beats_random_and_is_not_greedy() -> None:
    """Over 200 games it wins well over half, and it plays other games than greedy does."""
    wins = sum(play(Frugal, RandomBot, ORIGINAL, seed).winner == 0 for seed in range(200))
    assert wins > 140
    finals = [
        (play(Frugal, RandomBot, ORIGINAL, s), play(Greedy, RandomBot, ORIGINAL, s)) for s in (1, 2)
    ]
    assert all(one != two for one, two in finals)


def test_exposed_edges_are_counted_as_by_hand() -> None:
    """A single square has 4, in a corner 2; the rim counts as covered; a full board has none."""
    assert exposed_edges(1 << 40, ORIGINAL) == 4
    assert exposed_edges(1, ORIGINAL) == 2
    assert exposed_edges(1 << 8, ORIGINAL) == 2
    assert exposed_edges(covered(range(2), range(9)), ORIGINAL) == 9
    assert exposed_edges(ORIGINAL.full, ORIGINAL) == 0
