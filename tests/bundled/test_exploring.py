"""What the bundled bots answer to an analysis, in processes of their own."""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pwtourney_bots.champion import Champion
from pwtourney_bots.mcts import Mcts
from pwtourney_bots.searcher import Choice, Searcher, Tally

from pwtourney.clock import Clock, Limit, TimeControl
from pwtourney.match import BotSpec
from pwtourney.match.conversation import Answer, Conversation
from pwtourney.notation import action_text, read_action
from pwtourney.notation.info import parse_pairs, parse_rank
from pwtourney.protocol import Query
from pwtourney.rules import ADVANCE, Edition, State, take
from pwtourney.sandbox.launch import Launch, Limits
from pwtourney.sdk import Action, Turn
from tests.bundled.compiling import COMPILED
from tests.bundled.games import Ending, answer, ready
from tests.bundled.test_searchers import SEARCHERS
from tests.rules.positions import EXPRESS, ORIGINAL, START
from tests.thorough import thorough_but

pytestmark = [pytest.mark.slow(2), *COMPILED]

MODULES = {
    "greedy": (),
    "lookahead": (("depth", "4"),),
    "mcts": (("iterations", "2000"),),
    "champion": (("iterations", "2000"),),
}
"""The bots that know what an analysis asks for, with options that replace the clock."""

BOTS = pytest.mark.parametrize("name", MODULES)
CLOCK = Clock.start((TimeControl(60_000), TimeControl(60_000)))
Begin = Callable[..., Conversation]


@pytest.fixture
def begin() -> Iterator[Begin]:
    """Return a function that starts a bundled bot and its game; all are ended after the test."""
    started: list[Conversation] = []

    def start(name: str, state: State = START) -> Conversation:
        command = (sys.executable, "-m", "pwtourney.sdk", f"pwtourney_bots.{name}")
        spec = BotSpec(name, Launch(command), MODULES[name], limits=Limits(start_ms=120_000))
        started.append(Conversation(spec))
        started[-1].new_game(state.edition, state.to_move, 1)
        return started[-1]

    yield start
    for conversation in started:
        conversation.end()
        conversation.clean_up()


def last_lines(reply: Answer) -> list[dict[str, str]]:
    """Return the pairs of the last info about each line, the best line first."""
    ranked = {parse_rank(info): parse_pairs(info) for info in reply.infos}
    assert sorted(map(str, ranked)) == [str(rank + 1) for rank in range(len(ranked))]
    return [ranked[rank + 1] for rank in range(len(ranked))]


def follow(line: str, state: State) -> State:
    """Return the position after a line of legal actions."""
    for action in line.split(","):
        state = state.apply(read_action(action, state))
    return state


@BOTS
def test_bot_shows_its_best_moves_in_order_of_score(name: str, begin: Begin) -> None:
    """Each line begins with another move and is legal; the best one is the answer."""
    reply = begin(name).explore(START, Query(3), CLOCK)
    lines = last_lines(reply)
    assert len(lines) == 3
    for line in lines:
        follow(line["line"], START)
    moves = [line["line"].split(",")[0] for line in lines]
    assert len({*moves}) == 3
    assert moves[0] == reply.ply.action
    scores = [float(line["score"]) for line in lines]
    assert scores == sorted(scores, reverse=True)


@BOTS
def test_bot_chooses_among_the_given_moves(name: str, begin: Begin) -> None:
    """They are no favourites of it, and one of them is enough; a later turn has all again."""
    bot = begin(name)
    actions = [action_text(action, ORIGINAL) for action in START.legal_actions()]
    given = tuple(actions[40:140:20])
    for only in (given, given[2:3]):
        reply = bot.explore(START, Query(5, only), CLOCK)
        moves = [line["line"].split(",")[0] for line in last_lines(reply)]
        assert reply.ply.action == moves[0]
        assert len({*moves}) == len(moves) == len(only)
        assert {*moves} <= {*only}
    assert bot.turn(START, (), CLOCK, 0).ply.action not in given


@BOTS
@pytest.mark.parametrize(
    "edition", thorough_but([ORIGINAL], [ORIGINAL, EXPRESS]), ids=lambda edition: edition.name
)
def test_bot_answers_soon_after_a_stop(name: str, edition: Edition, begin: Begin) -> None:
    """It thinks without a limit until then, unless it has nothing to think about."""
    state = State.start(edition, 1)
    bot = begin(name, state)
    end = time.monotonic() + 0.5
    calls: list[float] = []

    def attend() -> bool:
        calls.append(time.monotonic())
        return calls[-1] > end

    reply = bot.explore(state, Query(2, endless=True), CLOCK, attend)
    assert len(last_lines(reply)) == 2
    if name != "greedy":  # it never looks ahead, and answers by itself
        # by the clock that stops it; what the bot is charged may be less on a busy machine
        assert calls[-1] > end
        # the protocol allows a second, after which `explore` would have failed
        assert time.monotonic() - calls[-1] < 2


