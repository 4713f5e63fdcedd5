"""The bundled bots: legal in every edition, reproducible, and as strong as documented."""

import itertools
from collections.abc import Callable

import pytest
from pwtourney_bots.champion import Champion
from pwtourney_bots.frugal import Frugal
from pwtourney_bots.greedy import Greedy
from pwtourney_bots.lookahead import Lookahead
from pwtourney_bots.mcts import Mcts
from pwtourney_bots.packer import Packer
from pwtourney_bots.prospects import exposed_edges, prospect
from pwtourney_bots.random_bot import RandomBot

from pwtourney.bots.names import installed_bots
from pwtourney.rules import Edition, State
from pwtourney.sdk import Action, Bot
from tests.bundled.compiling import COMPILED
from tests.bundled.games import answer, moves_of, play, ready
from tests.rules.positions import EDITIONS, ORIGINAL, covered, player, position
from tests.thorough import thorough_but

pytestmark = [pytest.mark.slow, *COMPILED]
Maker = Callable[[], Bot]


def made(bot: type[Bot], **settings: object) -> Bot:
    """Return a bot with options."""
    new = bot()
    new.settings.update({key: str(value) for key, value in settings.items()})
    return new


FIELD: dict[str, Maker] = {
    "random": RandomBot,
    "packer": Packer,
    "frugal": Frugal,
    "greedy": Greedy,
    "lookahead": lambda: made(Lookahead, depth=1),
    "mcts": lambda: made(Mcts, iterations=10),
    "champion": lambda: made(Champion, iterations=20),
}


def share(first: Maker, second: Maker, pairs: int) -> float:
    """Return the first bot's share of points over mirrored pairs."""
    wins = 0
    for seed in range(pairs):
        wins += play(first(), second(), ORIGINAL, seed).winner == 0
        wins += play(second(), first(), ORIGINAL, seed).winner == 1
    return wins / (2 * pairs)


def test_field_contains_every_bundled_bot() -> None:
    """A new bundled bot must be added here."""
    own = {name for name, point in installed_bots().items() if "pwtourney_bots" in point.value}
    assert own == set(FIELD)


@pytest.mark.parametrize(
    "edition", thorough_but(EDITIONS[:1], EDITIONS), ids=lambda edition: edition.name
)
def test_every_bot_plays_every_edition(edition: Edition) -> None:
    """Two games of each pairing, one in each seat, end without an illegal action."""
    for first, second in itertools.permutations(FIELD.values(), 2):
        assert play(first(), second(), edition, 1).winner in (0, 1)


@pytest.mark.parametrize("name", FIELD)
def test_same_seeds_give_the_same_game(name: str) -> None:
    """No action differs between two games on the same deal with the same seeds."""
    first, second = (moves_of(FIELD[name](), FIELD[name](), ORIGINAL, 5) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("name", "blunder_percent"), [("random", 0), ("greedy", 50), ("mcts", 0)])
def test_other_seeds_give_other_games(name: str, blunder_percent: int) -> None:
    """This is checked for randomized bots, on the same deal."""

    def game(seed: int) -> list[Action]:
        bot = FIELD[name]()
        if blunder_percent:
            bot.settings["blunder_percent"] = str(blunder_percent)
        state = State.start(ORIGINAL, 1)
        actions: list[Action] = []
        ready(bot, ORIGINAL, seed)
        while not state.is_over:
            actions.append(answer(bot, state))
            state = state.apply(actions[-1])
        return actions

    assert game(1) != game(2)


@pytest.mark.thorough
def test_greedy_is_clearly_better_than_random() -> None:
    """It wins more than 95 % of 120 games in both seats."""
    assert share(Greedy, RandomBot, 60) > 0.95


def test_simple_bots_beat_random() -> None:
    """Each idea alone is worth something: each bot wins more than 70 % of 60 games."""
    assert share(Frugal, RandomBot, 30) > 0.7
    assert share(Packer, RandomBot, 30) > 0.7


@pytest.mark.thorough
@pytest.mark.slow(2)
def test_lookahead_beats_greedy() -> None:
    """Three plies deep, it wins more than 65 % of 40 games."""
    assert share(lambda: made(Lookahead, depth=3), Greedy, 20) > 0.65


@pytest.mark.parametrize("bot", [Mcts, Champion])
@pytest.mark.thorough
def test_tree_search_beats_lookahead(bot: type[Bot]) -> None:
    """With 200 iterations against three plies it wins more than 60 % of 20 games."""
    assert share(lambda: made(bot, iterations=200), lambda: made(Lookahead, depth=3), 10) > 0.6


@pytest.mark.thorough
@pytest.mark.parametrize("bot", [Mcts, Champion])
@pytest.mark.slow(2)
def test_more_iterations_play_better(bot: type[Bot]) -> None:
    """Sixteen times as many iterations win more than 65 % of 20 games."""
    assert share(lambda: made(bot, iterations=160), lambda: made(bot, iterations=10), 10) > 0.65


@pytest.mark.thorough
def test_blunders_are_a_handicap() -> None:
    """Greedy that blunders every second move wins fewer than 25 % of 60 games against greedy."""
    assert share(lambda: made(Greedy, blunder_percent=50), Greedy, 30) < 0.25


def test_prospect_matches_a_calculation_by_hand() -> None:
    """10 buttons, 2 income at 9 paydays, 53 spaces, 80 empty squares, 2 edges in the corner."""
    state = position(player(quilt=1, buttons=10, income=2), player())
    assert prospect(state, 0, time_value=2, edge_penalty=1) == 10 + 2 * 9 + 2 * 53 - 2 * 80 - 2
    assert prospect(state._replace(tile=0), 0, time_value=2, edge_penalty=1) == -28 + 7
    assert prospect(state._replace(pending=1), 0, time_value=2, edge_penalty=1) == -28 + 2
    assert prospect(state._replace(pending=1), 1, time_value=0, edge_penalty=0) == 5 - 162


def test_exposed_edges_match_a_count_by_hand() -> None:
    """A single square has 4, in a corner 2; the rim counts as covered; a full board has 0."""
    assert exposed_edges(1 << 40, ORIGINAL) == 4
    assert exposed_edges(1, ORIGINAL) == 2
    assert exposed_edges(1 << 8, ORIGINAL) == 2
    assert exposed_edges(covered(range(2), range(9)), ORIGINAL) == 9
    assert exposed_edges(ORIGINAL.full, ORIGINAL) == 0