def test_lookahead_shows_every_move_that_it_considers(begin: Begin) -> None:
    """At the start it can pay for two patches, or advance, so it shows three lines and not five."""
    reply = begin("lookahead").explore(START, Query(5), CLOCK)
    assert len(last_lines(reply)) == 3


def ask(bot: Searcher, state: State, **query: Any) -> Action:
    """Ask for an action in a position, with more fields of the turn."""
    return bot.choose(Turn(state.hide_late(), (), None, Limit(), **query))


@SEARCHERS
def test_value_of_a_single_move_is_searched(bot: type[Searcher]) -> None:
    """People ask for what a move is worth that the bot would not play."""
    searcher = ready(bot(), ORIGINAL, iterations=1000)
    said: list[str] = []
    searcher.say = said.append
    last = START.legal_actions()[-1]
    assert ask(searcher, START, only=(last,)) == last
    assert said[-1].startswith("nodes 1000 ")
    assert len(follow(said[-1].split()[-1], START).circle) < len(START.circle)


@SEARCHERS
def test_every_legal_move_can_be_searched(bot: type[Searcher]) -> None:
    """Also those that the bot never considers by itself."""
    searcher = ready(bot(), ORIGINAL, iterations=8)
    actions = tuple(START.legal_actions())
    searcher.tree.take_root(START, [])
    searcher.tree.restrict(actions)
    searcher.tree.grow(1)
    assert {choice.action for choice in searcher.tree.choices()} == {*actions}


@SEARCHERS
def test_restricted_search_leaves_nothing_behind(bot: type[Searcher]) -> None:
    """The next answer in the same position is that of a new bot."""
    usual = ready(bot(), ORIGINAL, iterations=500)
    first = answer(usual, START)
    searcher = ready(bot(), ORIGINAL, iterations=500)
    last = START.legal_actions()[-1]
    ask(searcher, START, only=(last, ADVANCE))
    ask(searcher, START, only=(last,))
    again = answer(searcher, START)
    assert searcher.root_visits <= 500
    assert again != last
    assert bot is Mcts or again == first  # playouts draw other numbers now


def test_solved_end_shows_the_winning_moves_among_those_that_are_allowed(
    endings: list[Ending],
) -> None:
    """Another solver finds the winning moves; all, or all but the smallest, are left out."""
    champion = ready(Champion(), ORIGINAL, iterations=50_000)
    state, winning = max(endings, key=lambda ending: len(ending[1]))
    losing = tuple(action for action in state.legal_actions() if action not in winning)
    spared = (*losing, min(winning))
    assert ask(champion, state, only=spared) == min(winning)
    assert ask(champion, state, only=losing[:1]) == losing[0]


@SEARCHERS
@pytest.mark.parametrize("state", [START, State.start(EXPRESS, 1)], ids=["original", "express"])
def test_endless_search_reports_and_stops(bot: type[Searcher], state: State) -> None:
    """The clock stands still: it reports by the number of iterations, and stops when asked."""
    searcher = ready(bot(), state.edition)
    searcher.clock = lambda: 0.0
    looks = iter([False] * 40 + [True] * 5)
    searcher.must_stop = lambda: next(looks)
    said: list[str] = []
    searcher.say = said.append
    choice = searcher.choose(Turn(state.hide_late(), (), None, Limit(infinite=True), 2))
    assert choice in state.legal_actions()
    counts = [int(text.split()[3]) for text in said]
    assert counts == sorted(counts)
    assert len({*counts}) >= 2
    assert read_action(said[-2].split()[7].split(",")[0], state) == choice


@SEARCHERS
def test_endless_search_reports_every_second(bot: type[Searcher]) -> None:
    """After a million iterations twice as many would take long."""
    searcher = ready(bot(), ORIGINAL)
    times = iter(range(100))
    searcher.clock = lambda: next(times)
    looks = iter([False] * 5 + [True])
    searcher.must_stop = lambda: next(looks)
    said: list[str] = []
    searcher.say = said.append
    searcher.choose(Turn(START, (), None, Limit(infinite=True)))
    assert [text.split()[1] for text in said] == ["128", "256", "384", "512", "640", "768"]


def test_champion_answers_by_itself_once_everything_is_known(endings: list[Ending]) -> None:
    """Nobody has to stop it in an endgame that is solved."""
    champion = ready(Champion(), ORIGINAL)
    state, winning = next(ending for ending in endings if len(ending[0].legal_actions()) < 4)
    assert champion.choose(Turn(state, (), None, Limit(infinite=True))) in winning


def test_tally_ranks_actions_by_their_shares() -> None:
    """The margin of an action is the mean over the drawings, weighted by its shares."""
    first, second, third = ADVANCE, take(1, 0, 0), take(2, 0, 0)
    tally = Tally()
    tally.add([Choice(first, 3, 2.0), Choice(second, 1, -2.0)])
    tally.add([Choice(second, 6, 1.0), Choice(first, 2, 4.0), Choice(third, 0, 9.0)])
    assert tally.choices() == [
        Choice(first, 5, (0.75 * 2 + 0.25 * 4) / 1),
        Choice(second, 7, (0.25 * -2 + 0.75 * 1) / 1),
    ]
